#include "supervisor/generate/summary.h"

#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/generate/bug.h"
#include "supervisor/generate/c_program.h"
#include "supervisor/generate/library.h"
#include "supervisor/generate/options.h"
#include "supervisor/generate/session.h"

static const char *const verdicts[] = {
	[RFS_TYPE_NOTHING_FOUND] = "nothing found",
	[RFS_TYPE_UNSAFE] = "thread-unsafe",
	[RFS_TYPE_NOT_MADE] = "not instantiated",
	[RFS_TYPE_NOT_USED] = "no method runs",
	[RFS_TYPE_SAID_UNSAFE] = "thread-unsafe, as the hints say",
	[RFS_TYPE_NOT_BEGUN] = "not tested",
};

static size_t count(const struct rfs_session_result *result, enum rfs_type_verdict verdict)
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

static void write_bug(const struct rfs_summary *summary, const struct rfs_type_result *type, FILE *out)
{
	const struct rfs_generated_bug *bug = type->bug;
	char *ending = ending_text(bug);

	fprintf(out, "THREAD-UNSAFE %s: %s, after %" PRIu64 " tests\n", type->type->name, ending, bug->n_tests);
	fprintf(out, "  first:\n");
	rfs_c_program_calls(&bug->test, summary->library, RFS_PREFIX, "    ", out);
	fprintf(out, "  then one thread:\n");
	rfs_c_program_calls(&bug->test, summary->library, RFS_SUFFIX_1, "    ", out);
	fprintf(out, "  and another one at the same time:\n");
	rfs_c_program_calls(&bug->test, summary->library, RFS_SUFFIX_2, "    ", out);
	fprintf(out, "  No failure in any of the %zu sequential orders of these calls.\n", bug->n_orders);
	if (bug->compiled)
		fprintf(out, "  program: %s\n", bug->source);
	else
		fprintf(out, "  not confirmed by a C program: %s\n", bug->why ? bug->why : "no C program");
	if (bug->record)
		fprintf(out, "  replay:  rfsup --replay %s\n", bug->record);
	fprintf(out, "\n");
	free(ending);
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

static void write_end(const struct rfs_summary *summary, FILE *out)
{
	const struct rfs_session_result *result = summary->result;
	uint64_t n_tests = 0;

	for (size_t i = 0; i < result->n_types; i++)
		n_tests += result->types[i].n_tests;
	fprintf(out,
		"\n%zu of %zu types are thread-unsafe; %zu have no finding; %zu could not be instantiated; %zu have "
		"no method that runs.\n",
		count(result, RFS_TYPE_UNSAFE), result->n_types, count(result, RFS_TYPE_NOTHING_FOUND),
		count(result, RFS_TYPE_NOT_MADE), count(result, RFS_TYPE_NOT_USED));
	fprintf(out, "%" PRIu64 " tests, %" PRIu64 " executions, %" PRIu64 " trials, seed %" PRIu64 ".\n", n_tests,
		result->n_executions, result->n_trials, summary->options->seed);
	if (count(result, RFS_TYPE_NOT_BEGUN))
		fprintf(out, "%zu types were not tested.\n", count(result, RFS_TYPE_NOT_BEGUN));
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
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die("out of memory");
	for (size_t i = 0; i < summary->result->n_types; i++)
		if (summary->result->types[i].bug)
			write_bug(summary, &summary->result->types[i], out);
	write_table(summary->result, out);
	write_end(summary, out);
	fclose(out);
	return text;
}

static json_t *calls_json(const struct rfs_summary *summary, const struct rfs_generated_bug *bug, int section)
{
	json_t *list = json_array();
	char *text, *rest = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die("out of memory");
	rfs_c_program_calls(&bug->test, summary->library, section, "", out);
	fclose(out);
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		json_array_append_new(list, json_string(line));
	free(text);
	return list;
}

static void set_string(json_t *object, const char *key, const char *value)
{
	if (value)
		json_object_set_new(object, key, json_string(value));
}

static json_t *bug_json(const struct rfs_summary *summary, const struct rfs_generated_bug *bug)
{
	json_t *object = json_object();
	char *ending = ending_text(bug);

	set_string(object, "kind", rfs_ending_name(bug->ending));
	set_string(object, "failure", ending);
	json_object_set_new(object, "prefix", calls_json(summary, bug, RFS_PREFIX));
	json_object_set_new(object, "first", calls_json(summary, bug, RFS_SUFFIX_1));
	json_object_set_new(object, "second", calls_json(summary, bug, RFS_SUFFIX_2));
	json_object_set_new(object, "sequential_orders", json_integer((json_int_t)bug->n_orders));
	json_object_set_new(object, "tests", json_integer((json_int_t)bug->n_tests));
	json_object_set_new(object, "executions", json_integer((json_int_t)bug->n_executions));
	json_object_set_new(object, "confirmed", json_boolean(bug->confirmed));
	set_string(object, "program", bug->source);
	set_string(object, "command", bug->command);
	set_string(object, "record", bug->record);
	set_string(object, "why", bug->why);
	free(ending);
	return object;
}

static json_t *type_json(const struct rfs_summary *summary, const struct rfs_type_result *type)
{
	json_t *object = json_object();

	set_string(object, "name", type->type->name);
	set_string(object, "verdict", verdicts[type->verdict]);
	json_object_set_new(object, "tests", json_integer((json_int_t)type->n_tests));
	json_object_set_new(object, "independent", json_integer((json_int_t)type->n_independent));
	json_object_set_new(object, "sequential_failures", json_integer((json_int_t)type->n_sequential));
	json_object_set_new(object, "inconclusive", json_integer((json_int_t)type->n_inconclusive));
	json_object_set_new(object, "dismissed", json_integer((json_int_t)type->n_dismissed));
	json_object_set_new(object, "executions", json_integer((json_int_t)type->n_executions));
	json_object_set_new(object, "method_pairs", json_integer((json_int_t)type->n_pairs));
	json_object_set_new(object, "complete", json_boolean(type->complete));
	if (type->bug)
		json_object_set_new(object, "finding", bug_json(summary, type->bug));
	return object;
}

char *rfs_summary_json(const struct rfs_summary *summary)
{
	json_t *object = json_object(), *types = json_array();
	char *text, *line;

	set_string(object, "library", summary->path);
	json_object_set_new(object, "seed", json_integer((json_int_t)summary->options->seed));
	json_object_set_new(object, "complete", json_boolean(summary->result->end == RFS_POOL_DONE));
	json_object_set_new(object, "executions", json_integer((json_int_t)summary->result->n_executions));
	json_object_set_new(object, "trials", json_integer((json_int_t)summary->result->n_trials));
	for (size_t i = 0; i < summary->result->n_types; i++)
		json_array_append_new(types, type_json(summary, &summary->result->types[i]));
	json_object_set_new(object, "types", types);
	text = json_dumps(object, JSON_INDENT(2));
	json_decref(object);
	if (!text)
		die("out of memory");
	line = xasprintf("%s\n", text);
	free(text);
	return line;
}
