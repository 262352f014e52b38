/* run_options_test.c - the table of the options of each execution: every row is distinct, recorded, and read again. */
#include "supervisor/record/run_options.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/record/record.h"
#include "tests/supervisor/scratch.h"

TestSuite(run_options, .timeout = 20);

static char glob[] = "lib*";
static char *globs[] = {glob, NULL};

/* Changes the option to a value other than zero. */
static void change(const struct rfs_option *option, struct rfs_run_spec *spec)
{
	void *value = (char *)spec + option->offset;

	switch (option->kind) {
	case RFS_OPTION_SWITCH:
	case RFS_OPTION_EITHER:
		*(bool *)value = true;
		break;
	case RFS_OPTION_WORD:
	case RFS_OPTION_SET:
	case RFS_OPTION_COUNT:
		*(unsigned *)value = 1;
		break;
	case RFS_OPTION_NUMBER:
	case RFS_OPTION_SIZE:
	case RFS_OPTION_DATE:
		*(uint64_t *)value = 7;
		break;
	case RFS_OPTION_SECONDS:
		*(double *)value = 1.5;
		break;
	case RFS_OPTION_NAME:
	case RFS_OPTION_TEXT:
		*(const char **)value = "name";
		break;
	case RFS_OPTION_LIST:
		*(char *const **)value = globs;
		break;
	}
}

Test(run_options, each_makes_a_difference)
{
	for (size_t i = 0; i < rfs_n_run_options; i++) {
		struct rfs_run_spec a = {.process.fd_in = 0}, b = {.process.fd_in = 1};

		cr_expect(rfs_run_options_equal(&a, &b), "a member that is no option does not count");
		change(&rfs_run_options[i].option, &a);
		cr_expect_not(rfs_run_options_equal(&a, &b), "row %zu", i);
		change(&rfs_run_options[i].option, &b);
		cr_expect(rfs_run_options_equal(&a, &b), "row %zu", i);
	}
}

Test(run_options, lists_are_compared_by_their_words)
{
	char other[] = "lib*", more[] = "x";
	char *same[] = {other, NULL}, *longer[] = {other, more, NULL}, *empty[] = {NULL};
	const struct {
		char *const *a, *const *b;
		bool equal;
	} cases[] = {
		{globs, same, true},   {globs, longer, false}, {longer, globs, false}, {globs, empty, false},
		{empty, globs, false}, {empty, NULL, true},    {NULL, globs, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_eq(rfs_run_options_equal(&(struct rfs_run_spec){.modules = cases[i].a},
						   &(struct rfs_run_spec){.modules = cases[i].b}),
			     cases[i].equal, "case %zu", i);
}

Test(run_options, those_with_a_key_are_read_as_they_were_written)
{
	char *scratch = scratch_enter(), path[] = "/bin/prog", *words[] = {path, NULL}, why[256] = "";

	for (size_t i = 0; i < rfs_n_run_options; i++) {
		/* fresh_root is set, because a record with fresh_dir is refused without it */
		struct rfs_execution execution = {.spec = {.process.path = path,
							   .process.argv = words,
							   .process.envp = words,
							   .job.fresh_root = "root"}};
		struct rfs_record record;

		execution.spec.policy = rfs_policy_find("random");
		change(&rfs_run_options[i].option, &execution.spec);
		cr_assert_eq(rfs_record_write("r.json", &execution, NULL, NULL, why, sizeof(why)), 0, "%s", why);
		cr_assert_eq(rfs_record_read("r.json", &record, why, sizeof(why)), 0, "%s", why);
		cr_expect_eq(rfs_run_options_equal(&execution.spec, &record.execution.spec),
			     rfs_run_options[i].key != NULL, "row %zu", i);
		rfs_record_release(&record);
	}
	scratch_leave(scratch);
}

/* Keys and their order must not change. Other versions read records by key, and tests compare records byte by byte. */
Test(run_options, keys_and_their_order_stay)
{
	static const char *const keys[] = {
		"\"umask\":",		"\"limits\":",	      "\"follow\":",	  "\"clock_real\":true",
		"\"date\":7",		"\"stdin\":",	      "\"setup\":",	  "\"drive\":",
		"\"fresh_dir\":",	"\"fresh_root\":",    "\"seed\":",	  "\"policy\":",
		"\"points\":\"races\"", "\"visible\":",	      "\"spin\":",	  "\"watch\":[\"lib*\"]",
		"\"timeout\":1.5",	"\"cpu_limit\":1.5",  "\"step_limit\":7", "\"spin_free\":7",
		"\"sleep_race\":1.5",	"\"plain_failure\":",
	};
	char *scratch = scratch_enter(), path[] = "/bin/prog", *words[] = {path, NULL}, why[256] = "", *text, *at;
	struct rfs_execution execution = {.spec = {.process.path = path, .process.argv = words, .process.envp = words},
					  .plain_failure = true};

	execution.spec.policy = rfs_policy_find("random");
	for (size_t i = 0; i < rfs_n_run_options; i++)
		change(&rfs_run_options[i].option, &execution.spec);
	cr_assert_eq(rfs_record_write("r.json", &execution, NULL, NULL, why, sizeof(why)), 0, "%s", why);
	at = text = scratch_read("r.json");
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		at = strstr(at, keys[i]);
		cr_assert_not_null(at, "%s is missing, or stands elsewhere: %s", keys[i], text);
	}
	free(text);
	scratch_leave(scratch);
}
