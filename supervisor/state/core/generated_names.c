/* generated_names.c - the modules that stand for generated code: one for each range of RANGE bytes with a site. */
#include "supervisor/state/core/generated_names.h"

#include <stdio.h>

#include "supervisor/base/site.h"
#include "supervisor/base/siteset.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "tracer/module.h"

#define RANGE (1ull << 24)

const struct rfs_module_info *rfs_generated_info_at(const struct rfs_run *run, rfs_addr address)
{
	for (size_t i = run->n_modules; i-- > 0;)
		if (run->modules[i]->generated && !run->modules[i]->gone && address - run->modules[i]->bias < RANGE)
			return run->modules[i];
	return NULL;
}

static const struct rfs_module_info *range_new(struct rfs_run *run, rfs_addr address)
{
	const rfs_addr start = address & ~(RANGE - 1);
	char path[sizeof(RFS_GENERATED_PREFIX) + 16];
	/* no address is in it, so that other code is never taken for code of a file */
	struct rfs_module module = {.path = path, .bias = start, .number = (unsigned)run->n_modules};
	struct rfs_module_info *info;

	snprintf(path, sizeof(path), RFS_GENERATED_PREFIX "%llx", (unsigned long long)start);
	info = rfs_info_new(run, &module);
	info->generated = true;
	info->program = false;
	return info;
}

rfs_site rfs_generated_site(struct rfs_run *run, rfs_addr address)
{
	const struct rfs_module_info *info = rfs_generated_info_at(run, address);

	if (!info)
		info = range_new(run, address);
	return rfs_site_make(info->number, address - info->bias);
}
