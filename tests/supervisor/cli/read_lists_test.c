/* read_lists_test.c - lists of tests as ctest, meson, cargo and test programs print them, whole and damaged. */
#include "supervisor/cli/suite/read_lists.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/cli/suite/suite_tests.h"

TestSuite(read_lists, .timeout = 20);

/* Output of ctest 3.25, without its backtraces. */
static const char ctest[] =
	"{\"backtraceGraph\":{\"commands\":[],\"files\":[],\"nodes\":[]},\"kind\":\"ctestInfo\",\"tests\":["
	"{\"backtrace\":1,\"command\":[\"/b/one\",\"a\",\"b c\"],\"name\":\"one\",\"properties\":["
	"{\"name\":\"DEPENDS\",\"value\":[\"setup\"]},{\"name\":\"ENVIRONMENT_MODIFICATION\",\"value\":"
	"[\"A=string_append:2\",\"P=path_list_prepend:/opt\",\"Q=unset:\",\"R=set:x=y\",\"S=nonsense:1\"]},"
	"{\"name\":\"ENVIRONMENT\",\"value\":[\"A=1\",\"B=x y\"]},{\"name\":\"FIXTURES_REQUIRED\",\"value\":[\"db\"]},"
	"{\"name\":\"LABELS\",\"value\":[\"x\"]},{\"name\":\"RESOURCE_LOCK\",\"value\":[\"p\",\"q\"]},"
	"{\"name\":\"RUN_SERIAL\",\"value\":true},{\"name\":\"SKIP_RETURN_CODE\",\"value\":77},"
	"{\"name\":\"TIMEOUT\",\"value\":20.0},{\"name\":\"WILL_FAIL\",\"value\":true},"
	"{\"name\":\"WORKING_DIRECTORY\",\"value\":\"/b\"}]},"
	"{\"command\":[\"/b/one\"],\"name\":\"off\",\"properties\":[{\"name\":\"DISABLED\",\"value\":true},"
	"{\"name\":\"PASS_REGULAR_EXPRESSION\",\"value\":[\"ok\"]}]},"
	"{\"command\":[\"/b/"
	"one\"],\"name\":\"setup\",\"properties\":[{\"name\":\"FIXTURES_SETUP\",\"value\":[\"db\"]}]},"
	"{\"name\":\"unbuilt\",\"properties\":[]}],\"version\":{\"major\":1,\"minor\":0}}";

/* Output of meson 1.0. */
static const char meson[] =
	"[{\"cmd\": [\"/b/one\", \"x\"], \"env\": {\"A\": \"1\"}, \"name\": \"a one\", \"workdir\": \"/src\", "
	"\"timeout\": 12,"
	" \"suite\": [\"t:s1\", \"t:s2\"], \"is_parallel\": true, \"priority\": 0, \"protocol\": \"exitcode\","
	" \"depends\": [\"one@exe\"]}, {\"cmd\": [\"/b/one\"], \"env\": {}, \"name\": \"b\", \"workdir\": null, "
	"\"timeout\": 30,"
	" \"suite\": [\"t\"], \"is_parallel\": false, \"priority\": 0, \"protocol\": \"gtest\", \"depends\": []}]";

static void expect_words(char *const *words, const char *expected)
{
	char *text = xstrdup("");

	for (; *words; words++) {
		char *longer = xasprintf("%s%s|", text, *words);

		free(text);
		text = longer;
	}
	cr_expect_str_eq(text, expected);
	free(text);
}

Test(read_lists, ctest_has_commands_and_properties)
{
	struct rfs_suite_tests tests = {0};
	const struct rfs_suite_test *one;
	char why[256];

	setenv("P", "/bin", 1);
	cr_assert_eq(rfs_read_ctest(ctest, "ctest", &tests, why, sizeof(why)), 0);
	cr_assert_eq(tests.n, 4);
	one = &tests.list[0];
	cr_expect_str_eq(one->name, "one");
	expect_words(one->words, "/b/one|a|b c|");
	expect_words(one->env, "A=1|B=x y|A=12|P=/opt:/bin|Q|R=x=y|");
	expect_words(one->needs, "db|");
	expect_words(one->locks, "p|q|");
	expect_words(one->after, "setup|");
	cr_expect_str_eq(one->folder, "/b");
	cr_expect(one->alone && one->fails && !one->disabled && !*one->passing);
	cr_expect_eq(one->skips, 77);
	cr_expect_eq(one->timeout, 20);
	cr_expect(tests.list[1].disabled && tests.list[1].skips == -1);
	expect_words(tests.list[1].passing, "ok|");
	expect_words(tests.list[2].sets_up, "db|");
	cr_expect_null(tests.list[3].words);
	rfs_suite_tests_release(&tests);
}

Test(read_lists, meson_has_commands_and_environments)
{
	struct rfs_suite_tests tests = {0};
	char why[256];

	cr_assert_eq(rfs_read_meson(meson, "meson", &tests, why, sizeof(why)), 0);
	cr_assert_eq(tests.n, 2);
	cr_expect_str_eq(tests.list[0].suite, "t:s1");
	expect_words(tests.list[0].words, "/b/one|x|");
	expect_words(tests.list[0].env, "A=1|");
	cr_expect_str_eq(tests.list[0].folder, "/src");
	cr_expect(!tests.list[0].alone && tests.list[0].skips == 77 && tests.list[0].timeout == 12);
	cr_expect(tests.list[1].alone && tests.list[1].skips == -1 && !tests.list[1].folder);
	rfs_suite_tests_release(&tests);
}

/* Each beginning of a list is damaged, and so is a list of another kind. */
Test(read_lists, damaged_lists_are_refused)
{
	static const char *const others[] = {"",
					     "null",
					     "[]",
					     "{}",
					     "{\"kind\":\"ctestInfo\"}",
					     "{\"kind\":\"ctestInfo\",\"tests\":{}}",
					     "{\"kind\":\"ctestInfo\",\"tests\":[{}]}",
					     "{\"kind\":\"ctestInfo\",\"tests\":[7]}",
					     "\xff"};
	struct rfs_suite_tests tests = {0};
	char why[1024];

	for (size_t n = 0; n < strlen(ctest); n++) {
		char *part = xstrndup(ctest, n);

		cr_expect_eq(rfs_read_ctest(part, "ctest", &tests, why, sizeof(why)), -EBADMSG, "%zu bytes", n);
		free(part);
	}
	for (size_t n = 0; n < strlen(meson); n++) {
		char *part = xstrndup(meson, n);

		cr_expect_eq(rfs_read_meson(part, "meson", &tests, why, sizeof(why)), -EBADMSG, "%zu bytes", n);
		free(part);
	}
	cr_assert_eq(tests.n, 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		cr_expect_eq(rfs_read_ctest(others[i], "ctest", &tests, why, sizeof(why)), -EBADMSG, "%s", others[i]);
	cr_expect_eq(rfs_read_meson("{}", "meson", &tests, why, sizeof(why)), -EBADMSG);
	cr_expect_eq(rfs_read_meson("[{}]", "meson", &tests, why, sizeof(why)), -EBADMSG);
	rfs_suite_tests_release(&tests);
	cr_expect_eq(rfs_read_ctest("{\n\"kind\": 1,,", "ctest", &tests, why, sizeof(why)), -EBADMSG);
	cr_expect(strstr(why, "ctest: its list of tests is damaged at line 2: "), "%s", why);
}

/* Values of another type than expected are ignored. */
Test(read_lists, strange_properties_are_ignored)
{
	static const char text[] =
		"{\"kind\":\"ctestInfo\",\"tests\":[{\"name\":\"x\",\"command\":[1,\"a\",null],\"properties\":[7,{},"
		"{\"name\":3},{\"name\":\"TIMEOUT\",\"value\":\"soon\"},{\"name\":\"SKIP_RETURN_CODE\",\"value\":[]},"
		"{\"name\":\"ENVIRONMENT\",\"value\":{}},{\"name\":\"ENVIRONMENT_MODIFICATION\",\"value\":[\"A\",\"B="
		"C\",4]},"
		"{\"name\":\"WORKING_DIRECTORY\",\"value\":5},{\"name\":\"RESOURCE_LOCK\",\"value\":\"single\"}]}]}";
	struct rfs_suite_tests tests = {0};
	char why[256];

	cr_assert_eq(rfs_read_ctest(text, "ctest", &tests, why, sizeof(why)), 0);
	expect_words(tests.list[0].words, "a|");
	expect_words(tests.list[0].env, "");
	expect_words(tests.list[0].locks, "single|");
	cr_expect(!tests.list[0].folder && tests.list[0].timeout == 0 && tests.list[0].skips == -1);
	rfs_suite_tests_release(&tests);
}

Test(read_lists, meson_says_which_tests_should_fail)
{
	struct rfs_suite_tests tests = {0};
	char why[256];

	cr_assert_eq(rfs_read_meson(meson, "meson", &tests, why, sizeof(why)), 0);
	cr_expect(!tests.list[0].fails && tests.list[0].any_failure);
	cr_expect_eq(rfs_read_meson_failing("[[\"t:s1\", \"a one\"], [null, \"b\"], [7], {}]\n", &tests), 0);
	cr_expect(tests.list[0].fails && !tests.list[1].fails);
	cr_expect_eq(rfs_read_meson_failing("Traceback", &tests), -EBADMSG);
	cr_expect_eq(rfs_read_meson_failing("", &tests), -EBADMSG);
	rfs_suite_tests_release(&tests);
}

struct programs {
	unsigned n;
	char text[256];
};

static int note_program(void *arg, const struct rfs_cargo_program *program)
{
	struct programs *programs = arg;

	programs->n++;
	snprintf(programs->text, sizeof(programs->text), "%s %s %s", program->path, program->target, program->manifest);
	return 0;
}

Test(read_lists, cargo_names_test_programs)
{
	static const char text[] =
		"   Compiling "
		"t\n{\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"t\"},\"profile\":{\"test\":false},"
		"\"executable\":null}\n"
		"{\"reason\":\"compiler-artifact\",\"manifest_path\":\"/t/m/"
		"Cargo.toml\",\"target\":{\"name\":\"t\"},\"profile\":{\"test\":true},"
		"\"executable\":\"/t/deps/t-1\"}\n{\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"bin\"},"
		"\"profile\":{\"test\":false},\"executable\":\"/t/"
		"bin\"}\n{\"reason\":\"build-finished\",\"success\":true}\n{";
	struct programs programs = {0};

	cr_assert_eq(rfs_read_cargo(text, note_program, &programs), 0);
	cr_expect_eq(programs.n, 1);
	cr_expect_str_eq(programs.text, "/t/deps/t-1 t /t/m/Cargo.toml");
}

Test(read_lists, programs_of_each_framework_list_their_tests)
{
	static const struct {
		enum rfs_framework framework;
		const char *text, *suite, *name, *words;
	} cases[] = {
		{RFS_GOOGLETEST, "Queue.\n  Push\n", "Queue", "Push", "/p|--gtest_filter=Queue.Push|"},
		{RFS_CATCH2_V2, "vectors, [big]\n", "p", "vectors, [big]", "/p|vectors\\, \\[big\\]|"},
		{RFS_CATCH2, "  a test\n", "p", "a test", "/p|a test|"},
		{RFS_DOCTEST,
		 "[doctest] listing all test case names\n=====\na, b\n=====\n[doctest] unskipped test cases: 1\n", "p",
		 "a, b", "/p|--test-case=a\\, b|"},
		{RFS_LIBTEST, "tests::a: test\nbenches::b: benchmark\n", "p", "tests::a",
		 "/p|tests::a|--exact|--test-threads=1|"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_suite_tests tests = {0};

		rfs_read_framework(cases[i].framework, cases[i].text, "/p", "p", &tests);
		cr_assert_eq(tests.n, 1, "%s", cases[i].text);
		cr_expect_str_eq(tests.list[0].suite, cases[i].suite);
		cr_expect_str_eq(tests.list[0].name, cases[i].name);
		expect_words(tests.list[0].words, cases[i].words);
		rfs_suite_tests_release(&tests);
		rfs_read_framework(cases[i].framework, "", "/p", "p", &tests);
		cr_expect_eq(tests.n, 0);
	}
}
