/* loaded_modules.c - the files that the loader maps and unmaps while the program runs. */
#include "supervisor/run/stops/loaded_modules.h"

#include <errno.h>
#include <string.h>

#include "supervisor/access/calls/recorded_calls.h"
#include "supervisor/access/sites.h"
#include "supervisor/access/tsc_insns.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/sync/pthread_calls.h"
#include "tracer/loader.h"
#include "tracer/module.h"
#include "tracer/tracer.h"

static void module_added(void *arg, struct rfs_module *module)
{
	struct rfs_run *run = ((void **)arg)[0];
	struct rfs_thread *thread = ((void **)arg)[1];
	struct rfs_module_info *info = rfs_info_new(run, module);

	module->data = info;
	info->watched = rfs_is_watched(run, module);
	rfs_tsc_insns_add_module(run, thread, module);
	rfs_pthread_add_module(run, thread, module);
	rfs_sites_add_module(run, thread, module);
}

static void module_gone(void *arg, struct rfs_module *module)
{
	struct rfs_module_info *info = module->data;
	struct rfs_run *run = ((void **)arg)[0];

	info->gone = true;
	rfs_recorded_calls_forget(run, info->start, info->end);
	rfs_gdb_forget(run, info->start, info->end);
}

void rfs_loaded_modules_update(struct rfs_run *run, struct rfs_thread *thread)
{
	void *arg[2] = {run, thread};
	int error = rfs_modules_update(thread->task, module_added, module_gone, arg);

	if (error && error != -ESRCH)
		rfs_run_uncontrolled(run, "cannot track the files that the loader maps: %s", strerror(-error));
	if (rfs_modules_left_out(rfs_task_space(thread->task)))
		rfs_unknown_code_appears(run);
}
