/*
 * server.c - starts the original and the runs of its copies. server_copy.c makes a copy, server_check.c decides
 * whether it may.
 */
#include "supervisor/server/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/access/sites.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/kernel/syscall_table.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/run/run.h"
#include "supervisor/run/run_collect.h"
#include "supervisor/run/run_life.h"
#include "supervisor/run/run_open.h"
#include "supervisor/run/run_release.h"
#include "supervisor/run/stops/resume.h"
#include "supervisor/server/prologue.h"
#include "supervisor/server/server-priv.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "tracer/forker.h"

struct rfs_server {
	struct rfs_run_spec spec;
	struct rfs_policy_ops policy; /* the policy that runs up to main (prologue.h) */
	struct rfs_run_result result;
	struct rfs_run run; /* stopped at main */
	struct rfs_forker *forker;
};

/* Runs the target up to main. */
static int reach_main(struct rfs_server *server, char *why, size_t n)
{
	struct rfs_run *run = &server->run;
	int error = rfs_run_begin(run, rfs_syscalls_server, why, n);

	if (error)
		return error;
	rfs_run_loop(run);
	if (!run->served.at_main)
		return rfs_why(why, n, -ENOTSUP, "main is unknown, or the program does not reach it");
	error = rfs_server_check(run, why, n);
	if (!error && !rfs_prologue_complete(run->policy))
		error = rfs_why(why, n, -ENOTSUP, "the program does too much before main");
	return error;
}

static void free_server(struct rfs_server *server)
{
	if (!server)
		return;
	rfs_forker_free(server->forker);
	rfs_run_release(&server->run);
	rfs_run_result_release(&server->result);
	free(server);
}

static int new_server(const struct rfs_run_spec *spec, struct rfs_server **out, char *why, size_t n)
{
	struct rfs_server *server = xcalloc(1, sizeof(*server));
	int error;

	server->spec = *spec;
	/* copies may have another policy, which must get each choice before main, so none is left out */
	server->policy = rfs_prologue_policy(spec->policy->flags & ~(unsigned)RFS_POLICY_SINGLE);
	server->spec.policy = &server->policy;
	rfs_run_init(&server->run, &server->spec, &server->result);
	server->run.served.as = RFS_SERVED_ORIGINAL;
	server->run.served.syscall = rfs_server_syscall;
	error = reach_main(server, why, n);
	if (!error) {
		const struct rfs_thread *first = server->run.threads[0];

		error = rfs_forker_new(first->task, first->clear_tid, first->tid, &server->forker, why, n);
		if (error && error != -ENOTSUP)
			rfs_why(why, n, error, "the program disappeared before main");
	}
	if (error) {
		free_server(server);
		return error;
	}
	*out = server;
	return 0;
}

static int run_copy(struct rfs_server *server, const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why,
		    size_t n)
{
	const bool is_marked = spec->from_main && spec->plan.pair;
	struct rfs_task *task;
	struct rfs_run run;
	int error;

	rfs_run_init(&run, spec, out);
	run.decoder = server->run.decoder;
	run.served.as = RFS_SERVED_COPY;
	run.served.syscall = rfs_server_syscall;
	run.loop.n_steady = 1;
	error = rfs_run_open(&run, why, n);
	if (!error && !rfs_prologue_tell(server->run.policy, spec->policy, run.policy, &run.loop.hint))
		error = rfs_why(why, n, -ENOTSUP, "policy %s needs more information about what happened before main",
				spec->policy->name);
	if (!error) {
		error = rfs_forker_fork(server->forker, &run.tracer, &task);
		if (error)
			rfs_why(why, n, error, "cannot copy the program: %s", strerror(-error));
	}
	if (!error) {
		rfs_run_open_stream(&run, NULL);
		rfs_run_copy(&server->run, task, &run);
		if (is_marked)
			rfs_sites_add_pair(&run, run.threads[0]);
		(void)rfs_resume(&run, run.threads[0], RFS_THEN_EXECUTE);
		rfs_run_loop(&run);
		rfs_run_collect(&run);
		if (is_marked)
			rfs_sites_forget_pair(server->run.threads[0]->task, spec->plan.pair);
	}
	rfs_run_release(&run);
	return error;
}

const struct rfs_server_ops rfs_server_ops = {.start = new_server, .run = run_copy, .end = free_server};
