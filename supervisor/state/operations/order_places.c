/* order_places.c - compares return addresses with the places of the spec. */
#include "supervisor/state/operations/order_places.h"

#include <string.h>

#include "policy/core/op.h"
#include "supervisor/base/site.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"

static bool order_places_is_at(const struct rfs_run *run, rfs_addr address, const struct rfs_site_ref *place)
{
	const struct rfs_module_info *info = place->module ? rfs_info_at(run, address) : NULL;

	return info && address - info->bias == place->offset && strcmp(info->path, place->module) == 0;
}

unsigned rfs_order_at(const struct rfs_run *run, rfs_addr address)
{
	const struct rfs_order_places *order = run->spec->plan.order;
	unsigned statements = 0;

	for (unsigned i = 0; i < 2; i++)
		if (order_places_is_at(run, address, &order->calls[i]))
			statements |= 1u << i;
	if (order_places_is_at(run, address, order->held.module ? &order->held : &order->calls[0]))
		statements |= RFS_AT_HELD;
	return statements;
}

unsigned rfs_order_call(const struct rfs_run *run, const struct rfs_op *op)
{
	if (!run->spec->plan.order || rfs_op_is_access(op->kind) || !op->site)
		return 0;
	/* These are the way back from a call, which has used its object already. The object may be destroyed now. */
	if (op->kind == RFS_OP_COND_WAKE || op->kind == RFS_OP_BARRIER_LEAVE)
		return 0;
	return rfs_order_at(run, rfs_site_address(run, op->site));
}

unsigned rfs_order_access(const struct rfs_run *run, unsigned statements)
{
	return run->spec->plan.order && !run->spec->plan.order->held.module && (statements & 1) ? RFS_AT_HELD : 0;
}
