/* replay.c - restores what the record says, makes the run, and says how it compares. */
#include "supervisor/cli/recorded/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disasm/elf/elf.h"
#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/plugin.h"
#include "supervisor/base/processor.h"
#include "supervisor/base/tree.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/cli/recorded/told_cause.h"
#include "supervisor/cli/recorded/trust.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/checksum.h"
#include "supervisor/record/nondet.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/html/html.h"
#include "supervisor/report/html/timeline.h"
#include "supervisor/report/text/divergence.h"
#include "supervisor/symbols/symbolize.h"

static int replay_look_up(struct rfs_record *record, char *why, size_t n)
{
	const char *policy = record->execution.policy_path ? record->execution.policy_path : record->policy;
	struct rfs_run_spec *spec = &record->execution.spec;
	int error = rfs_policy_load(policy, &spec->policy, &record->execution.policy_path, why, n);

	if (error)
		return error;
	spec->detector = record->detector ? rfs_detector_find(record->detector) : NULL;
	if (record->detector && !spec->detector)
		return rfs_why(why, n, -EINVAL, "the record names the detector '%s', which this rfsup does not have",
			       record->detector);
	return 0;
}

/*
 * Compares the program and its libraries with those of the recorded run: by build-id, or by checksum if a file has no
 * build-id. If a file differs, returns false and writes a line into why.
 */
static bool same_modules(struct rfs_symbols *symbols, const struct rfs_record *record, char *why, size_t n)
{
	for (size_t i = 0; i < record->n_modules; i++) {
		const struct rfs_record_module *module = &record->modules[i];
		const struct rfs_elf *elf = rfs_symbols_elf(symbols, module->path);
		const char *id = elf ? rfs_elf_build_id(elf) : "";
		char content[RFS_CHECKSUM_SIZE] = "";
		bool same = strcmp(id, module->build_id) == 0;

		/* a module without a path, such as the vDSO, is not a file */
		if (module->path[0] != '/')
			continue;
		if (same && !*id && module->content) {
			same = rfs_checksum_file(module->path, content) == 0 && strcmp(content, module->content) == 0;
			if (!same) {
				rfs_why(why, n, 0,
					"%s is not the file of the recorded run: its checksum is %s, but the record "
					"has %s",
					module->path, *content ? content : "unreadable", module->content);
				return false;
			}
		}
		if (same)
			continue;
		rfs_why(why, n, 0, "%s is not the file of the recorded run: its build-id is %s, but the record has %s",
			module->path,
			!elf	? "unreadable"
			: id[0] ? id
				: "absent",
			module->build_id[0] ? module->build_id : "none");
		return false;
	}
	return true;
}

/* Whether this processor can repeat the run. Otherwise writes a line into why. */
static bool has_processor(const struct rfs_record *record, char *why, size_t n)
{
	const char *wanted = record->execution.spec.processor;
	char *lacks = wanted ? rfs_processor_lacks(wanted) : NULL;

	if (!lacks)
		return true;
	rfs_why(why, n, 0,
		"this processor lacks %s, which the program could use in the recorded run; replay it on a processor "
		"that has that",
		lacks);
	free(lacks);
	return false;
}

static int restore(const struct rfs_record *record, char *why, size_t n)
{
	if (chdir(record->execution.spec.process.cwd))
		return rfs_why(why, n, -errno, "cannot enter the working directory of the recorded run, %s: %s",
			       record->execution.spec.process.cwd, strerror(errno));
	umask(record->mask);
	for (size_t i = 0; i < record->n_limits; i++) {
		const struct rfs_record_limit *recorded = &record->limits[i];
		struct rlimit now;

		if (getrlimit(recorded->resource, &now))
			continue;
		/*
		 * Only the soft limit matters for a program. The hard limit is not changed, because a lowered hard
		 * limit could not be raised again.
		 */
		now.rlim_cur = recorded->limit.rlim_cur < now.rlim_max ? recorded->limit.rlim_cur : now.rlim_max;
		if (setrlimit(recorded->resource, &now))
			rfs_note("cannot set resource limit %d: %s", recorded->resource, strerror(errno));
	}
	if (record->execution.spec.job.fresh_root && rfs_tree_make(record->execution.spec.job.fresh_root))
		return rfs_why(why, n, -EIO, "cannot create the directory %s", record->execution.spec.job.fresh_root);
	return 0;
}

static char *replay_end_text(enum rfs_run_end end, int detail)
{
	struct rfs_run_result result = {.end = end, .detail = detail};
	struct rfs_signature signature;
	char *name, *text;

	if (end == RFS_END_EXIT && detail == 0)
		return xstrdup("a clean exit");
	if (!rfs_run_failed(&result, &signature))
		return xstrdup(rfs_run_end_name(end));
	name = rfs_signature_detail(&signature);
	text = name ? xasprintf("%s (%s)", rfs_failure_name(signature.kind), name)
		    : xstrdup(rfs_failure_name(signature.kind));
	free(name);
	return text;
}

static char *replay_race_text(struct rfs_symbols *symbols, const struct rfs_run_result *result)
{
	char *sides[2], *text;

	if (!result->n_created)
		return xstrdup("");
	for (int k = 0; k < 2; k++)
		sides[k] = rfs_symbols_text(symbols, &result->created.side[k].site, false);
	text = xasprintf("; the race of %s and %s was created", sides[0], sides[1]);
	free(sides[0]);
	free(sides[1]);
	return text;
}

/*
 * Whether a replayed run shows a finding, by the rules of a campaign. A race does not count if it may be one of legal
 * atomics, unless it is a use after free. A failure does not count if every baseline run shows it.
 */
static bool is_finding(struct rfs_symbols *symbols, const struct rfs_record *record,
		       const struct rfs_run_result *result)
{
	struct rfs_signature signature;

	if (result->n_created &&
	    (rfs_race_is_use_after_free(&result->created) || !rfs_pair_is_unclear(symbols, &result->created)))
		return true;
	return rfs_run_failed(result, &signature) && !record->execution.plain_failure;
}

static void tell_timeout(const struct rfs_record *record)
{
	const double limit = record->execution.spec.limits.timeout;

	if (record->ended && record->seconds > limit)
		rfs_error("replay: timed out after %g s, but the recorded run took %.1f s; increase --timeout", limit,
			  record->seconds);
	else
		rfs_error("replay: timed out after %g s; increase --timeout", limit);
}

/* Whether a process that is not controlled gets something from outside, which is not recorded. */
static bool replay_lacks_client(const struct rfs_run_result *result)
{
	return result->nondet.kinds & 1u << RFS_NONDET_UNRECORDED;
}

/* What a run that differs from the record depends on, as the end of a sentence: nothing that is known, or the client.
 */
static const char *replay_lacks(const struct rfs_run_result *result)
{
	return replay_lacks_client(result) ? "; a process that is not controlled uses a socket, and what the client "
					     "(--drive) sends it is not recorded"
					   : "";
}

/* The likely cause of a difference, if no trace shows where it begins. */
static const char *likely_cause(const struct rfs_run_result *result)
{
	const char *cause = rfs_nondet_cause(result->nondet.kinds);

	if (replay_lacks_client(result))
		return "the client";
	return cause ? cause : "a file that the program reads, or the date of one, has changed";
}

/* Compares the run with the record, prints how it ended, and chooses the exit status. */
static enum rfs_exit replay_judge(struct rfs_symbols *symbols, const struct rfs_record *record,
				  const struct rfs_run_result *result)
{
	char *end = replay_end_text(result->end, result->detail), *race = replay_race_text(symbols, result);
	bool found = is_finding(symbols, record, result);
	enum rfs_exit exit = found ? RFS_EXIT_FINDING : RFS_EXIT_CLEAN;

	if (result->end == RFS_END_DIVERGED || result->end == RFS_END_UNCONTROLLED) {
		rfs_error("replay: %s: %s%s", end, result->message ? result->message : "unknown reason",
			  result->end == RFS_END_DIVERGED ? replay_lacks(result) : "");
		rfs_divergence_print(symbols, result, stderr);
		exit = RFS_EXIT_UNCONTROLLED;
	} else if (result->end == RFS_END_TIMEOUT) {
		tell_timeout(record);
		exit = RFS_EXIT_INCOMPLETE;
	} else if (result->end == RFS_END_STOPPED) {
		rfs_say("replay: ended in the debugger%s", race);
		exit = RFS_EXIT_INCOMPLETE;
	} else if (record->ended && !rfs_run_ended_as(result, record->end, record->detail, record->hash)) {
		char *recorded = replay_end_text(record->end, record->detail);

		if (result->end == record->end && result->detail == record->detail)
			rfs_error("replay: diverged: this run ended with %s, like the recorded run, but its operations "
				  "differ; likely cause: %s%s",
				  end, likely_cause(result), replay_lacks(result));
		else
			rfs_error("replay: diverged: this run ended with %s, the recorded run with %s%s", end, recorded,
				  replay_lacks(result));
		free(recorded);
		exit = RFS_EXIT_UNCONTROLLED;
	} else if (!record->ended) {
		rfs_say("replay: %s%s (the record has no outcome to compare with)", end, race);
	} else {
		rfs_say("replay: same as the recorded run: %s%s%s", end, race, replay_lacks(result));
	}
	free(end);
	free(race);
	return exit;
}

/* What else is made of a replay. */
struct shown {
	const char *record;   /* the record, as the user has named it */
	const char *page;     /* of HTML; NULL: none */
	const char *timeline; /* NULL: none */
	const char *cause;    /* what the report says about the run; NULL: not known */
};

/*
 * Writes the files of a run that was the same as the recorded one. Returns `exit`, or RFS_EXIT_INPUT if one could not
 * be written.
 */
static enum rfs_exit replay_draw(struct rfs_symbols *symbols, const struct rfs_record *record,
				 const struct rfs_run_result *result, const struct shown *shown, enum rfs_exit exit)
{
	char *outcome = replay_end_text(result->end, result->detail), why[1024];
	char *title = rfs_told_line(shown->cause, 0), *cause = rfs_told_line(shown->cause, 1);
	const struct rfs_page page = {
		.record = record,
		.record_path = shown->record,
		.result = result,
		.symbols = symbols,
		.outcome = outcome,
		.title = title,
		.cause = cause,
	};

	if ((shown->page && rfs_html_write(&page, shown->page, why, sizeof(why)) < 0) ||
	    (shown->timeline && rfs_timeline_write(&page, shown->timeline, why, sizeof(why)) < 0)) {
		rfs_error("%s", why);
		exit = RFS_EXIT_INPUT;
	}
	free(outcome);
	free(title);
	free(cause);
	return exit;
}

enum rfs_exit rfs_replay_prepare(struct rfs_symbols *symbols, const char *path, bool trusted, struct rfs_record *record)
{
	char why[1024], *absolute = realpath(path, NULL);

	if (!absolute)
		die("%s: %s", path, strerror(errno));
	if (rfs_record_read(absolute, record, why, sizeof(why)))
		die("%s", why);
	free(absolute);
	if (record->foreign) {
		rfs_trust_show(record, stderr);
		if (!trusted)
			die("%s is not your file, or others may write to it; if you trust all of the above, add "
			    "--trust",
			    path);
	}
	/* this loads the policy of a shared object, so it comes after the question of trust */
	if (replay_look_up(record, why, sizeof(why)))
		die("%s", why);
	if (access(record->execution.spec.process.path, X_OK))
		die("cannot run the program of the recorded run, %s: %s", record->execution.spec.process.path,
		    strerror(errno));
	if (!has_processor(record, why, sizeof(why)) || !same_modules(symbols, record, why, sizeof(why))) {
		rfs_error("%s", why);
		rfs_record_release(record);
		return RFS_EXIT_UNCONTROLLED;
	}
	if (restore(record, why, sizeof(why)))
		die("%s", why);
	return RFS_EXIT_CLEAN;
}

static enum rfs_exit run_record(struct rfs_symbols *symbols, struct rfs_record *record, const struct shown *shown,
				int cancel_fd, rfs_run_fn *run)
{
	const struct rfs_pool_settings settings = {.run = run, .jobs = 1, .cancel_fd = cancel_fd};
	struct rfs_run_result result;
	struct rfs_pool *pool;
	enum rfs_exit exit;
	char why[1024] = "";

	if (rfs_pool_new(&settings, &pool))
		die("cannot start a job");
	switch (rfs_pool_run_one(pool, &record->execution, true, &result, NULL, why, sizeof(why))) {
	case RFS_POOL_DONE:
		exit = replay_judge(symbols, record, &result);
		if (record->execution.spec.detector)
			rfs_note("replay: predicted %zu pairs, checksum %016" PRIx64, result.prediction.n,
				 rfs_prediction_checksum(&result.prediction));
		if ((shown->page || shown->timeline) && (exit == RFS_EXIT_FINDING || exit == RFS_EXIT_CLEAN))
			exit = replay_draw(symbols, record, &result, shown, exit);
		rfs_run_result_release(&result);
		break;
	case RFS_POOL_FAILED:
		rfs_error("%s", why);
		exit = RFS_EXIT_INPUT;
		break;
	default:
		rfs_error("replay: interrupted");
		exit = RFS_EXIT_INCOMPLETE;
	}
	rfs_pool_free(pool);
	if (record->execution.spec.job.fresh_root)
		rmdir(record->execution.spec.job.fresh_root);
	return exit;
}

/* The path of a file to write, made absolute before the working directory changes. NULL for NULL. Caller frees. */
static char *absolute_path(const char *path)
{
	char folder[4096];

	if (!path)
		return NULL;
	if (*path != '/' && getcwd(folder, sizeof(folder)))
		return xasprintf("%s/%s", folder, path);
	return xstrdup(path);
}

enum rfs_exit rfs_replay(const char *path, const struct rfs_replay_also *also, int cancel_fd, rfs_run_fn *run)
{
	struct rfs_symbols *symbols = rfs_symbols_new();
	struct rfs_gdb_settings debugger;
	struct rfs_gdb *kept = NULL;
	struct rfs_record record;
	char why[1024], *page = also ? absolute_path(also->page) : NULL,
			*timeline = also ? absolute_path(also->timeline) : NULL;
	char *cause = also && (also->gdb || page) ? rfs_told_cause(path) : NULL;
	const struct shown shown = {.record = path, .page = page, .timeline = timeline, .cause = cause};
	enum rfs_exit exit = rfs_replay_prepare(symbols, path, also && also->trusted, &record);

	if (exit == RFS_EXIT_CLEAN) {
		if (record.trace && access(record.trace, R_OK) == 0)
			record.execution.spec.trace.in = record.trace;
		else if (record.trace)
			rfs_warn("%s is missing; only the outcome of the run is compared", record.trace);
		if (record.input)
			record.execution.spec.input.in = record.input;
		if (also && also->timeout > 0)
			record.execution.spec.limits.timeout = also->timeout;
		if ((page && rfs_html_check(&record, "html", page, why, sizeof(why))) ||
		    (timeline && rfs_html_check(&record, "trace", timeline, why, sizeof(why))))
			die("%s", why);
		if (also && also->gdb) {
			debugger = *also->gdb;
			debugger.symbols = symbols;
			debugger.cause = cause;
			debugger.kept = &kept;
			record.execution.spec.gdb = &debugger;
			record.execution.spec.limits.timeout = 0;
		}
		exit = run_record(symbols, &record, &shown, cancel_fd, run);
		rfs_record_release(&record);
	}
	rfs_symbols_free(symbols);
	free(page);
	free(timeline);
	free(cause);
	return exit;
}
