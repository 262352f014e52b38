/* options_test.c - the command line of rfsup --generate. */
#include "supervisor/generate/options.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(generate_options, .timeout = 30);

#define WORDS_MAX 16

static int parse(const char *const *words, struct rfs_generate_options *out, char *why, size_t n)
{
	char *argv[WORDS_MAX] = {(char *)"rfsup"};
	int argc = 1;

	for (; words[argc - 1]; argc++)
		argv[argc] = (char *)words[argc - 1];
	argv[argc] = NULL;
	return rfs_generate_options_parse(argc, argv, out, why, n);
}

Test(generate_options, have_defaults_and_keep_repeated_words)
{
	static const char *const words[] = {"--generate", "lib.so", "--header", "a.h", "--header=b.h", "--tests", "50",
					    "--init",	  "start",  "-o",	"out", "-j",	       "3",	  NULL};
	struct rfs_generate_options options;
	char why[256] = "";

	cr_assert_eq(parse(words, &options, why, sizeof(why)), 0, "%s", why);
	cr_expect_str_eq(options.library, "lib.so");
	cr_assert_eq(options.headers.n, 2);
	cr_expect_str_eq(options.headers.list[1], "b.h");
	cr_expect_null(options.headers.list[2]);
	cr_expect_str_eq(options.init.list[0], "start");
	cr_expect_str_eq(options.output, "out");
	cr_expect_eq(options.tests, 50);
	cr_expect_eq(options.jobs, 3);
	cr_expect_eq(options.runs, 100);
	cr_expect_eq(options.findings, 1);
	cr_expect_eq(options.seed, 1);
	cr_expect_eq(options.budget, 600);
	cr_expect_not(options.list);
	rfs_generate_options_release(&options);
}

Test(generate_options, errors_say_what_to_do)
{
	static const struct {
		const char *words[WORDS_MAX - 1];
		const char *said;
	} rows[] = {
		{{"--generate", "lib.so"}, "add --header FILE"},
		{{"--generate", "lib.so", "--header", "a.h", "--tests", "0"}, "--tests: '0' is not an integer"},
		{{"--generate", "lib.so", "--header", "a.h", "--seed", "x"}, "--seed: 'x'"},
		{{"--generate", "lib.so", "--header", "a.h", "-j", "0"}, "--jobs: '0' is not an integer"},
		{{"--generate", "lib.so", "--header", "a.h", "--budget", "-1"}, "--budget: '-1'"},
		{{"--generate", "lib.so", "--header", "a.h", "--format", "xml"}, "text and json"},
		{{"--generate", "lib.so", "--header", "a.h", "./program"}, "takes no program"},
		{{"--generate", "lib.so", "--header", "a.h", "--policy", "pos"}, "'--policy' is not an option"},
		{{"--generate"}, "argument is missing"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rfs_generate_options options;
		char why[256] = "";

		cr_expect_lt(parse(rows[i].words, &options, why, sizeof(why)), 0, "row %zu", i);
		cr_expect(strstr(why, rows[i].said), "row %zu: %s", i, why);
		cr_expect_null(strchr(why, '\n'));
	}
}

Test(generate_options, generate_may_stand_behind_its_other_options)
{
	static const struct {
		const char *words[WORDS_MAX - 1];
		bool meant;
	} rows[] = {
		{{"--generate", "lib.so"}, true},
		{{"--generate=lib.so"}, true},
		{{"--seed", "3", "--generate", "lib.so"}, true},
		{{"-j", "2", "-o", "out", "--quiet", "--seed=3", "--generate", "lib.so"}, true},
		{{"-j2", "--header=a.h", "--generate", "lib.so"}, true},
		{{"./program", "--generate", "lib.so"}, false},
		{{"--", "./program", "--generate"}, false},
		{{"--", "--generate"}, false},
		{{"--output", "--generate", "./program"}, false},
		{{"--explore", "3", "--generate", "lib.so"}, false},
		{{"--generated", "lib.so"}, false},
		{{NULL}, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *argv[WORDS_MAX] = {(char *)"rfsup"};
		int argc = 1;

		for (; rows[i].words[argc - 1]; argc++)
			argv[argc] = (char *)rows[i].words[argc - 1];
		argv[argc] = NULL;
		cr_expect_eq(rfs_generate_is_meant(argc, argv), rows[i].meant, "row %zu", i);
	}
}
