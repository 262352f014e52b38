/*
 * again_test.c - every record of a failure that a target gives can be replayed again and again. Each replay is a
 * separate process. Some run while another program keeps all cores busy. The first record of each target is also
 * simplified to a few preemptions.
 *
 * With RFSUP_CHECK_FULL this covers every target, campaigns are longer, and each record is replayed 5 times of either
 * sort. targets_test.c has campaigns with the default options.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/e2e/answers.h"
#include "tests/e2e/harness.h"

TestSuite(again, .timeout = 1800);

/*
 * No bug of the targets needs more than two preemptions (checked by hand), except rare_state: its two threads take six
 * turns. The result of simplification may have one more, because it is minimal but not always the smallest. In
 * futex_trylock, threads often wait for each other. Without one preemption, threads execute other operations while they
 * wait, and directives that name later operations by number (schedule.h) no longer fit. In
 * deadlock_ring_5, one preemption is enough if the threads lock their mutexes against the order of the ring: each later
 * one then waits for the one before. In other orders, up to four threads are preempted behind their first lock.
 */
#define PREEMPTIONS 3
#define MANY_PREEMPTIONS 8

/* One target of each sort, if the full check is not requested. */
static const char *const quick[] = {"lost_update", "abba", "lost_wakeup", "use_after_free"};

static bool is_quick(const struct answer *answer)
{
	for (size_t i = 0; i < sizeof(quick) / sizeof(*quick); i++)
		if (strcmp(answer->name, quick[i]) == 0)
			return true;
	return false;
}

/* Whether the target must fail in some schedules. A target whose race is only real need not fail. */
static bool must_fail(const struct answer *answer)
{
	if (answer->kind != ANSWER_RACE)
		return answer->kind == ANSWER_DEADLOCK || answer->kind == ANSWER_HANG || answer->kind == ANSWER_FAILURE;
	for (size_t i = 0; i < answer->n_pairs; i++)
		if (answer->pairs[i].want == ANSWER_HARMFUL)
			return true;
	return false;
}

static void release(struct criterion_test_params *params)
{
	cr_free(params->params);
}

ParameterizedTestParameters(again, each_failing_record)
{
	static struct answer answers[ANSWERS_MAX];
	size_t n_answers = answers_read(answers, ANSWERS_MAX), n = 0;
	struct answer *chosen = cr_malloc(n_answers * sizeof(*chosen));

	for (size_t i = 0; i < n_answers; i++)
		if ((must_fail(&answers[i]) || answers[i].kind == ANSWER_RACE) && (e2e_full() || is_quick(&answers[i])))
			chosen[n++] = answers[i];
	return cr_make_param_array(struct answer, chosen, n, release);
}

static void campaign(struct e2e *e2e, const struct answer *answer)
{
	char *program = e2e_target("O2g", answer->name);
	const char *args[16];
	size_t n = 0;

	args[n++] = e2e_full() ? "--runs=16" : "--runs=8";
	args[n++] = e2e_full() ? "--explore=60" : "--explore=30";
	args[n++] = program;
	for (size_t i = 0; i < answer->n_words; i++)
		args[n++] = answer->words[i];
	args[n] = NULL;
	e2e_run(e2e, args);
	e2e_expect_status(e2e, answer->status);
	free(program);
}

/* ---- another program on all cores ---- */

struct load {
	char *program;
	pid_t pid;
};

static void load_begin(struct load *load)
{
	char *argv[] = {load->program, NULL}, *envp[] = {NULL}, byte;
	posix_spawn_file_actions_t actions;
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	posix_spawn_file_actions_addclose(&actions, ends[0]);
	cr_assert_eq(posix_spawn(&load->pid, load->program, &actions, NULL, argv, envp), 0);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	cr_assert_eq(read(ends[0], &byte, 1), 1, "the cores cannot be kept busy");
	close(ends[0]);
}

static void load_end(struct load *load)
{
	cr_assert_eq(kill(load->pid, 0), 0);
	cr_expect_eq(waitpid(load->pid, NULL, WNOHANG), 0, "the load ended before its time");
	kill(load->pid, SIGKILL);
	cr_assert_eq(waitpid(load->pid, NULL, 0), load->pid);
}

/* ---- replays ---- */

static void replay(struct e2e *e2e, const char *record, int times, const char *when, size_t *n)
{
	for (int i = 0; i < times && !e2e->failed; i++, ++*n) {
		e2e_say(e2e, WORDS("--replay", record));
		e2e_expect_status(e2e, 1);
		e2e_expect(e2e, strstr(e2e->said.err, "same as the recorded run"), "replay %d%s: %s", i + 1, when,
			   e2e->said.err);
	}
}

/* Replays each record several times. Returns the number of replays. */
static size_t replay_records(struct e2e *e2e, char *const *records, size_t n_records, const char *when)
{
	size_t n = 0;

	for (size_t i = 0; i < n_records; i++)
		replay(e2e, records[i], e2e_full() ? 5 : 1, when, &n);
	return n;
}

/* *simple: path of the simplified record; caller frees. Returns its number of preemptions. */
static int simplify(struct e2e *e2e, const struct answer *answer, const char *record, char **simple)
{
	int switches = -1, preemptions = -1;
	bool many = strcmp(answer->name, "rare_state") == 0 || strcmp(answer->name, "futex_trylock") == 0 ||
		    strcmp(answer->name, "deadlock_ring_5") == 0;
	int most = many ? MANY_PREEMPTIONS : PREEMPTIONS;

	e2e_say(e2e, WORDS("--simplify", record));
	e2e_expect_status(e2e, 1);
	e2e_expect(e2e, sscanf(e2e->said.out, "%d switches, %d of them preemptions", &switches, &preemptions) == 2,
		   "%s", e2e->said.out);
	e2e_expect(e2e, preemptions <= most, "%s", e2e->said.out);
	cr_assert_gt(asprintf(simple, "%.*s-simple.json", (int)(strlen(record) - strlen(".json")), record), 0);
	return preemptions;
}

ParameterizedTest(struct answer *answer, again, each_failing_record)
{
	size_t n = 0, idle, loaded;
	char **records = NULL, *record, *simple;
	int preemptions = -1;
	struct load load;
	struct e2e e2e;

	e2e_begin(&e2e);
	load.program = e2e_program(&e2e, "busy.c", "-O2");
	campaign(&e2e, answer);
	while ((record = e2e_failing_record(&e2e, n))) {
		records = realloc(records, (n + 2) * sizeof(*records));
		records[n++] = record;
	}
	e2e_expect(&e2e, n || !must_fail(answer), "no failure has a record\n%s", e2e.said.out);
	if (n) {
		preemptions = simplify(&e2e, answer, records[0], &simple);
		records[n++] = simple;
	}
	idle = replay_records(&e2e, records, n, "");
	load_begin(&load);
	loaded = replay_records(&e2e, records, n, " with the cores busy");
	load_end(&load);
	cr_log_info("%s: %zu records, the simplified one included, of %d preemptions; replayed %zu times and, with the "
		    "cores busy, %zu times",
		    answer->name, n, preemptions, idle, loaded);
	while (n)
		free(records[--n]);
	free(records);
	free(load.program);
	e2e_end(&e2e);
}
