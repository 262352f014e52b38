/*
 * simplify_test.c - --simplify finds the same failure with at most three preemptions. It prints them on one screen, and
 * writes a record that reproduces the failure.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/e2e/harness.h"

TestSuite(simplify, .timeout = 900);

/* A target whose bug needs at most two preemptions, and two texts that the output must contain. */
struct bug {
	char name[32], ends[32], names[32];
};

ParameterizedTestParameters(simplify, tells_the_failure)
{
	static struct bug bugs[] = {
		{"lost_update", "then: signal SIGABRT", "writes counter: 1"},
		/* its timer expires while a thread is postponed */
		{"watchdog", "then: signal SIGABRT", "kill"},
		{"abba", "then: deadlock", "lock a"},
		/* the short check ends here */
		{"check_then_act", "then: signal SIGABRT", "reads balance: 100"},
		{"torn_struct", "then: ", ""},
		{"figure1", "then: signal SIGABRT", "z: "},
		{"order_violation", "then: ", ""},
		{"atomicity_split", "then: ", ""},
		{"lost_wakeup", "then: deadlock", ""},
	};

	return cr_make_param_array(struct bug, bugs, e2e_rows(3, sizeof(bugs) / sizeof(*bugs)));
}

static size_t lines_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

ParameterizedTest(struct bug *bug, simplify, tells_the_failure)
{
	char *program = e2e_target("O2g", bug->name), *record, *simple;
	struct e2e e2e;
	int switches = -1, preemptions = -1;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=20", "--explore=100", program));
	record = e2e_failing_record(&e2e, 0);
	e2e_expect(&e2e, record, "no failure was found");
	if (record) {
		e2e_say(&e2e, WORDS("--simplify", record));
		e2e_expect_status(&e2e, 1);
		e2e_expect(&e2e,
			   sscanf(e2e.said.out, "%d switches, %d of them preemptions", &switches, &preemptions) == 2,
			   "%s", e2e.said.out);
		e2e_expect(&e2e, preemptions <= 3, "%s", e2e.said.out);
		e2e_expect(&e2e, lines_of(e2e.said.out) <= 48, "more than a screen: %s", e2e.said.out);
		e2e_expect(&e2e, strstr(e2e.said.out, bug->ends), "no '%s' in %s", bug->ends, e2e.said.out);
		e2e_expect(&e2e, strstr(e2e.said.out, bug->names), "no '%s' in %s", bug->names, e2e.said.out);
		simple = e2e_simple_record(record);
		for (int i = 0; i < (e2e_full() ? 10 : 1) && !e2e.failed; i++)
			e2e_expect_same_replay(&e2e, simple);
		free(simple);
	}
	e2e_end(&e2e);
	free(record);
	free(program);
}

/* A program that fails in each run: the simplified run still has the race, and its story shows both statements. */
Test(simplify, keeps_the_race_of_a_program_that_always_fails)
{
	char *program = e2e_target("O2g", "always_fails_freed"), *record = NULL;
	const char *created = NULL;
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=20", "--explore=20", program));
	for (size_t i = 0; i < e2e_count(&e2e, "pairs") && !record; i++)
		if (strcmp(json_string_value(json_object_get(e2e_item(&e2e, "pairs", i), "verdict")), "harmful") == 0)
			record = e2e_record(&e2e, e2e_item(&e2e, "pairs", i));
	e2e_expect(&e2e, record, "no harmful race: %s", e2e.said.out);
	if (record) {
		e2e_say(&e2e, WORDS("--simplify", record));
		e2e_expect_status(&e2e, 1);
		created = strstr(e2e.said.out, "frees ");
		e2e_expect(&e2e, created, "no free in %s", e2e.said.out);
		created = created ? strstr(created, "input[i * PIECE] = ") : NULL;
		e2e_expect(&e2e, created, "no use after the free in %s", e2e.said.out);
	}
	e2e_end(&e2e);
	free(record);
	free(program);
}

Test(simplify, wants_a_record)
{
	char path[4096];
	struct e2e e2e;

	e2e_begin(&e2e);
	snprintf(path, sizeof(path), "%s/none.json", e2e.folder);
	e2e_say(&e2e, WORDS("--simplify", path));
	e2e_expect_status(&e2e, 2);
	spawn_file(e2e.folder, "none.json", "{}", 2, 0666);
	e2e_say(&e2e, WORDS("--simplify", path));
	e2e_expect_status(&e2e, 2);
	e2e_expect(&e2e, strstr(e2e.said.err, "not a record"), "%s", e2e.said.err);
	e2e_say(&e2e, WORDS("--simplify", path, "/bin/true"));
	e2e_expect_status(&e2e, 2);
	e2e_end(&e2e);
}

/* --quiet does not hide why there is no result. */
Test(simplify, wants_a_run_that_failed)
{
	char *program = e2e_target("O2g", "lost_update_fixed"), record[4096];
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--policy=random", "--runs=1", "--keep-records", program));
	e2e_expect_silent(&e2e);
	snprintf(record, sizeof(record), "%s/out/records/sample-seed-1.json", e2e.folder);
	e2e_say(&e2e, WORDS("--quiet", "--simplify", record));
	e2e_expect_status(&e2e, 2);
	e2e_expect(&e2e, strstr(e2e.said.err, "nothing to simplify"), "%s", e2e.said.err);
	free(program);
	e2e_end(&e2e);
}

/* Ctrl-C ends the search, and the best run so far is written. */
Test(simplify, an_interrupted_search_writes_its_best_run)
{
	char *program = e2e_target("O2g", "lost_updates"), *record, *prefix, *best, *simple, real[4096];
	char *envp[] = {(char *)"PATH=/usr/bin:/bin", NULL};
	posix_spawn_file_actions_t actions;
	struct e2e e2e;
	int status;
	pid_t pid;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=4", "--explore=4", program));
	record = e2e_failing_record(&e2e, 0);
	cr_assert_not_null(record, "no failure was found");
	cr_assert_gt(asprintf(&prefix, "%.*s-simple", (int)(strlen(record) - strlen(".json")), record), 0);
	cr_assert_gt(asprintf(&best, "%s.trace-best", prefix), 0);
	cr_assert_gt(asprintf(&simple, "%s.json", prefix), 0);
	cr_assert_not_null(realpath(getenv("RFSUP") ? getenv("RFSUP") : RFS_BUILD "/rfsup", real));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	cr_assert_eq(posix_spawn(&pid, real, &actions, NULL,
				 (char *[]){(char *)"rfsup", (char *)"--simplify", record, NULL}, envp),
		     0);
	posix_spawn_file_actions_destroy(&actions);
	while (access(best, F_OK) != 0 && waitpid(pid, &status, WNOHANG) == 0)
		usleep(1000);
	kill(pid, SIGINT);
	waitpid(pid, &status, 0);
	e2e_expect(&e2e, access(simple, R_OK) == 0, "%s is missing", simple);
	e2e_expect(&e2e, access(best, F_OK) != 0, "%s is left", best);
	e2e_say(&e2e, WORDS("--replay", simple));
	e2e_expect_status(&e2e, 1);
	e2e_end(&e2e);
	free(program);
	free(record);
	free(prefix);
	free(best);
	free(simple);
}
