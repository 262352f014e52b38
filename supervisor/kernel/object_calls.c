/*
 * object_calls.c - sends the touches of a call to the detector, and compares its place with the statements of the
 * spec.
 */
#include "supervisor/kernel/object_calls.h"

#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

#include "disasm/addr.h"
#include "policy/core/op.h"
#include "policy/policy.h"
#include "supervisor/kernel/call_place.h"
#include "supervisor/kernel/core/call_effect.h"
#include "supervisor/kernel/object_touches.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/operation.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/shared_things.h"

static bool predicts(const struct rfs_run_spec *spec)
{
	return spec->detector && spec->predicts_violations;
}

bool rfs_object_calls_followed(const struct rfs_run_spec *spec)
{
	return predicts(spec) || spec->sites.object_kinds;
}

/*
 * Pages that a function other than the caller of munmap(2) has mapped are not its own: free(3) is known by itself.
 * sbrk(3) calls brk(2) through one more function of the C library.
 */
static bool counts(const struct rfs_object_touch *touch, const struct rfs_call_place *place, long number)
{
	return touch->kind != RFS_OBJECT_MEMORY || place->depth <= (number == SYS_brk ? 2 : 1);
}

void rfs_object_calls_note(struct rfs_run *run, struct rfs_thread *thread, long number, const unsigned long *args,
			   struct rfs_call_place *place)
{
	struct rfs_object_touch touches[RFS_OBJECT_TOUCHES];
	rfs_addr address;
	size_t n;

	/* what a thread does before it creates another one comes first */
	if (!predicts(run->spec) || run->n_threads < 2 || !rfs_call_effect(number))
		return;
	n = rfs_object_touches(run, thread, number, args, touches);
	address = n ? rfs_call_place(run, thread, place) : 0;
	for (size_t i = 0; i < n && address; i++) {
		struct rfs_event event = {
			.kind = RFS_EVENT_ACCESS,
			.thread = thread->number,
			.op = rfs_op_make(RFS_OP_ACCESS, rfs_site_of(run, address - 1), touches[i].address),
		};

		if (!counts(&touches[i], place, number))
			continue;
		event.op.size = touches[i].size;
		event.op.access = touches[i].access;
		rfs_emit(run, &event);
	}
}

static bool has_site(const struct rfs_site_ref *sites, size_t n, const char *module, uint64_t offset)
{
	for (size_t i = 0; i < n; i++)
		if (sites[i].offset == offset && strcmp(sites[i].module, module) == 0)
			return true;
	return false;
}

/* False: the place is no statement of the spec. */
static bool statements_at(const struct rfs_run *run, rfs_addr address, unsigned *statements)
{
	const struct rfs_run_spec *spec = run->spec;
	const struct rfs_module_info *info = rfs_info_at(run, address);
	const uint64_t offset = info ? address - info->bias : 0;

	*statements = 0;
	for (unsigned i = 0; info && spec->plan.pair && i < 2; i++)
		if (has_site(spec->plan.pair->statement[i].sites, spec->plan.pair->statement[i].n_sites, info->path,
			     offset))
			*statements |= 1u << i;
	/* with a pair, the place is the second one of an atomicity violation */
	return *statements || (info && (spec->points == RFS_POINTS_RACES || spec->plan.pair) &&
			       has_site(spec->sites.visible, spec->sites.n_visible, info->path, offset));
}

bool rfs_object_calls_parks(struct rfs_run *run, const struct rfs_thread *thread, long number,
			    const unsigned long *args, struct rfs_call_place *place, struct rfs_op *op)
{
	struct rfs_object_touch touches[RFS_OBJECT_TOUCHES];
	unsigned statements;
	rfs_addr address;
	size_t n;

	if (!run->spec->sites.object_kinds || run->n_threads < 2 || !rfs_call_effect(number))
		return false;
	address = rfs_call_place(run, thread, place);
	if (!address || !statements_at(run, address - 1, &statements))
		return false;
	n = rfs_object_touches(run, thread, number, args, touches);
	for (size_t i = 0; i < n; i++) {
		if (!(run->spec->sites.object_kinds >> touches[i].kind & 1) || !counts(&touches[i], place, number))
			continue;
		*op = rfs_op_make(RFS_OP_ACCESS, rfs_site_of(run, address - 1), touches[i].address);
		op->access = touches[i].access;
		op->size = touches[i].size;
		op->statements = statements;
		return true;
	}
	return false;
}
