/* passes.c - what happens between the two passes, and what is joined of their results. */
#include "supervisor/pool/passes.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policy/passes.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/pool/job_process.h"
#include "supervisor/pool/pool-priv.h"
#include "supervisor/pool/wire.h"
#include "supervisor/record/nondet.h"
#include "supervisor/record/run_result.h"

void rfs_passes_begin(struct rfs_entry *entry)
{
	const struct rfs_execution *execution = &entry->execution;

	entry->detector = execution->spec.detector;
	entry->pass =
		execution->two_passes && entry->detector && entry->detector->passes ? RFS_PASS_FIRST : RFS_PASS_ONLY;
}

void rfs_passes_give(struct rfs_entry *entry)
{
	struct rfs_run_spec *spec = &entry->execution.spec;

	switch (entry->pass) {
	case RFS_PASS_ONLY:
		break;
	case RFS_PASS_FIRST:
		spec->detector = entry->detector->passes->first;
		break;
	case RFS_PASS_SECOND:
		spec->detector = entry->detector->passes->second;
		spec->detector_blob = &entry->first.result.suspects;
		spec->input.in = entry->input;
		break;
	}
}

void rfs_passes_end(struct rfs_entry *entry)
{
	struct rfs_run_spec *spec = &entry->execution.spec;

	if (entry->pass != RFS_PASS_ONLY)
		spec->detector = entry->detector;
	if (entry->pass == RFS_PASS_SECOND) {
		spec->detector_blob = NULL;
		spec->input.in = NULL;
	}
	entry->pass = RFS_PASS_ONLY;
	rfs_reply_release(&entry->first);
	free(entry->input);
	entry->input = NULL;
}

/* The end of such a run depends on how fast the run was, so another execution may end elsewhere. */
static bool ended_by_time(const struct rfs_run_result *result)
{
	return result->end == RFS_END_TIMEOUT || (result->end == RFS_END_HANG && result->detail == 0);
}

/* rfsup itself sends SIGTERM to a server when the load driver has ended. */
static bool has_ended_well(const struct rfs_run_result *result)
{
	return (result->end == RFS_END_EXIT && result->detail == 0) ||
	       (result->end == RFS_END_SIGNAL && result->detail == SIGTERM && result->told_to_end);
}

/* Whether it has failed by itself. With recorded input, another course may fail because the input does not fit. */
static bool has_failed(const struct rfs_run_result *result)
{
	return (result->end == RFS_END_EXIT || result->end == RFS_END_SIGNAL || result->end == RFS_END_DEADLOCK) &&
	       !has_ended_well(result);
}

/* The result of the first pass is that of the execution. Its suspects are no longer needed, and may be large. */
static void keep_first(struct rfs_entry *entry)
{
	rfs_reply_release(&entry->reply);
	entry->reply = entry->first;
	entry->first = (struct rfs_reply){0};
	free(entry->reply.result.suspects.data);
	entry->reply.result.suspects = (struct rfs_blob){0};
}

/* What the first pass has recorded of the outside; NULL: nothing. */
static char *recorded_input(const struct rfs_pool_settings *settings, const struct rfs_entry *entry)
{
	char *path;

	if (!settings->records || !(entry->reply.result.nondet.kinds & RFS_NONDET_RECORDED))
		return NULL;
	path = rfs_job_input(settings, entry->execution.name);
	if (access(path, R_OK) == 0)
		return path;
	free(path);
	return NULL;
}

static void add_warning(struct rfs_run_result *result, const char *line)
{
	result->warnings = xreallocarray(result->warnings, result->n_warnings + 1, sizeof(*result->warnings));
	result->warnings[result->n_warnings++] = xstrdup(line);
}

static void warn_of_difference(struct rfs_run_result *result, const char *line)
{
	result->differed = true;
	add_warning(result, line);
}

#define DIFFERED                                                                                                       \
	"a predicting run was repeated to find the statements of its races, but the repetition took another course: "  \
	"something outside rfsup's control may differ between runs"

#define OVERWRITTEN                                                                                                    \
	"memory that rfsup had mapped for its stubs was changed by a store or a system call of the program, which "    \
	"may use a wild pointer; predicting runs are made in one pass, which does not need this memory"

#define REPETITION_FAILED                                                                                              \
	"a predicting run failed only in its repetition: something outside rfsup's control differs between runs. The " \
	"output that is saved is that of its first execution, which did not fail"

/* The first pass has ended. */
static bool begin_second(const struct rfs_pool_settings *settings, struct rfs_entry *entry)
{
	const struct rfs_run_result *result = &entry->reply.result;

	if (entry->reply.error || result->end == RFS_END_CANCELLED)
		return false;
	if (ended_by_time(result)) {
		rfs_note("run %s: the first pass was cut short; the run is made again in one pass",
			 entry->execution.name);
		entry->slow = true;
		rfs_passes_end(entry);
		rfs_reply_release(&entry->reply);
		return true;
	}
	if (result->overwritten) {
		rfs_passes_end(entry);
		if (has_ended_well(result)) {
			rfs_reply_release(&entry->reply);
			entry->overwritten = true;
			return true;
		}
		warn_of_difference(&entry->reply.result, OVERWRITTEN "; this run has predicted nothing");
		return false;
	}
	if (!result->suspects.size)
		return false;
	rfs_note("run %s: the first pass found places of races; the run is repeated to find their statements",
		 entry->execution.name);
	entry->input = recorded_input(settings, entry);
	entry->first = entry->reply;
	entry->reply = (struct rfs_reply){0};
	entry->pass = RFS_PASS_SECOND;
	return true;
}

/* Adds what the first pass cost. */
static void add_costs(struct rfs_run_costs *to, const struct rfs_run_costs *costs)
{
	to->wall_seconds += costs->wall_seconds;
	to->own_cpu_seconds += costs->own_cpu_seconds;
	/* the limits of later runs come from the time that one execution needs */
	if (costs->cpu_seconds > to->cpu_seconds)
		to->cpu_seconds = costs->cpu_seconds;
}

/*
 * The second pass differs from the first one. So the run is made a third time, in one pass. But a failure of the first
 * pass must not get lost, because the third run may not fail.
 */
static bool repeat_whole(struct rfs_entry *entry)
{
	const bool overwritten = entry->reply.result.overwritten;

	if (has_ended_well(&entry->first.result)) {
		rfs_reply_release(&entry->reply);
		entry->differed = !overwritten;
		entry->overwritten = overwritten;
		rfs_passes_end(entry);
		return true;
	}
	keep_first(entry);
	warn_of_difference(&entry->reply.result,
			   overwritten ? OVERWRITTEN "; this run has predicted nothing"
				       : DIFFERED
				   "; this run has predicted nothing (--no-two-pass avoids repetitions)");
	return false;
}

/*
 * The second pass has no result: its process died, or the pool stops. A failure of the first pass must not get lost.
 * False: the first pass has not failed, or this is no second pass.
 */
bool rfs_passes_keep_failure(struct rfs_entry *entry)
{
	struct rfs_run_result *result = &entry->reply.result;

	if (entry->pass != RFS_PASS_SECOND || has_ended_well(&entry->first.result))
		return false;
	keep_first(entry);
	entry->unrepeated = true;
	add_warning(result, "a predicting run failed, and its repetition, which finds the statements of its races, "
			    "did not end; this run has predicted nothing");
	return true;
}

/* Each pass has the whole limit of memory, and each may have reached it. */
static void passes_add_memory(struct rfs_run_result *to, const struct rfs_run_result *result)
{
	const struct rfs_detector_memory *memory = &result->counts.memory;
	const bool reached = to->counts.memory.forgotten;

	if (memory->peak > to->counts.memory.peak)
		to->counts.memory.peak = memory->peak;
	to->counts.memory.forgotten += memory->forgotten;
	/* the warning about the limit is the only one that may be in the second pass alone */
	for (size_t i = 0; memory->forgotten && !reached && i < result->n_warnings; i++)
		add_warning(to, result->warnings[i]);
}

/* What differs between the passes, as a text; NULL: nothing. */
static const char *passes_difference(const struct rfs_run_result *a, const struct rfs_run_result *b)
{
	if (b->overwritten)
		return "the program wrote to the memory of the stubs";
	if (a->end != b->end || a->detail != b->detail)
		return "its end";
	if (!rfs_run_ended_as(a, b->end, b->detail, b->hash))
		return "its operations";
	/* a trace has no raw addresses, so equal hashes do not show that addresses are equal */
	if (a->addresses != b->addresses)
		return "the addresses of its accesses";
	if (a->suspects.size < RFS_PASSES_CHECK || b->suspects.size < RFS_PASSES_CHECK ||
	    memcmp(a->suspects.data, b->suspects.data, RFS_PASSES_CHECK) != 0)
		return "the memory or the messages of its events";
	return NULL;
}

/*
 * The second pass was slower than the first one. If that has failed, its failure must not get lost. Otherwise the run
 * is made again, in one pass.
 */
static bool repeat_slow(struct rfs_entry *entry)
{
	if (rfs_passes_keep_failure(entry))
		return false;
	rfs_note("run %s: the second pass was cut short; the run is made again in one pass", entry->execution.name);
	entry->slow = true;
	entry->overwritten = entry->reply.result.overwritten;
	rfs_passes_end(entry);
	rfs_reply_release(&entry->reply);
	return true;
}

/*
 * The second pass has ended. If it is the same run, the result is that of the first pass, which got the input from
 * outside, with the pairs of the second one.
 */
static bool end_second(struct rfs_entry *entry)
{
	struct rfs_run_result *first = &entry->first.result, *second = &entry->reply.result;
	const struct rfs_prediction pairs = second->prediction;
	struct rfs_misuse *const misuses = first->misuses;
	const size_t n_misuses = first->n_misuses;
	const char *differs;

	if (entry->reply.error || second->end == RFS_END_CANCELLED) {
		(void)rfs_passes_keep_failure(entry);
		return false;
	}
	differs = passes_difference(first, second);
	if (differs && ended_by_time(second))
		return repeat_slow(entry);
	if (differs && !entry->input && has_ended_well(first) && has_failed(second)) {
		rfs_note("run %s: the repetition failed", entry->execution.name);
		warn_of_difference(second, second->overwritten ? OVERWRITTEN : REPETITION_FAILED);
		second->restart = RFS_RESTART_SPIN_READ; /* what it has learnt is for later runs */
		return false;
	}
	if (differs) {
		rfs_note("run %s: the repetition differs: %s", entry->execution.name, differs);
		return repeat_whole(entry);
	}
	second->prediction = first->prediction;
	first->prediction = pairs;
	/* the calls of handlers that are not async-signal-safe are found as pairs, too */
	first->misuses = second->misuses;
	first->n_misuses = second->n_misuses;
	second->misuses = misuses;
	second->n_misuses = n_misuses;
	add_costs(&first->costs, &second->costs);
	first->counts.dropped += second->counts.dropped;
	passes_add_memory(first, second);
	keep_first(entry);
	return false;
}

bool rfs_passes_continue(const struct rfs_pool_settings *settings, struct rfs_entry *entry)
{
	switch (entry->pass) {
	case RFS_PASS_FIRST:
		return begin_second(settings, entry);
	case RFS_PASS_SECOND:
		return end_second(entry);
	case RFS_PASS_ONLY:
		entry->reply.result.differed |= entry->slow;
		if (entry->overwritten && !entry->reply.error)
			warn_of_difference(&entry->reply.result, OVERWRITTEN);
		if (entry->differed && !entry->reply.error)
			warn_of_difference(&entry->reply.result,
					   DIFFERED "; the run was made a third time, without a repetition "
						    "(--fresh-dir or --setup may help)");
		break;
	}
	return false;
}
