/* summary.c - the same parts in two forms, one after the other in this file. */
#include "supervisor/generate/output/summary.h"

#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/text/plural.h"
#include "supervisor/generate/library/library.h"
#include "supervisor/generate/options.h"
#include "supervisor/generate/output/untested.h"
#include "supervisor/generate/program/bug.h"
#include "supervisor/generate/program/c_program.h"
#include "supervisor/generate/session/session.h"
#include "supervisor/generate/tests/observation.h"
#include "supervisor/generate/tests/tried_methods.h"
#include "supervisor/report/machine/json_put.h"

static const char *const verdicts[] = {
	[RFS_TYPE_NOTHING_FOUND] = "nothing found",
	[RFS_TYPE_UNSAFE] = "thread-unsafe",
	[RFS_TYPE_NOT_MADE] = "not instantiated",
	[RFS_TYPE_NOT_USED] = "no method runs",
	[RFS_TYPE_SAID_UNSAFE] = "thread-unsafe, as the hints say",
	[RFS_TYPE_NOT_BEGUN] = "not tested",
};

static size_t summary_count(const struct rfs_session_result *result, enum rfs_type_verdict verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < result->n_types; i++)
		n += result->types[i].verdict == verdict;
	return n;
}

/* "memory error (SIGSEGV)", "exit (status 1)", "deadlock". Caller frees. */
static char *ending_text(const struct rfs_generated_bug *bug)
{
	const char *name = rfs_ending_name(bug->ending), *signal;

	switch (bug->ending) {
	case RFS_ENDING_MEMORY:
	case RFS_ENDING_ABORT:
	case RFS_ENDING_SIGNAL:
		signal = sigabbrev_np(bug->detail);
		return signal ? xasprintf("%s (SIG%s)", name, signal) : xasprintf("%s %d", name, bug->detail);
	case RFS_ENDING_EXIT:
		return xasprintf("%s (status %d)", name, bug->detail);
	default:
		return xstrdup(name);
	}
}

/* "counter_add() = 1, counter_get() = 1". */
static void write_results(const struct rfs_summary *summary, const struct rfs_generated_bug *bug, FILE *out)
{
	const struct rfs_wrong_result *results = &bug->results;

	fprintf(out, "  Results: ");
	for (size_t i = 0; i < results->n; i++) {
		char *name = rfs_observation_name(&results->observations[i], &bug->test, summary->library);

		fprintf(out, "%s%s = %s", i ? ", " : "", name, results->observed.values[i]);
		free(name);
	}
	fprintf(out, ".\n  The %zu sequential orders of these calls give other results:\n", bug->n_orders);
	for (size_t i = 0; i < results->n_possible; i++) {
		fprintf(out, "    ");
		for (size_t k = 0; k < results->n; k++)
			fprintf(out, "%s%s", k ? ", " : "", results->possible[i].values[k]);
		fprintf(out, "\n");
	}
}

static void summary_write_story(const char *story, FILE *out)
{
	fprintf(out, "  The program fails like this:\n");
	while (*story) {
		size_t n = strcspn(story, "\n");

		fprintf(out, "    %.*s\n", (int)n, story);
		story += n + (story[n] == '\n');
	}
}

static void summary_write_bug(const struct rfs_summary *summary, const struct rfs_type_result *type,
			      const struct rfs_generated_bug *bug, FILE *out)
{
	char *ending = ending_text(bug);

	fprintf(out, "THREAD-UNSAFE %s%s: %s, after %" PRIu64 " test%s\n", type->type->name,
		type->type->claim == RFS_CLAIM_SAFE ? " (safe, as the hints say)" : "", ending, bug->n_tests,
		rfs_plural(bug->n_tests));
	fprintf(out, "  first:\n");
	rfs_c_program_calls(&bug->test, summary->library, RFS_PREFIX, "    ", out);
	fprintf(out, "  then one thread:\n");
	rfs_c_program_calls(&bug->test, summary->library, RFS_SUFFIX_1, "    ", out);
	fprintf(out, "  and another one at the same time:\n");
	rfs_c_program_calls(&bug->test, summary->library, RFS_SUFFIX_2, "    ", out);
	if (bug->test.n[RFS_STATE] && bug->results.n) {
		fprintf(out, "  and after both:\n");
		rfs_c_program_calls(&bug->test, summary->library, RFS_STATE, "    ", out);
	}
	if (bug->results.n)
		write_results(summary, bug, out);
	else
		fprintf(out, "  No failure in any of the %zu sequential orders of these calls.\n", bug->n_orders);
	if (bug->involved)
		fprintf(out, "  It comes from %s.\n", bug->involved);
	if (bug->same_as)
		fprintf(out, "  The finding of %s has the same cause.\n", bug->same_as);
	if (bug->n_again)
		fprintf(out, "  %" PRIu64 " later test%s failed because of it too.\n", bug->n_again,
			rfs_plural(bug->n_again));
	if (bug->story)
		summary_write_story(bug->story, out);
	if (bug->compiled)
		fprintf(out, "  program: %s\n", bug->source);
	else
		fprintf(out, "  not confirmed by a C program: %s\n", bug->why ? bug->why : "no C program");
	if (bug->record)
		fprintf(out, "  replay:  rfsup --replay %s\n", bug->record);
	fprintf(out, "\n");
	free(ending);
}

static void write_bugs(const struct rfs_summary *summary, const struct rfs_type_result *type, FILE *out)
{
	for (const struct rfs_generated_bug *bug = type->bug; bug; bug = bug->next)
		summary_write_bug(summary, type, bug, out);
}

/*
 * A library may have many unsafe types, and its documentation promises nothing of most of them. So a finding is shown
 * in full only if the user has asked for its type.
 */
static bool summary_is_shown(const struct rfs_summary *summary, const struct rfs_type_result *type)
{
	return type->bug && (type->type->claim == RFS_CLAIM_SAFE ||
			     (summary->options->types.n && rfs_type_is_finding(summary->result, type)));
}

static void write_unsafe(const struct rfs_summary *summary, FILE *out)
{
	const struct rfs_session_result *result = summary->result;
	bool any = false;

	for (size_t i = 0; i < result->n_types; i++) {
		const struct rfs_type_result *type = &result->types[i];

		if (!type->bug || summary_is_shown(summary, type))
			continue;
		if (!any)
			fprintf(out, "Types that are not thread-safe; no hint calls them safe:\n%-28s %-24s %8s  %s\n",
				"type", "failure", "tests", "program");
		any = true;
		for (const struct rfs_generated_bug *bug = type->bug; bug; bug = bug->next) {
			char *ending = ending_text(bug);

			fprintf(out, "%-28s %-24s %8" PRIu64 "  %s\n", type->type->name, ending, bug->n_tests,
				bug->source);
			free(ending);
		}
	}
	if (any)
		fprintf(out, "\n");
}

static void write_table(const struct rfs_session_result *result, FILE *out)
{
	fprintf(out, "%-28s %8s %12s %11s %7s  %s\n", "type", "tests", "independent", "sequential", "pairs", "verdict");
	for (size_t i = 0; i < result->n_types; i++) {
		const struct rfs_type_result *type = &result->types[i];

		if (type->n_tests)
			fprintf(out, "%-28s %8" PRIu64 " %12" PRIu64 " %11" PRIu64 " %7zu  %s\n", type->type->name,
				type->n_tests, type->n_independent, type->n_sequential, type->n_pairs,
				verdicts[type->verdict]);
	}
}

/* The types that have no tests, and why. */
static void write_untested(const struct rfs_summary *summary, FILE *out)
{
	const struct rfs_session_result *result = summary->result;

	for (size_t i = 0; i < result->n_types; i++) {
		const struct rfs_type_result *type = &result->types[i];
		char *why = rfs_untested_why(summary->library, &result->tried, type);

		if (why)
			fprintf(out, "%-28s %s: %s\n", type->type->name, verdicts[type->verdict], why);
		free(why);
	}
}

/* What happened in trials. */
static void write_trials(const struct rfs_trial_counts *trials, bool has_network, FILE *out)
{
	fprintf(out, "Trials: %" PRIu64 " crashed, %" PRIu64 " ended the process, %" PRIu64 " did not return",
		trials->ends[RFS_TRIAL_SIGNAL], trials->ends[RFS_TRIAL_EXIT], trials->ends[RFS_TRIAL_LATE]);
	if (trials->processes)
		fprintf(out, ", %" PRIu64 " tried to start or signal a process", trials->processes);
	if (trials->network)
		fprintf(out, ", %" PRIu64 " tried to use the network", trials->network);
	if (trials->memory)
		fprintf(out, ", %" PRIu64 " used too much memory", trials->memory);
	if (trials->deaths)
		fprintf(out, ", %" PRIu64 " ended the process that starts the trials", trials->deaths);
	fprintf(out, ".\n");
	if (trials->network && !has_network)
		fprintf(out, "Sockets were refused, because this machine does not allow tests a private network.\n");
}

static void write_methods(const struct rfs_tried_methods *tried, FILE *out)
{
	size_t returned, n = rfs_tried_methods_methods(tried, &returned), n_dropped = 0;

	fprintf(out, "Methods: %zu were tried, and %zu of them returned at least once.\n", n, returned);
	for (size_t i = 0; i < tried->library->n_functions; i++)
		n_dropped += rfs_tried_methods_is_dropped(tried, i);
	if (n_dropped)
		fprintf(out,
			"%zu functions were not called any more, because their calls failed or freed the object "
			"(report.json).\n",
			n_dropped);
}

static void summary_write_end(const struct rfs_summary *summary, FILE *out)
{
	const struct rfs_session_result *result = summary->result;
	size_t n_safe = 0, n_findings = 0;
	uint64_t n_tests = 0;

	for (size_t i = 0; i < result->n_types; i++) {
		n_tests += result->types[i].n_tests;
		n_safe += result->types[i].type->claim == RFS_CLAIM_SAFE;
		n_findings += rfs_type_is_finding(result, &result->types[i]);
	}
	fprintf(out,
		"\n%zu of %zu types are thread-unsafe; %zu have no finding; %zu could not be instantiated; %zu have "
		"no method that runs.\n",
		summary_count(result, RFS_TYPE_UNSAFE), result->n_types, summary_count(result, RFS_TYPE_NOTHING_FOUND),
		summary_count(result, RFS_TYPE_NOT_MADE), summary_count(result, RFS_TYPE_NOT_USED));
	fprintf(out, "%" PRIu64 " test%s, %" PRIu64 " executions, %" PRIu64 " trials, seed %" PRIu64 ".\n", n_tests,
		rfs_plural(n_tests), result->n_executions, result->trials.n, summary->options->seed);
	fprintf(out, "%zu predicted races, %zu of them created.\n", result->n_predicted, result->n_created);
	write_trials(&result->trials, result->private_network, out);
	write_methods(&result->tried, out);
	if (n_safe)
		fprintf(out, "The hints call %zu types safe, and %zu of these have findings.\n", n_safe, n_findings);
	if (summary_count(result, RFS_TYPE_SAID_UNSAFE))
		fprintf(out, "%zu types were not tested, because the hints call them unsafe.\n",
			summary_count(result, RFS_TYPE_SAID_UNSAFE));
	if (summary_count(result, RFS_TYPE_NOT_BEGUN))
		fprintf(out, "%zu types were not tested.\n", summary_count(result, RFS_TYPE_NOT_BEGUN));
	if (result->continues)
		fprintf(out, "The session was still running when this report was written.\n");
	switch (result->end) {
	case RFS_POOL_BUDGET:
		fprintf(out, "The budget of %g s ended before all tests were made.\n", summary->options->budget);
		break;
	case RFS_POOL_INTERRUPTED:
		fprintf(out, "Interrupted before all tests were made.\n");
		break;
	case RFS_POOL_FAILED:
		fprintf(out, "Stopped: %s.\n", result->why);
		break;
	default:
		break;
	}
	fprintf(out, "Directory: %s\n", summary->directory);
}

char *rfs_summary_text(const struct rfs_summary *summary)
{
	char *text;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	for (size_t i = 0; i < summary->result->n_types; i++)
		if (summary_is_shown(summary, &summary->result->types[i]))
			write_bugs(summary, &summary->result->types[i], out);
	write_unsafe(summary, out);
	write_table(summary->result, out);
	write_untested(summary, out);
	summary_write_end(summary, out);
	fclose(out);
	return text;
}

char *rfs_summary_bug(const struct rfs_summary *summary, const struct rfs_type_result *type,
		      const struct rfs_generated_bug *bug)
{
	char *text;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	summary_write_bug(summary, type, bug, out);
	fclose(out);
	return text;
}

char *rfs_summary_end(const struct rfs_summary *summary)
{
	char *text;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	write_table(summary->result, out);
	write_untested(summary, out);
	summary_write_end(summary, out);
	fclose(out);
	return text;
}

static json_t *calls_json(const struct rfs_summary *summary, const struct rfs_generated_bug *bug, int section)
{
	json_t *list = json_array();
	char *text, *rest = NULL;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	rfs_c_program_calls(&bug->test, summary->library, section, "", out);
	fclose(out);
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		rfs_json_append(list, rfs_json_text(line));
	free(text);
	return list;
}

static json_t *results_json(const struct rfs_summary *summary, const struct rfs_generated_bug *bug)
{
	const struct rfs_wrong_result *results = &bug->results;
	json_t *object = json_object(), *calls = json_array(), *orders = json_array();

	for (size_t i = 0; i < results->n; i++) {
		char *name = rfs_observation_name(&results->observations[i], &bug->test, summary->library);

		rfs_json_append(calls, rfs_json_text(name));
		free(name);
	}
	for (size_t i = 0; i < results->n_possible; i++)
		rfs_json_append(orders, rfs_json_strings(results->possible[i].values, results->n));
	rfs_json_put(object, "of", calls);
	rfs_json_put(object, "observed", rfs_json_strings(results->observed.values, results->n));
	rfs_json_put(object, "sequential", orders);
	return object;
}

static json_t *bug_json(const struct rfs_summary *summary, const struct rfs_generated_bug *bug)
{
	json_t *object = json_object();
	char *ending = ending_text(bug);

	rfs_json_put_text(object, "kind", rfs_ending_name(bug->ending));
	rfs_json_put_text(object, "failure", ending);
	rfs_json_put(object, "prefix", calls_json(summary, bug, RFS_PREFIX));
	rfs_json_put(object, "first", calls_json(summary, bug, RFS_SUFFIX_1));
	rfs_json_put(object, "second", calls_json(summary, bug, RFS_SUFFIX_2));
	if (bug->test.n[RFS_STATE])
		rfs_json_put(object, "after", calls_json(summary, bug, RFS_STATE));
	if (bug->results.n)
		rfs_json_put(object, "results", results_json(summary, bug));
	rfs_json_put_number(object, "sequential_orders", bug->n_orders);
	rfs_json_put_number(object, "tests", bug->n_tests);
	rfs_json_put_number(object, "executions", bug->n_executions);
	rfs_json_put_number(object, "again", bug->n_again);
	rfs_json_put(object, "confirmed", json_boolean(bug->confirmed));
	rfs_json_put_text(object, "program", bug->source);
	rfs_json_put_text(object, "command", bug->command);
	rfs_json_put_text(object, "record", bug->record);
	rfs_json_put_text(object, "involved", bug->involved);
	rfs_json_put_text(object, "same_as", bug->same_as);
	rfs_json_put_text(object, "page", bug->page);
	rfs_json_put_text(object, "story", bug->story);
	rfs_json_put_text(object, "why", bug->why);
	free(ending);
	return object;
}

static json_t *bugs_json(const struct rfs_summary *summary, const struct rfs_generated_bug *first)
{
	json_t *array = json_array();

	for (const struct rfs_generated_bug *bug = first; bug; bug = bug->next)
		rfs_json_append(array, bug_json(summary, bug));
	return array;
}

static json_t *type_json(const struct rfs_summary *summary, const struct rfs_type_result *type)
{
	json_t *object = json_object();
	char *why = rfs_untested_why(summary->library, &summary->result->tried, type);

	rfs_json_put_text(object, "name", type->type->name);
	rfs_json_put_text(object, "verdict", verdicts[type->verdict]);
	rfs_json_put_text(object, "why", why);
	free(why);
	rfs_json_put_number(object, "tests", type->n_tests);
	rfs_json_put_number(object, "independent", type->n_independent);
	rfs_json_put_number(object, "sequential_failures", type->n_sequential);
	rfs_json_put_number(object, "inconclusive", type->n_inconclusive);
	rfs_json_put_number(object, "dismissed", type->n_dismissed);
	rfs_json_put_number(object, "executions", type->n_executions);
	rfs_json_put_number(object, "method_pairs", type->n_pairs);
	rfs_json_put(object, "complete", json_boolean(type->complete));
	if (type->type->claim != RFS_CLAIM_NONE)
		rfs_json_put_text(object, "hint", type->type->claim == RFS_CLAIM_SAFE ? "safe" : "unsafe");
	if (type->bug) {
		rfs_json_put(object, "counts", json_boolean(rfs_type_is_finding(summary->result, type)));
		rfs_json_put(object, "finding", bug_json(summary, type->bug));
		if (type->bug->next)
			rfs_json_put(object, "other_findings", bugs_json(summary, type->bug->next));
	}
	return object;
}

static json_t *trials_json(const struct rfs_trial_counts *trials)
{
	json_t *object = json_object();

	rfs_json_put_number(object, "crashed", trials->ends[RFS_TRIAL_SIGNAL]);
	rfs_json_put_number(object, "ended", trials->ends[RFS_TRIAL_EXIT]);
	rfs_json_put_number(object, "hung", trials->ends[RFS_TRIAL_LATE]);
	rfs_json_put_number(object, "processes", trials->processes);
	rfs_json_put_number(object, "network", trials->network);
	rfs_json_put_number(object, "memory", trials->memory);
	rfs_json_put_number(object, "deaths", trials->deaths);
	return object;
}

static json_t *methods_json(const struct rfs_tried_methods *tried)
{
	json_t *object = json_object(), *never_returned = json_array(), *dropped = json_array();
	size_t returned, n = rfs_tried_methods_methods(tried, &returned);

	for (size_t i = 0; i < tried->library->n_functions; i++)
		if (rfs_tried_methods_never_returned(tried, i))
			rfs_json_append(never_returned, rfs_json_text(tried->library->functions[i].shown));
	for (size_t i = 0; i < tried->library->n_functions; i++)
		if (rfs_tried_methods_is_dropped(tried, i))
			rfs_json_append(dropped, rfs_json_text(tried->library->functions[i].shown));
	rfs_json_put_number(object, "tried", n);
	rfs_json_put_number(object, "returned", returned);
	rfs_json_put(object, "never_returned", never_returned);
	rfs_json_put(object, "dropped", dropped);
	return object;
}

char *rfs_summary_json(const struct rfs_summary *summary)
{
	json_t *object = json_object(), *types = json_array();
	char *text;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	rfs_json_put_text(object, "library", summary->path);
	rfs_json_put_number(object, "seed", summary->options->seed);
	rfs_json_put(object, "complete",
		     json_boolean(summary->result->end == RFS_POOL_DONE && !summary->result->continues));
	rfs_json_put_number(object, "executions", summary->result->n_executions);
	rfs_json_put_number(object, "served_executions", summary->result->n_served);
	rfs_json_put_number(object, "predicted_races", summary->result->n_predicted);
	rfs_json_put_number(object, "created_races", summary->result->n_created);
	rfs_json_put_number(object, "trials", summary->result->trials.n);
	rfs_json_put(object, "private_network", json_boolean(summary->result->private_network));
	rfs_json_put(object, "trial_ends", trials_json(&summary->result->trials));
	rfs_json_put(object, "methods", methods_json(&summary->result->tried));
	for (size_t i = 0; i < summary->result->n_types; i++)
		rfs_json_append(types, type_json(summary, &summary->result->types[i]));
	rfs_json_put(object, "types", types);
	rfs_json_print(object, out);
	fclose(out);
	return text;
}
