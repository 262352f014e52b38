/*
 * fork_server_test.c - runs from the fork server have the same hashes as runs that start the program. If a copy would
 * differ from a started program, no copies are made.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/e2e/answers.h"
#include "tests/e2e/harness.h"

TestSuite(fork_server, .timeout = 600);

#define WORDS_MAX 24

static void release(struct criterion_test_params *params)
{
	cr_free(params->params);
}

/*
 * The targets of this check; in the short check, every third of them: the fork server copies programs, not faults.
 * handler_calls has one thread and a timer, which fork(2) does not copy, so it is started anew for each run.
 */
static struct criterion_test_params some_targets(void)
{
	struct answer *all = cr_malloc(ANSWERS_MAX * sizeof(*all));
	size_t n = answers_of_check(all, ANSWERS_MAX), kept = 0;

	for (size_t i = 0; i < n; i++)
		if (all[i].kind != ANSWER_DIVERGES && strcmp(all[i].name, "handler_calls") != 0 &&
		    (e2e_full() || i % 3 == 0))
			all[kept++] = all[i];
	return cr_make_param_array(struct answer, all, kept, release);
}

/*
 * Samples a target. Returns the partial orders that it found as text; caller frees. *served: how many copies were made.
 */
static char *orders(struct e2e *e2e, const struct answer *answer, const char *points, const char *server,
		    double *served)
{
	char *program = e2e_target("O2g", answer->name), *text;
	const char *args[WORDS_MAX] = {"--policy=random", "--runs=9", "--seed=11", "--verbose", points};
	size_t n = 5;

	if (server)
		args[n++] = server;
	args[n++] = program;
	for (size_t i = 0; i < answer->n_words; i++)
		args[n++] = answer->words[i];
	e2e_run(e2e, args);
	*served = e2e_stat(e2e, "served_runs");
	text = json_dumps(json_object_get(json_object_get(e2e->report, "sampling"), "orders"), JSON_SORT_KEYS);
	e2e_expect(e2e, text, "no orders\n%s%s", e2e->said.out, e2e->said.err);
	free(program);
	return text;
}

static void compare(const struct answer *answer, const char *points)
{
	struct e2e e2e;
	double served, none;
	char *copied, *started;

	e2e_begin(&e2e);
	copied = orders(&e2e, answer, points, NULL, &served);
	e2e_expect(&e2e, served >= 8, "%g runs were copies\n%s", served, e2e.said.err);
	started = orders(&e2e, answer, points, "--no-fork-server", &none);
	e2e_expect(&e2e, none == 0, "%g runs were copies, against the option", none);
	e2e_expect(&e2e, copied && started && strcmp(copied, started) == 0, "copies: %s\nstarted: %s", copied, started);
	free(copied);
	free(started);
	e2e_end(&e2e);
}

ParameterizedTestParameters(fork_server, same_runs)
{
	return some_targets();
}

ParameterizedTest(struct answer *answer, fork_server, same_runs)
{
	compare(answer, "--points=sync");
}

Test(fork_server, same_runs_where_every_access_is_a_point)
{
	struct answer all[ANSWERS_MAX];
	static const char *const names[] = {"figure1", "lost_update_inc", "cxx_shared_ptr", "static_prog",
					    "sync_queue"};
	size_t n = answers_read(all, ANSWERS_MAX), found = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
			if (strcmp(all[i].name, names[k]) == 0) {
				compare(&all[i], "--points=memory");
				found++;
			}
	cr_expect_eq(found, sizeof(names) / sizeof(*names));
}

/* The findings of a whole campaign as text. how: one more option. Caller frees. */
static char *reported(struct e2e *e2e, const char *program, const char *how)
{
	static const char *const parts[] = {"pairs", "deadlocks", "failures"};
	json_t *all = json_object();
	char *text;

	e2e_run(e2e, WORDS(e2e_full() ? "--runs=30" : "--runs=10", "--explore=30", how, program));
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		json_object_set(all, parts[i], json_object_get(e2e->report, parts[i]));
	text = json_dumps(all, JSON_SORT_KEYS);
	json_decref(all);
	return text;
}

Test(fork_server, a_campaign_finds_the_same)
{
	static const char *const names[] = {"figure1", "abba", "refcount", "spin_yield", "cxx_thread"};
	static const char *const how[] = {"-j2", "-j1"};

	for (size_t i = 0; i < e2e_rows(2, sizeof(names) / sizeof(*names)); i++) {
		char *program = e2e_target("O2g", names[i]), *expected, *found;
		struct e2e e2e;

		e2e_begin(&e2e);
		expected = reported(&e2e, program, "--no-fork-server");
		for (size_t k = 0; k < e2e_rows(1, sizeof(how) / sizeof(*how)); k++) {
			found = reported(&e2e, program, how[k]);
			e2e_expect(&e2e, e2e_stat(&e2e, "served_runs") >= 15, "%g runs were copies",
				   e2e_stat(&e2e, "served_runs"));
			e2e_expect(&e2e, strcmp(found, expected) == 0, "%s %s: started: %s\ncopies: %s", names[i],
				   how[k], expected, found);
			free(found);
		}
		free(expected);
		e2e_end(&e2e);
		free(program);
	}
}

struct early {
	const char *what;
	const char *reason; /* why no copies are made, or NULL if they are */
};

static const struct early early[] = {
	{"nothing", NULL},
	{"pid", NULL},
	{"thread", "starts threads"},
	{"file", "keeps them open"},
	{"silences", NULL},
	{"writes", "opens a file for writing"},
	{"socket", "uses sockets"},
	{"timer", "starts a timer"},
	{"output", "writes output"},
	{"reads", "reads its input"},
	{"shares", "fork(2) does not copy"},
	{"forgets", "fork(2) does not copy"},
	{"locks", "holds a lock"},
	{"pends", "sends signals"},
};

/* Writes FOLDER/input: 1,000 blanks. */
static void blanks(const char *folder)
{
	char text[1000];

	memset(text, ' ', sizeof(text));
	spawn_file(folder, "input", text, sizeof(text), 0644);
}

Test(fork_server, what_is_done_before_main_may_forbid_copies)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "early.c", "-O2 -g");
	blanks(e2e.folder);
	for (size_t i = 0; i < sizeof(early) / sizeof(*early); i++) {
		e2e_run(&e2e,
			WORDS("--policy=random", "--runs=8", "--verbose", "--stdin=input", program, early[i].what));
		e2e_expect_silent(&e2e);
		e2e_expect(&e2e, (e2e_stat(&e2e, "served_runs") > 0) == !early[i].reason, "%s: %g runs were copies",
			   early[i].what, e2e_stat(&e2e, "served_runs"));
		e2e_expect(&e2e,
			   early[i].reason ? strstr(e2e.said.err, early[i].reason) != NULL
					   : !strstr(e2e.said.err, "no fork server"),
			   "%s: it says\n%s", early[i].what, e2e.said.err);
	}
	free(program);
	e2e_end(&e2e);
}

Test(fork_server, each_copy_reads_its_input_from_the_start)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "early.c", "-O2 -g");
	blanks(e2e.folder);
	e2e_run(&e2e, WORDS("--policy=random", "--runs=10", "--stdin=input", program, "input"));
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, e2e_stat(&e2e, "served_runs") == 9, "%g runs were copies", e2e_stat(&e2e, "served_runs"));
	free(program);
	e2e_end(&e2e);
}

/* The runs that decide on harm are of one kind, however few the runs of the pair are. */
Test(fork_server, tests_of_harm_are_copies)
{
	char *program = e2e_target("O2g", "lost_update");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=2", "--explore=0", program));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, e2e_stat(&e2e, "served_runs") >= 40, "%g runs were copies", e2e_stat(&e2e, "served_runs"));
	free(program);
	e2e_end(&e2e);
}

Test(fork_server, what_a_finding_wrote_is_kept_and_its_record_replays)
{
	char *program = e2e_target("O2g", "figure1"), *record, *text, *path;
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=20", "--explore=0", program));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, e2e_stat(&e2e, "served_runs") >= 20, "%g runs were copies", e2e_stat(&e2e, "served_runs"));
	record = e2e_record(&e2e, e2e_item(&e2e, "pairs", 0));
	e2e_expect(&e2e, record, "no record");
	if (record) {
		/* the record is out/records/NAME.json, standard error is in out/runs/NAME.err */
		const char *name = strrchr(record, '/') + 1;

		if (asprintf(&path, "%s/out/runs/%.*s.err", e2e.folder, (int)strcspn(name, "."), name) < 0)
			cr_assert_fail("out of memory");
		text = e2e_text(path);
		e2e_expect(&e2e, text && strcmp(text, "FAIL: ERROR1\n") == 0, "%s: %s", path, text ? text : "none");
		free(text);
		free(path);
		e2e_say(&e2e, WORDS("--replay", record));
		e2e_expect(&e2e, e2e.said.status == 1 && strstr(e2e.said.err, "same as the recorded run"),
			   "status %d: %s", e2e.said.status, e2e.said.err);
	}
	free(record);
	e2e_end(&e2e);
	free(program);
}

/* One worker makes all copies, so each descriptor that a run does not close would be missing later. */
Test(fork_server, more_copies_than_a_process_has_descriptors)
{
	const struct rlimit few = {100, 100};
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "early.c", "-O2 -g");
	/* rfsup inherits the limit */
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	e2e_run(&e2e, WORDS("--policy=random", "--runs=200", program, "waits"));
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, e2e_stat(&e2e, "served_runs") == 199, "%g runs were copies", e2e_stat(&e2e, "served_runs"));
	free(program);
	e2e_end(&e2e);
}
