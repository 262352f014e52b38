/* verify.c - makes runs with the same seed, and compares their hashes and results. */
#include "supervisor/cli/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/tree.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/program.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/lessons.h"
#include "supervisor/record/run_result.h"
#include "supervisor/report/text/divergence.h"
#include "supervisor/symbols/symbolize.h"

struct verification {
	const struct rfs_options *options;
	struct rfs_pool *pool;
	struct rfs_symbols *symbols;
	struct rfs_execution execution;
	struct rfs_lessons lessons;
	char *folder, *trace;
};

/* Makes one run. RFS_EXIT_CLEAN: *result is filled. Otherwise the exit status; a message was printed. */
static enum rfs_exit run_one(struct verification *v, struct rfs_run_result *result)
{
	struct rfs_lessons used = {0};
	char why[1024] = "";
	enum rfs_pool_end end = rfs_pool_run_one(v->pool, &v->execution, false, result, &used, why, sizeof(why));

	/* later runs start with the lessons of this run, because a run with other lessons is a different run */
	rfs_lessons_join(&v->lessons, &used);
	rfs_lessons_release(&used);
	switch (end) {
	case RFS_POOL_DONE:
		return RFS_EXIT_CLEAN;
	case RFS_POOL_FAILED:
		rfs_error("%s", why);
		return RFS_EXIT_INPUT;
	case RFS_POOL_INTERRUPTED:
	case RFS_POOL_BUDGET:
	case RFS_POOL_ENOUGH:
		break;
	}
	rfs_error("verify: interrupted");
	return RFS_EXIT_INCOMPLETE;
}

static enum rfs_exit inconclusive(const struct rfs_run_result *result, unsigned i)
{
	if (result->end == RFS_END_UNCONTROLLED) {
		printf("run %u could not be controlled: %s\n", i, result->message ? result->message : "?");
		return RFS_EXIT_UNCONTROLLED;
	}
	if (result->end == RFS_END_TIMEOUT) {
		printf("run %u timed out\n", i);
		return RFS_EXIT_INCOMPLETE;
	}
	return RFS_EXIT_CLEAN;
}

static enum rfs_exit verify_compare(struct verification *v, const struct rfs_run_result *first,
				    const struct rfs_run_result *result, unsigned i)
{
	enum rfs_exit exit = inconclusive(result, i);

	if (exit != RFS_EXIT_CLEAN)
		return exit;
	if (result->end == RFS_END_DIVERGED) {
		printf("not deterministic: run %u of %u differs from the first run: %s\n", i, v->options->verify,
		       result->message);
		rfs_divergence_print(v->symbols, result, stdout);
		return RFS_EXIT_UNCONTROLLED;
	}
	if (result->end != first->end || result->detail != first->detail || result->hash[0] != first->hash[0] ||
	    result->hash[1] != first->hash[1]) {
		printf("not deterministic: run %u of %u executed the same operations as the first run, but ended "
		       "differently\n",
		       i, v->options->verify);
		return RFS_EXIT_UNCONTROLLED;
	}
	return RFS_EXIT_CLEAN;
}

static enum rfs_exit verify(struct verification *v)
{
	struct rfs_run_result first, result;
	enum rfs_exit exit;

	v->execution.spec.trace.out = v->trace;
	v->execution.spec.trace.stacks = true;
	exit = run_one(v, &first);
	if (exit != RFS_EXIT_CLEAN)
		return exit;
	exit = inconclusive(&first, 1);
	v->execution.spec.trace.out = NULL;
	v->execution.spec.trace.stacks = false;
	v->execution.spec.trace.in = v->trace;
	for (unsigned i = 2; i <= v->options->verify && exit == RFS_EXIT_CLEAN; i++) {
		exit = run_one(v, &result);
		if (exit != RFS_EXIT_CLEAN)
			break;
		exit = verify_compare(v, &first, &result, i);
		rfs_run_result_release(&result);
	}
	if (exit == RFS_EXIT_CLEAN)
		printf("deterministic: %u runs of seed %llu under %s, %llu operations each, trace hash "
		       "%016llx%016llx\n",
		       v->options->verify, (unsigned long long)v->options->seed, v->execution.spec.policy->name,
		       (unsigned long long)first.counts.steps, (unsigned long long)first.hash[0],
		       (unsigned long long)first.hash[1]);
	rfs_run_result_release(&first);
	return exit;
}

enum rfs_exit rfs_verify(const struct rfs_options *options, const struct rfs_program *program, char *const *envp,
			 int cancel_fd, rfs_run_fn *run)
{
	const char *base = getenv("TMPDIR");
	struct verification v = {.options = options, .symbols = rfs_symbols_new()};
	struct rfs_run_spec *spec = &v.execution.spec;
	struct rfs_pool_settings settings = {
		.run = run,
		.jobs = 1,
		.cancel_fd = cancel_fd,
	};
	enum rfs_exit exit;

	v.folder = xasprintf("%s/rfsup-verify-XXXXXX", base && *base ? base : "/tmp");
	if (!mkdtemp(v.folder))
		die("cannot create a directory in %s", base && *base ? base : "/tmp");
	v.trace = xasprintf("%s/first.trace", v.folder);
	settings.output = v.folder;
	snprintf(v.execution.name, sizeof(v.execution.name), "verify");
	*spec = options->run;
	spec->process.path = program->path;
	spec->process.argv = program->argv;
	spec->process.envp = envp;
	spec->seed = options->seed;
	spec->job.fresh_root = v.folder;
	if (options->detector && strcmp(options->detector, "none") != 0)
		spec->detector = rfs_detector_find(options->detector);
	v.execution.lessons = &v.lessons;
	spec->policy = rfs_policy_find("random");
	if (options->samplers.n) {
		spec->policy = options->samplers.list[0].policy;
		spec->policy_options = options->samplers.list[0].options;
		v.execution.policy_path = options->samplers.list[0].path;
	}
	if (rfs_pool_new(&settings, &v.pool))
		die("cannot start a job");
	exit = verify(&v);
	rfs_pool_free(v.pool);
	rfs_lessons_release(&v.lessons);
	if (rfs_tree_remove(v.folder))
		rfs_warn("cannot remove %s", v.folder);
	free(v.trace);
	free(v.folder);
	rfs_symbols_free(v.symbols);
	return exit;
}
