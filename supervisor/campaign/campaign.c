/*
 * The order of a campaign: plain runs, phase 1, limits, phase 2, phase 3; what its executions have in common; and what
 * every run contributes.
 */
#include "supervisor/campaign/campaign.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/access/code_cache.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/error.h"
#include "supervisor/base/output.h"
#include "supervisor/base/siteset.h"
#include "supervisor/campaign/campaign-priv.h"
#include "supervisor/campaign/progress.h"
#include "supervisor/campaign/verdict.h"
#include "supervisor/cli/options.h"
#include "supervisor/cli/program.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/record.h"
#include "supervisor/state/run_result.h"
#include "supervisor/state/run_spec.h"
#include "supervisor/symbols/symbolize.h"

#define PLAIN_RUNS 10
/* A program that does not end by itself shows it this often; ten times would only cost time. */
#define PLAIN_TIMEOUTS 3

char *rfs_campaign_record(const struct rfs_campaign *c, const char *name, const char *suffix)
{
	return xasprintf("%s/%s.%s", c->records, name, suffix);
}

void rfs_campaign_execution(const struct rfs_campaign *c, const char *label, uint64_t i,
			    const struct rfs_policy_ops *policy, enum rfs_points points, struct rfs_execution *out)
{
	const struct rfs_options *options = c->options;
	uint64_t seed = options->seed + i;

	snprintf(out->name, sizeof(out->name), "%s-seed-%" PRIu64, label, seed);
	out->spec = (struct rfs_run_spec){
		.path = c->settings.program->path,
		.argv = c->settings.program->argv,
		.envp = c->settings.envp,
		.follow = options->follow,
		.clock_real = options->clock_real,
		.seed = seed,
		.policy = policy,
		.points = options->points_given ? options->points : points,
		.modules = (char *const *)options->modules,
		.accesses = options->accesses,
		.timeout = options->timeout,
		.sleep_race = options->sleep_race,
		.cpu_limit = c->cpu_limit,
		.step_limit = c->step_limit,
		.spin_free = c->spin_free,
	};
}

void rfs_campaign_warn(struct rfs_campaign *c, const char *line)
{
	for (size_t i = 0; i < c->n_warnings; i++)
		if (strcmp(c->warnings[i], line) == 0)
			return;
	c->warnings = xreallocarray(c->warnings, c->n_warnings + 1, sizeof(*c->warnings));
	c->warnings[c->n_warnings++] = xstrdup(line);
	rfs_warn("%s", line);
}

static struct rfs_run_module *module_of(struct rfs_campaign *c, const struct rfs_run_module *seen)
{
	struct rfs_run_module *module;
	const struct rfs_elf *elf;

	for (size_t i = 0; i < c->n_modules; i++)
		if (strcmp(c->modules[i].path, seen->path) == 0)
			return &c->modules[i];
	c->modules = xreallocarray(c->modules, c->n_modules + 1, sizeof(*c->modules));
	module = &c->modules[c->n_modules++];
	*module = (struct rfs_run_module){
		.path = xstrdup(seen->path),
		.build_id = xstrdup(seen->build_id ? seen->build_id : ""),
		.watched = seen->watched,
	};
	/* read here once, the file and its statements are there in every job that is forked from now on */
	elf = rfs_symbols_elf(c->symbols, module->path);
	if (elf)
		rfs_tsc_insns_cache_get(elf);
	if (!module->watched)
		rfs_symbols_names_only(c->symbols, module->path);
	else if (elf)
		rfs_plan_cache_get(elf);
	return module;
}

static void note_module(struct rfs_campaign *c, const struct rfs_run_module *seen)
{
	struct rfs_run_module *module = module_of(c, seen);
	const char *warning = seen->watched ? rfs_symbols_warning(c->symbols, module->path) : NULL;

	/* runs without a detector watch fewer sites */
	if (seen->sites > module->sites)
		module->sites = seen->sites;
	if (warning)
		rfs_campaign_warn(c, warning);
}

static void note_uncontrolled(struct rfs_campaign *c, const struct rfs_execution *execution,
			      const struct rfs_run_result *result)
{
	c->n_uncontrolled++;
	if (!c->uncontrolled)
		c->uncontrolled = xasprintf("run %s: %s", execution->name,
					    result->message ? result->message : rfs_run_end_name(result->end));
}

void rfs_campaign_phase(struct rfs_campaign *c, const char *name, uint64_t planned, uint64_t pairs)
{
	if (c->n_phases == RFS_PHASES_MAX)
		RFS_BUG("phase %s is one too many", name);
	c->phases[c->n_phases++] = (struct rfs_phase){.name = name, .planned = planned};
	rfs_note("phase %s: %" PRIu64 " runs planned", name, planned);
	rfs_progress_phase(&c->progress, name, planned, pairs);
}

/* Said once for each name. */
static void note_threaded(struct rfs_campaign *c, const char *name)
{
	char *line;

	for (size_t i = 0; i < c->n_threaded; i++)
		if (strcmp(c->threaded[i], name) == 0)
			return;
	c->threaded = xreallocarray(c->threaded, c->n_threaded + 1, sizeof(*c->threaded));
	c->threaded[c->n_threaded++] = xstrdup(name);
	line = xasprintf("the program started %s, which has several threads and is not controlled; use --follow '%s' "
			 "to control it instead of the program",
			 name, name);
	rfs_campaign_warn(c, line);
	free(line);
}

/* True where a file is another one than in an earlier run. */
static bool note_files(struct rfs_campaign *c, const struct rfs_blob *files)
{
	const uint64_t *pair = files->data;
	bool changed = false;

	for (size_t n = files->size / (2 * sizeof(*pair)); n > 0; n--, pair += 2) {
		size_t i = 0;

		while (i < c->n_files && c->files[2 * i] != pair[0])
			i++;
		if (i == c->n_files) {
			c->files = xreallocarray(c->files, ++c->n_files, 2 * sizeof(*c->files));
			c->files[2 * i] = pair[0];
		} else if (c->files[2 * i + 1] != pair[1]) {
			changed = true;
		}
		c->files[2 * i + 1] = pair[1];
	}
	return changed;
}

static void note(struct rfs_campaign *c, const struct rfs_execution *execution, const struct rfs_run_result *result)
{
	uint64_t visible = result->steps + result->accesses;
	unsigned outside = result->outside;
	struct rfs_signature signature;

	c->n_runs++;
	if (!c->first_failure && rfs_run_failed(result, &signature) && !rfs_baseline_always(&c->baseline, &signature))
		c->first_failure = c->n_runs;
	c->total_steps += result->steps;
	c->total_accesses += result->accesses;
	c->total_stops += result->stops;
	c->total_recorded += result->recorded;
	c->total_learned += result->stub_learned;
	c->total_steps_recorded += result->steps_recorded;
	if (result->stub_single + result->stub_groups + result->stub_padded >
	    c->stub_single + c->stub_groups + c->stub_padded) {
		c->stub_single = result->stub_single;
		c->stub_groups = result->stub_groups;
		c->stub_padded = result->stub_padded;
	}
	c->total_cpu += result->cpu_seconds;
	c->total_own_cpu += result->own_cpu_seconds;
	c->n_races += result->n_created;
	c->n_livelocks += result->policy_livelocks;
	if (note_files(c, &result->files))
		outside |= 1u << RFS_NONDET_FILES;
	for (int i = 0; i < RFS_NONDET_KINDS; i++)
		c->outside[i] += outside >> i & 1;
	if (result->n_threaded > c->max_threaded)
		c->max_threaded = result->n_threaded;
	for (size_t i = 0; i < result->n_threaded; i++)
		note_threaded(c, result->threaded[i]);
	if (result->threads_seen > c->max_threads)
		c->max_threads = result->threads_seen;
	for (size_t i = 0; i < result->n_modules; i++)
		note_module(c, &result->modules[i]);
	for (size_t i = 0; i < result->n_warnings; i++)
		rfs_campaign_warn(c, result->warnings[i]);
	if (result->end == RFS_END_UNCONTROLLED || result->end == RFS_END_DIVERGED)
		note_uncontrolled(c, execution, result);
	if (result->end == RFS_END_TIMEOUT)
		c->n_timeouts++;
	if (c->limited || !rfs_run_conclusive(result) || result->end == RFS_END_HANG)
		return;
	if (result->cpu_seconds > c->cpu_seconds)
		c->cpu_seconds = result->cpu_seconds;
	if (visible > c->steps)
		c->steps = visible;
}

void rfs_campaign_note(struct rfs_campaign *c, const struct rfs_execution *execution,
		       const struct rfs_run_result *result)
{
	struct rfs_phase *phase = &c->phases[c->n_phases - 1];

	phase->runs++;
	phase->timeouts += result->end == RFS_END_TIMEOUT;
	if (result->end == RFS_END_TIMEOUT)
		rfs_note("run %s timed out after %g s", execution->name, execution->spec.timeout);
	note(c, execution, result);
}

void rfs_campaign_progress(struct rfs_campaign *c, bool failed)
{
	double now = rfs_clock();

	c->progress.done++;
	c->progress.failures += failed;
	c->progress.budget_left = c->deadline > now ? c->deadline - now : 0;
	rfs_progress_update(&c->progress);
}

void rfs_campaign_batch(struct rfs_campaign *c, const struct rfs_batch *batch)
{
	if (c->end == RFS_POOL_DONE)
		c->end = rfs_pool_run(c->pool, batch, c->why, sizeof(c->why));
}

bool rfs_campaign_one(struct rfs_campaign *c, const struct rfs_execution *execution, bool keep,
		      struct rfs_run_result *result, struct rfs_site_set *used)
{
	if (c->end != RFS_POOL_DONE)
		return false;
	c->end = rfs_pool_run_one(c->pool, execution, keep, result, used, c->why, sizeof(c->why));
	if (c->end != RFS_POOL_DONE)
		return false;
	c->n_replay_timeouts += result->end == RFS_END_TIMEOUT;
	note(c, execution, result);
	return true;
}

/* ---- plain runs ---- */

static void make_plain(void *arg, uint64_t i, struct rfs_execution *out)
{
	struct rfs_campaign *c = arg;
	uint64_t number = c->baseline.runs + c->baseline.timeouts + 1;

	rfs_campaign_execution(c, "plain", i, NULL, RFS_POINTS_SYNC, out);
	snprintf(out->name, sizeof(out->name), "plain-%" PRIu64, number);
	/* every other one on a single core: a loaded machine can make all runs on many cores go the same unusual way */
	out->any_core = number % 2;
}

static bool plain_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct rfs_campaign *c = arg;
	struct rfs_signature unused;

	(void)i;
	(void)execution;
	rfs_baseline_add(&c->baseline, result);
	c->progress.done++;
	rfs_progress_update(&c->progress);
	return rfs_run_failed(result, &unused);
}

static void run_plain(struct rfs_campaign *c)
{
	/* one at a time, whatever --jobs says: runs that disturb each other would fail in ways of their own */
	const struct rfs_batch batch = {
		.n = 1,
		.run = c->settings.plain,
		.one_by_one = true,
		.make = make_plain,
		.done = plain_done,
		.arg = c,
	};
	double started = rfs_clock();

	rfs_progress_phase(&c->progress, "plain", PLAIN_RUNS, 0);
	for (int i = 0; i < PLAIN_RUNS && c->baseline.timeouts < PLAIN_TIMEOUTS; i++)
		rfs_campaign_batch(c, &batch);
	c->plain_wall = rfs_clock() - started;
}

/* ---- records ---- */

/* In the job's process, right before the run. */
static int prepare(void *arg, const struct rfs_execution *execution, char *why, size_t n)
{
	struct rfs_campaign *c = arg;
	char *path;
	int error;

	if (!execution->spec.policy)
		return 0; /* a plain run: nothing to replay */
	path = rfs_campaign_record(c, execution->name, "json");
	error = rfs_record_write(path, &c->pool_settings, execution, NULL, NULL, why, n);
	free(path);
	return error;
}

static void discard(void *arg, const struct rfs_execution *execution)
{
	struct rfs_campaign *c = arg;
	static const char *const suffixes[] = {"json", "input"};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		char *path = rfs_campaign_record(c, execution->name, suffixes[i]);

		unlink(path);
		free(path);
	}
}

/* ---- the whole ---- */

static int make_folder(const struct rfs_campaign *c, const char *name, char **out, char *why, size_t n)
{
	*out = rfs_output_file(c->settings.output, name);
	if (mkdir(*out, 0777) && errno != EEXIST)
		return rfs_why(why, n, -errno, "cannot create the directory %s: %s", *out, strerror(errno));
	return 0;
}

static int open_campaign(struct rfs_campaign *c, char *why, size_t n)
{
	const struct rfs_options *options = c->options;
	char *runs = NULL, *fresh = NULL;
	int error;

	c->started = rfs_clock();
	c->deadline = options->budget > 0 ? c->started + options->budget : 0;
	error = make_folder(c, "records", &c->records, why, n);
	if (!error)
		error = make_folder(c, "runs", &runs, why, n);
	if (!error && options->fresh_dir)
		error = make_folder(c, "fresh", &fresh, why, n);
	c->pool_settings = (struct rfs_pool_settings){
		.run = c->settings.run,
		.server = options->no_fork_server ? NULL : c->settings.server,
		.jobs = options->jobs,
		.output = runs,
		.stdin_path = options->stdin_file,
		.setup = options->setup,
		.drive = options->drive,
		.records = options->drive || options->clock_real ? c->records : NULL,
		.fresh_dir = options->fresh_dir,
		.fresh_root = fresh,
		.deadline = c->deadline,
		.cancel_fd = c->settings.cancel_fd,
		.prepare = prepare,
		.discard = discard,
		.arg = c,
	};
	if (error)
		return error;
	error = rfs_pool_new(&c->pool_settings, &c->pool);
	return error ? rfs_why(why, n, error, "cannot start jobs: %s", strerror(-error)) : 0;
}

/* The campaign could not be started: what the plain runs left goes too, so that nothing of it stays. */
static void discard_plain(struct rfs_campaign *c)
{
	for (uint64_t i = 1; i <= c->baseline.runs + c->baseline.timeouts; i++) {
		struct rfs_execution execution = {0};

		snprintf(execution.name, sizeof(execution.name), "plain-%" PRIu64, i);
		rfs_pool_discard(c->pool, &execution);
	}
}

static void close_campaign(struct rfs_campaign *c)
{
	rfs_pool_free(c->pool);
	/* empty ones only */
	if (c->records)
		rmdir(c->records);
	if (c->pool_settings.output)
		rmdir(c->pool_settings.output);
	if (c->pool_settings.fresh_root)
		rmdir(c->pool_settings.fresh_root);
	free(c->records);
	free((char *)c->pool_settings.output);
	free((char *)c->pool_settings.fresh_root);
	for (size_t i = 0; i < c->n_findings; i++)
		rfs_finding_release(&c->findings[i]);
	free(c->findings);
	for (size_t i = 0; i < c->n_pairs; i++)
		rfs_pair_release(&c->pairs[i]);
	free(c->pairs);
	for (size_t i = 0; i < c->n_modules; i++) {
		free(c->modules[i].path);
		free(c->modules[i].build_id);
	}
	free(c->modules);
	for (size_t i = 0; i < c->n_warnings; i++)
		free(c->warnings[i]);
	free(c->warnings);
	for (size_t i = 0; i < c->n_threaded; i++)
		free(c->threaded[i]);
	free(c->threaded);
	free(c->check_difference);
	free(c->files);
	free(c->uncontrolled);
	rfs_samplings_release(c);
	rfs_site_set_release(&c->sites);
	rfs_baseline_release(&c->baseline);
	rfs_symbols_free(c->symbols);
}

/* False where one thread is all there is: then there is one order, and it has been run. */
static bool concurrent(const struct rfs_campaign *c)
{
	return c->max_threads != 1;
}

static int run_phases(struct rfs_campaign *c, char *why, size_t n)
{
	const struct rfs_options *options = c->options;
	int error;

	run_plain(c);
	rfs_limits_by_plain_runs(c);
	switch (options->mode) {
	case RFS_MODE_SAMPLE:
		rfs_sample(c);
		return 0;
	case RFS_MODE_PAIRS:
		error = rfs_pairs_mode(c, why, n);
		if (error)
			return error;
		rfs_limits_by_controlled_runs(c);
		rfs_confirm(c);
		if (options->explore_given)
			rfs_explore(c);
		return 0;
	case RFS_MODE_CAMPAIGN:
	case RFS_MODE_REPLAY:
	case RFS_MODE_VERIFY:
	case RFS_MODE_SIMPLIFY:
		break;
	}
	rfs_limits_measure(c);
	rfs_predict(c);
	rfs_limits_by_controlled_runs(c);
	if (!concurrent(c))
		return 0;
	rfs_confirm(c);
	rfs_explore(c);
	return 0;
}

int rfs_campaign_run(const struct rfs_campaign_settings *settings, struct rfs_report *report, char *why, size_t n)
{
	struct rfs_campaign c = {
		.settings = *settings,
		.options = settings->options,
		.symbols = rfs_symbols_new(),
	};
	int error = open_campaign(&c, why, n);

	if (!error) {
		rfs_progress_init(&c.progress, settings->terminal);
		error = run_phases(&c, why, n);
		rfs_progress_end(&c.progress);
		rfs_campaign_report(&c, report);
		if (!error && c.end == RFS_POOL_FAILED)
			error = rfs_why(why, n, -EIO, "%s", c.why);
		if (error && c.n_pairs + c.n_findings == 0)
			discard_plain(&c);
	}
	close_campaign(&c);
	return error;
}
