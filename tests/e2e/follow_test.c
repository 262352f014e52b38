/*
 * follow_test.c - --follow, for a wrapper that starts the program under test. Findings are those of the program, and
 * their records can be replayed. rfsup says so if no process matches, or if other processes have threads too.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/e2e/harness.h"

TestSuite(follow, .timeout = 900);

/* Makes an executable file FOLDER/NAME with this text. Returns its path; caller frees. */
static char *script(const struct e2e *e2e, const char *name, const char *text)
{
	char *path;
	FILE *file;

	cr_assert_gt(asprintf(&path, "%s/%s", e2e->folder, name), 0);
	file = fopen(path, "w");
	cr_assert_not_null(file);
	fputs(text, file);
	fclose(file);
	cr_assert_eq(chmod(path, 0755), 0);
	return path;
}

static void expect_replay(struct e2e *e2e, const char *list)
{
	char *record = e2e_record(e2e, e2e_item(e2e, list, 0));

	e2e_expect(e2e, record, "no record\n%s", e2e->said.out);
	if (record) {
		e2e_say(e2e, WORDS("--replay", record));
		e2e_expect_status(e2e, 1);
		e2e_expect(e2e, strstr(e2e->said.err, "same as the recorded run"), "%s", e2e->said.err);
	}
	free(record);
}

Test(follow, a_script)
{
	char *program = e2e_target("O2g", "figure1"), *wrapper;
	const json_t *check;
	struct e2e e2e;

	e2e_begin(&e2e);
	wrapper = script(&e2e, "check.sh",
			 "#!/bin/sh\nls / | sort >/dev/null\n\"$@\"\nstatus=$?\necho over\nexit $status\n");
	e2e_run(&e2e, WORDS("--follow=figure1", "--runs=10", "--explore=3", "--predict-runs=1", wrapper, program));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, e2e_stat(&e2e, "threads") == 3, "%s", e2e.said.err);
	e2e_expect(&e2e, e2e_stat(&e2e, "uncontrolled") == 0, "%s", e2e.said.err);
	check = json_object_get(e2e.report, "self_check");
	e2e_expect(&e2e, json_is_true(json_object_get(check, "deterministic")), "%s", e2e.said.out);
	expect_replay(&e2e, "pairs");
	e2e_end(&e2e);
	free(wrapper);
	free(program);
}

Test(follow, make)
{
	char *program = e2e_target("O2g", "abba"), *makefile, *assignment;
	struct e2e e2e;

	e2e_begin(&e2e);
	makefile = script(&e2e, "Makefile", "check:\n\t@true\n\t@$(PROG)\n");
	cr_assert_gt(asprintf(&assignment, "PROG=%s", program), 0);
	e2e_run(&e2e, WORDS("--follow=abba", "--policy=random", "--runs=20", "--until-failure", "/usr/bin/make", "-s",
			    "-f", makefile, "check", assignment));
	e2e_expect_status(&e2e, 1);
	expect_replay(&e2e, "deadlocks");
	e2e_end(&e2e);
	free(assignment);
	free(makefile);
	free(program);
}

Test(follow, ctest)
{
	char *program = e2e_target("O2g", "figure1_fixed"), *list, *text;
	struct e2e e2e;

	if (access("/usr/bin/ctest", X_OK) != 0)
		cr_skip_test("ctest is not installed");
	e2e_begin(&e2e);
	cr_assert_gt(asprintf(&text, "add_test(first /bin/true)\nadd_test(second \"%s\")\n", program), 0);
	list = script(&e2e, "CTestTestfile.cmake", text);
	e2e_run(&e2e, WORDS("--follow=figure1*", "--policy=random", "--runs=3", "/usr/bin/ctest"));
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, e2e_stat(&e2e, "threads") == 3, "%s", e2e.said.err);
	e2e_end(&e2e);
	free(list);
	free(text);
	free(program);
}

Test(follow, nothing_matches)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--follow=test_*", "--policy=random", "--runs=2", "/bin/sh", "-c", "ls / >&2; exit 5"));
	e2e_expect_status(&e2e, 2);
	e2e_expect(&e2e, strstr(e2e.said.err, "'sh' started no program whose file name matches 'test_*'"), "%s",
		   e2e.said.err);
	e2e_expect(&e2e, strstr(e2e.said.err, "ls"), "%s", e2e.said.err);
	e2e_end(&e2e);
}

/*
 * A wrapper that fails makes a failure, even if the program ended well. Here all baseline runs show it, so it is no
 * finding.
 */
Test(follow, the_wrappers_own_failure)
{
	char *program = e2e_target("O2g", "figure1_fixed");
	const json_t *plain, *failure;
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e,
		WORDS("--follow=figure1_*", "--policy=random", "--runs=2", "/bin/sh", "-c", "\"$0\"; exit 3", program));
	e2e_expect_status(&e2e, 4);
	plain = json_object_get(e2e.report, "plain");
	e2e_expect(&e2e, json_integer_value(json_object_get(plain, "failures")) == 10, "%s", e2e.said.out);
	failure = e2e_item(&e2e, "failures", 0);
	e2e_expect(&e2e, failure && strcmp(json_string_value(json_object_get(failure, "kind")), "exit") == 0, "%s",
		   e2e.said.out);
	e2e_end(&e2e);
	free(program);
}

/* Two programs have threads. One is followed, the other is counted. */
Test(follow, others_with_threads_are_counted)
{
	char *first = e2e_target("O2g", "figure1_fixed"), *second = e2e_target("O2g", "join_ordered");
	const json_t *children;
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--follow=figure1_*", "--policy=random", "--runs=2", "/bin/sh", "-c", "\"$0\"; \"$1\"",
			    first, second));
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, e2e_stat(&e2e, "threaded_children") == 1, "%s", e2e.said.err);
	e2e_expect(&e2e, strstr(e2e.said.err, "join_ordered, which has several threads"), "%s", e2e.said.err);
	children = json_object_get(e2e.report, "threaded_children");
	e2e_expect(&e2e, json_integer_value(json_object_get(children, "processes")) == 1, "%s", e2e.said.out);
	/* the control: if no other process has threads, nothing is reported */
	e2e_run(&e2e,
		WORDS("--follow=join_*", "--policy=random", "--runs=2", "/bin/sh", "-c", "ls /; \"$0\"; ls /", second));
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, e2e_stat(&e2e, "threaded_children") == 0, "%s", e2e.said.err);
	e2e_expect(&e2e, !json_object_get(e2e.report, "threaded_children"), "%s", e2e.said.out);
	e2e_end(&e2e);
	free(first);
	free(second);
}

/* A child that the program has forked runs no other file, so --follow could not select it. Here it is not controlled.
 * That is so if the path of the program is a link, as /usr/bin/python3 is, and the file has another name. */
Test(follow, the_programs_own_child)
{
	struct e2e e2e;
	char *program, *link, follow[64];

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "forks_threads.c", "-g -O1 -pthread");
	cr_assert_gt(asprintf(&link, "%s.link", program), 0);
	cr_assert_eq(symlink(program, link), 0);
	snprintf(follow, sizeof(follow), "--follow=%s", strrchr(program, '/') + 1);
	for (int i = 0; i < 2; i++) {
		if (i)
			e2e_run(&e2e,
				WORDS(follow, "--policy=random", "--runs=2", "/bin/sh", "-c", "\"$0\"; exit", program));
		else
			e2e_run(&e2e, WORDS("--processes=first", "--policy=random", "--runs=2", link));
		e2e_expect(&e2e, e2e_stat(&e2e, "threaded_children") == 1, "%s", e2e.said.err);
		e2e_expect(&e2e, strstr(e2e.said.err, "has several threads and is not controlled"), "%s", e2e.said.err);
		e2e_expect(&e2e, !strstr(e2e.said.err, "use --follow"), "%s", e2e.said.err);
	}
	free(link);
	free(program);
	e2e_end(&e2e);
}
