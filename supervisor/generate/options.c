/* options.c - the table for argp(3). Options of campaigns are in cli/options/. */
#include "supervisor/generate/options.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/text/number.h"
#include "supervisor/record/run_spec.h"

#define TESTS_MAX 10000000
#define RUNS_MAX 1000000
#define JOBS_MAX 999 /* the names of lanes have three digits (executor.c) */
#define BUDGET_MAX 1e7

enum key {
	KEY_GENERATE = 256,
	KEY_HEADER,
	KEY_CFLAGS,
	KEY_TYPE,
	KEY_ONLY,
	KEY_SKIP,
	KEY_INIT,
	KEY_HINTS,
	KEY_LIST,
	KEY_TESTS,
	KEY_RUNS,
	KEY_FINDINGS,
	KEY_BUDGET,
	KEY_SEED,
	KEY_RESULTS,
	KEY_NO_RESULTS,
	KEY_FORMAT,
	KEY_VERBOSE,
};

static const struct argp_option option_rows[] = {
	{NULL, 0, NULL, 0, "What to test:", 1},
	{"generate", KEY_GENERATE, "LIB", 0, "Generate concurrent tests for this shared library", 1},
	{"header", KEY_HEADER, "FILE", 0,
	 "A header of the library, as in #include, with a path or found by --cflags; may be repeated", 1},
	{"cflags", KEY_CFLAGS, "WORDS", 0, "Options for the compiler, for example the output of pkg-config --cflags",
	 1},
	{"type", KEY_TYPE, "NAME", 0, "Test only this type; may be repeated (default: all types)", 1},
	{"only", KEY_ONLY, "GLOB", 0, "Call only functions whose names match one of these globs; may be repeated", 1},
	{"skip", KEY_SKIP, "GLOB", 0, "Never call functions whose names match one of these globs; may be repeated", 1},
	{"init", KEY_INIT, "FUNCTION", 0,
	 "Call this function, without arguments, before anything else; may be repeated", 1},
	{"hints", KEY_HINTS, "FILE", 0,
	 "What the headers do not say: types that are thread-safe, constructors, values of parameters", 1},
	{"list", KEY_LIST, NULL, 0,
	 "Only list the types with their constructors, methods and destructors, and what is left out", 1},
	{NULL, 0, NULL, 0, "How much:", 2},
	{"tests", KEY_TESTS, "N", 0, "Number of tests for each type (default: 1000)", 2},
	{"runs", KEY_RUNS, "N", 0,
	 "Number of schedules for every fourth test; the others get a quarter of it (default: 100)", 2},
	{"findings", KEY_FINDINGS, "N", 0, "Tests of a type end with so many findings (default: 1)", 2},
	{"budget", KEY_BUDGET, "TIME", 0, "Wall time limit, in seconds or as 5m or 1h (default: 600)", 2},
	{"jobs", 'j', "N", 0, "Number of tests that are executed at the same time (default: 1)", 2},
	{"seed", KEY_SEED, "S", 0, "All random choices follow from this number (default: 1)", 2},
	{"results", KEY_RESULTS, NULL, 0,
	 "Also report results of calls that no sequential order of them gives (default for C: only the state of the "
	 "object after both threads)",
	 2},
	{"no-results", KEY_NO_RESULTS, NULL, 0, "Report failures only, and no results and states", 2},
	{NULL, 0, NULL, 0, "Output:", 3},
	{"output", 'o', "DIR", 0, "Directory for tests, records and reports (default: rfsup.out.N, the next free N)",
	 3},
	{"format", KEY_FORMAT, "FORMAT", 0, "Format of standard output: text or json (default: text)", 3},
	{"quiet", 'q', NULL, 0, "Print no progress and no warnings", 3},
	{"verbose", KEY_VERBOSE, NULL, 0, "Print in more detail what is done", 3},
	{"help", 'h', NULL, 0, "Print this list", 3},
	{NULL, 0, NULL, 0, NULL, 0},
};

struct parse {
	struct rfs_generate_options *out;
	char *why;
	size_t n;
	int at; /* if argp stopped at a word with an error: the index of the word after it */
	bool failed;
};

static int options_refuse(struct parse *parse, const char *what)
{
	snprintf(parse->why, parse->n, "%s", what);
	parse->failed = true;
	return EINVAL;
}

static int options_add_word(struct rfs_words *words, const char *word)
{
	words->list = xreallocarray(words->list, words->n + 2, sizeof(*words->list));
	words->list[words->n++] = word;
	words->list[words->n] = NULL;
	return 0;
}

static int options_take_number(struct parse *parse, const char *name, const char *word, uint64_t min, uint64_t max,
			       uint64_t *out)
{
	if (rfs_number_parse(word, min, max, out) == 0)
		return 0;
	parse->failed = true;
	return -rfs_why(parse->why, parse->n, -EINVAL, "--%s: '%s' is not an integer between %llu and %llu", name, word,
			(unsigned long long)min, (unsigned long long)max);
}

static int take_budget(struct parse *parse, const char *word)
{
	if (rfs_seconds_parse(word, 0.01, BUDGET_MAX, &parse->out->budget) == 0)
		return 0;
	parse->failed = true;
	return -rfs_why(parse->why, parse->n, -EINVAL,
			"--budget: '%s' is not a time between 0.01 and %g seconds, such as 90, 5m or 1h", word,
			BUDGET_MAX);
}

static int take_format(struct parse *parse, const char *word)
{
	parse->out->json = strcmp(word, "json") == 0;
	return parse->out->json || strcmp(word, "text") == 0
		       ? 0
		       : options_refuse(parse, "--format: choose one of text and json");
}

static error_t take_generate_option(int key, char *word, struct argp_state *state)
{
	struct parse *parse = state->input;
	struct rfs_generate_options *out = parse->out;

	switch (key) {
	case KEY_GENERATE:
		out->library = word;
		out->help |= strcmp(word, "--help") == 0;
		return word[0] == '-' && !out->help
			       ? options_refuse(parse, "--generate needs a library: --generate LIB")
			       : 0;
	case KEY_HEADER:
		return options_add_word(&out->headers, word);
	case KEY_CFLAGS:
		out->cflags = word;
		return 0;
	case KEY_TYPE:
		return options_add_word(&out->types, word);
	case KEY_ONLY:
		return options_add_word(&out->only, word);
	case KEY_SKIP:
		return options_add_word(&out->skip, word);
	case KEY_INIT:
		return options_add_word(&out->init, word);
	case KEY_HINTS:
		out->hints = word;
		return 0;
	case KEY_RESULTS:
		out->results = RFS_RESULTS_ASKED;
		return 0;
	case KEY_NO_RESULTS:
		out->results = RFS_RESULTS_NEVER;
		return 0;
	case KEY_LIST:
		out->list = true;
		return 0;
	case KEY_TESTS:
		return options_take_number(parse, "tests", word, 1, TESTS_MAX, &out->tests);
	case KEY_RUNS:
		return options_take_number(parse, "runs", word, 1, RUNS_MAX, &out->runs);
	case KEY_FINDINGS:
		return options_take_number(parse, "findings", word, 1, TESTS_MAX, &out->findings);
	case KEY_BUDGET:
		return take_budget(parse, word);
	case 'j':
		return options_take_number(parse, "jobs", word, 1, JOBS_MAX, &out->jobs);
	case KEY_SEED:
		return options_take_number(parse, "seed", word, 0, RFS_SEED_END - 1, &out->seed);
	case 'o':
		out->output = word;
		return 0;
	case KEY_FORMAT:
		return take_format(parse, word);
	case 'q':
		out->quiet = true;
		return 0;
	case KEY_VERBOSE:
		out->verbose = true;
		return 0;
	case 'h':
		out->help = true;
		return 0;
	case ARGP_KEY_ARG:
		parse->failed = true;
		return -rfs_why(parse->why, parse->n, -EINVAL,
				"'%s' is not an option; --generate tests a library and takes no program", word);
	case ARGP_KEY_ERROR:
		parse->at = state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_rows,
	.parser = take_generate_option,
	.args_doc = "--generate LIB --header FILE",
	.doc = "Generates concurrent tests for a C or C++ library. Reports tests that fail although no sequential "
	       "order of "
	       "their calls fails. See rfsup-generate(1).",
};

/* The row of an option's long name; NULL: there is none. */
static const struct argp_option *row_of(const char *name)
{
	for (const struct argp_option *row = option_rows; row->name || row->doc; row++)
		if (row->name && strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

/* Whether the next word is the value of this one. */
static bool takes_next_word(const char *word)
{
	const struct argp_option *row;

	if (strncmp(word, "--", 2) == 0) {
		row = row_of(word + 2);
		return row && row->arg;
	}
	for (row = option_rows; row->name || row->doc; row++)
		if (row->key == word[1])
			return row->arg && !word[2];
	return false;
}

bool rfs_generate_is_meant(int argc, char **argv)
{
	for (int i = 1; i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "--generate") == 0 || strncmp(argv[i], "--generate=", 11) == 0)
			return true;
		if (takes_next_word(argv[i]))
			i++;
	}
	return false;
}

int rfs_generate_options_parse(int argc, char **argv, struct rfs_generate_options *out, char *why, size_t n)
{
	struct parse parse = {.out = out, .why = why, .n = n};
	const unsigned flags = ARGP_NO_ERRS | ARGP_NO_EXIT | ARGP_NO_HELP;

	*out = (struct rfs_generate_options){
		.tests = 1000, .runs = 100, .findings = 1, .budget = 600, .seed = 1, .jobs = 1};
	if (argp_parse(&argp, argc, argv, flags, NULL, &parse) && !parse.failed) {
		const char *word = parse.at > 0 && parse.at <= argc ? argv[parse.at - 1] : "";

		parse.failed = true;
		snprintf(why, n, "'%s' is not an option, or its argument is missing; see rfsup --generate --help",
			 word);
	}
	if (!parse.failed && !out->help && out->library && !out->headers.n)
		options_refuse(&parse, "--generate needs the library's header; add --header FILE");
	if (!parse.failed)
		return 0;
	rfs_generate_options_release(out);
	return -EINVAL;
}

void rfs_generate_options_release(struct rfs_generate_options *options)
{
	free(options->headers.list);
	free(options->types.list);
	free(options->only.list);
	free(options->skip.list);
	free(options->init.list);
}

void rfs_generate_options_help(FILE *out)
{
	static char name[] = "rfsup"; /* argp_help() takes a char * */

	argp_help(&argp, out, ARGP_HELP_SHORT_USAGE | ARGP_HELP_DOC | ARGP_HELP_LONG, name);
}
