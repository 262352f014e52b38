/* tally.c - adds the result of each run, in the order in which they are committed. */
#include "supervisor/campaign/executions/tally.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "policy/policy.h"
#include "supervisor/access/code_cache.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/path.h"
#include "supervisor/campaign/decisions/baseline.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/executions/misuses.h"
#include "supervisor/campaign/executions/warnings.h"
#include "supervisor/record/nondet.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/follow.h"
#include "supervisor/symbols/symbolize.h"

void rfs_tally_init(struct rfs_tally *tally, struct rfs_symbols *symbols, const struct rfs_baseline *baseline,
		    struct rfs_warnings *warnings)
{
	*tally = (struct rfs_tally){.symbols = symbols, .baseline = baseline, .warnings = warnings};
}

static struct rfs_run_module *tally_module_of(struct rfs_tally *tally, const struct rfs_run_module *seen)
{
	struct rfs_run_module *module;
	const struct rfs_elf *elf;

	for (size_t i = 0; i < tally->n_modules; i++)
		if (strcmp(tally->modules[i].path, seen->path) == 0)
			return &tally->modules[i];
	tally->modules = xreallocarray(tally->modules, tally->n_modules + 1, sizeof(*tally->modules));
	module = &tally->modules[tally->n_modules++];
	*module = (struct rfs_run_module){
		.path = xstrdup(seen->path),
		.build_id = xstrdup(seen->build_id ? seen->build_id : ""),
		.watched = seen->watched,
	};
	/* Reading the file here saves time: the jobs are forked from this process, and inherit what was read. */
	elf = rfs_symbols_elf(tally->symbols, module->path);
	if (elf)
		rfs_tsc_insns_cache_get(elf);
	if (!module->watched)
		rfs_symbols_names_only(tally->symbols, module->path);
	return module;
}

static void note_module(struct rfs_tally *tally, const struct rfs_run_module *seen)
{
	struct rfs_run_module *module = tally_module_of(tally, seen);
	const char *warning = seen->watched ? rfs_symbols_warning(tally->symbols, module->path) : NULL;

	/* runs without a detector watch fewer sites */
	if (seen->sites > module->sites)
		module->sites = seen->sites;
	if (warning)
		rfs_warnings_give(tally->warnings, warning);
}

static void note_uncontrolled(struct rfs_tally *tally, const struct rfs_execution *execution,
			      const struct rfs_run_result *result)
{
	tally->n_uncontrolled++;
	if (!tally->uncontrolled)
		tally->uncontrolled = xasprintf("run %s: %s", execution->name,
						result->message ? result->message : rfs_run_end_name(result->end));
}

/* Whether the process runs the program itself. Another run cannot select it: such a child executes no other file. */
static bool is_program(const struct rfs_run_spec *spec, const char *name)
{
	struct rfs_follow follow = {.glob = spec->follow ? rfs_base_name(spec->follow) : NULL};
	/* `name` is that of the file itself, and the path may be a link to it, as /usr/bin/python3 is */
	char *file = spec->follow ? NULL : realpath(spec->process.path, NULL);
	bool is = spec->follow ? rfs_follow_matches(&follow, name)
			       : strcmp(rfs_base_name(file ? file : spec->process.path), name) == 0;

	free(file);
	rfs_follow_release(&follow);
	return is;
}

/* Notes a process with several threads that rfsup does not control, and warns once for each name. */
static void note_threaded(struct rfs_tally *tally, const struct rfs_run_spec *spec, const char *name)
{
	char *line;

	for (size_t i = 0; i < tally->n_threaded; i++)
		if (strcmp(tally->threaded[i], name) == 0)
			return;
	tally->threaded = xreallocarray(tally->threaded, tally->n_threaded + 1, sizeof(*tally->threaded));
	tally->threaded[tally->n_threaded++] = xstrdup(name);
	line = is_program(spec, name)
		       ? xasprintf("a child process of %s has several threads and is not controlled", name)
		       : xasprintf("the program started %s, which has several threads and is not controlled; use "
				   "--follow '%s' to control it instead of the program",
				   name, name);
	rfs_warnings_give(tally->warnings, line);
	free(line);
}

/* Notes the files that a run has read. True if one of them differs from what an earlier run read. */
static bool note_files(struct rfs_tally *tally, const struct rfs_blob *files)
{
	const uint64_t *pair = files->data;
	bool changed = false;

	for (size_t n = files->size / (2 * sizeof(*pair)); n > 0; n--, pair += 2) {
		size_t i = 0;

		while (i < tally->n_files && tally->files[2 * i] != pair[0])
			i++;
		if (i == tally->n_files) {
			tally->files = xreallocarray(tally->files, ++tally->n_files, 2 * sizeof(*tally->files));
			tally->files[2 * i] = pair[0];
		} else if (tally->files[2 * i + 1] != pair[1]) {
			changed = true;
		}
		tally->files[2 * i + 1] = pair[1];
	}
	return changed;
}

char *rfs_tally_driver_end(int status)
{
	const struct rfs_signature signature = {WIFSIGNALED(status) ? RFS_FAILURE_SIGNAL : RFS_FAILURE_EXIT,
						WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)};
	char *detail = rfs_signature_detail(&signature),
	     *text = xasprintf(WIFSIGNALED(status) ? "was killed by %s" : "ended with %s", detail);

	free(detail);
	return text;
}

/*
 * Warns once if the load driver failed. Its failure does not count if the run failed too, because a client fails when
 * its server is gone.
 */
static void note_driver(struct rfs_tally *tally, const struct rfs_execution *execution,
			const struct rfs_run_result *result, bool failed)
{
	char *how, *line;

	if (!result->driver_status || failed)
		return;
	if (!result->driver_reached && !tally->no_load.runs++)
		tally->no_load.status = result->driver_status;
	if (tally->driver_failed[result->driver_reached])
		return;
	tally->driver_failed[result->driver_reached] = true;
	how = rfs_tally_driver_end(result->driver_status);
	line = xasprintf("the --drive command %s in run %s, %s the program had any input from it", how, execution->name,
			 result->driver_reached ? "after" : "before");
	rfs_warnings_give(tally->warnings, line);
	free(line);
	free(how);
}

void rfs_tally_add(struct rfs_tally *tally, const struct rfs_execution *execution, const struct rfs_run_result *result)
{
	unsigned outside = result->nondet.kinds;
	struct rfs_signature signature;
	bool failed = rfs_run_failed(result, &signature);

	tally->runs++;
	tally->refused += rfs_run_failed_refused(result);
	note_driver(tally, execution, result, failed);
	if (!tally->first_failure && failed && !rfs_baseline_always(tally->baseline, &signature))
		tally->first_failure = tally->runs;
	tally->steps += result->counts.steps;
	tally->accesses += result->counts.accesses;
	tally->stops += result->counts.stops;
	tally->recorded += result->counts.accesses_recorded;
	tally->dropped += result->counts.dropped;
	tally->forgotten += result->counts.memory.forgotten;
	if (result->counts.memory.peak > tally->max_memory)
		tally->max_memory = result->counts.memory.peak;
	tally->learned += result->stubs.learned;
	tally->steps_recorded += result->counts.steps_recorded;
	if (result->stubs.single + result->stubs.groups + result->stubs.padded >
	    tally->stub_single + tally->stub_groups + tally->stub_padded) {
		tally->stub_single = result->stubs.single;
		tally->stub_groups = result->stubs.groups;
		tally->stub_padded = result->stubs.padded;
	}
	tally->cpu_seconds += result->costs.cpu_seconds;
	tally->own_cpu_seconds += result->costs.own_cpu_seconds;
	tally->races += result->n_created;
	tally->livelocks += result->counters[RFS_COUNTER_LIVELOCKS];
	if (note_files(tally, &result->nondet.files))
		outside |= 1u << RFS_NONDET_FILES;
	for (int i = 0; i < RFS_NONDET_KINDS; i++)
		tally->outside[i] += outside >> i & 1;
	if (result->n_threaded > tally->max_threaded)
		tally->max_threaded = result->n_threaded;
	for (size_t i = 0; i < result->n_threaded; i++)
		note_threaded(tally, &execution->spec, result->threaded[i]);
	if (result->counts.threads > tally->max_threads)
		tally->max_threads = result->counts.threads;
	for (size_t i = 0; i < result->n_modules; i++)
		note_module(tally, &result->modules[i]);
	for (size_t i = 0; i < result->n_warnings; i++)
		rfs_warnings_give(tally->warnings, result->warnings[i]);
	rfs_misuses_note(&tally->misuses, execution->spec.seed, result);
	if (result->end == RFS_END_UNCONTROLLED || result->end == RFS_END_DIVERGED)
		note_uncontrolled(tally, execution, result);
	if (result->end == RFS_END_TIMEOUT)
		tally->timeouts++;
}

const char *rfs_tally_module_name(const struct rfs_tally *tally, const char *module)
{
	for (size_t i = 0; i < tally->n_modules; i++)
		if (strcmp(tally->modules[i].path, module) != 0 &&
		    strcmp(rfs_base_name(tally->modules[i].path), rfs_base_name(module)) == 0)
			return module;
	return rfs_base_name(module);
}

void rfs_tally_release(struct rfs_tally *tally)
{
	for (size_t i = 0; i < tally->n_modules; i++) {
		free(tally->modules[i].path);
		free(tally->modules[i].build_id);
	}
	free(tally->modules);
	for (size_t i = 0; i < tally->n_threaded; i++)
		free(tally->threaded[i]);
	free(tally->threaded);
	rfs_misuses_release(&tally->misuses);
	free(tally->uncontrolled);
	free(tally->files);
	*tally = (struct rfs_tally){0};
}
