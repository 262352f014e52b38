/*
 * litmus_test.c - with --memory-model tso, targets/litmus.c ends in the states that x86-TSO has, and in no other. The
 * states come from the same reference as those of the model machine (tests/policy/litmus.h). Without the option the
 * states are those of sequential consistency. The short check has the tests of two threads; the model machine has all.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"
#include "tests/policy/litmus.h"

TestSuite(litmus, .timeout = 3600);

/* The thread as an argument of the target. Adds to *loads the registers that its loads fill, in order. */
static void put_thread(const struct litmus *test, int thread, char *out, int *loads, int *n_loads)
{
	for (const struct litmus_op *op = test->ops[thread]; op->code != L_END; op++) {
		const char word = "xy"[op->word];

		switch (op->code) {
		case L_STORE:
			out += sprintf(out, "%c%d ", word, op->value);
			break;
		case L_LOAD:
			out += sprintf(out, "%c? ", word);
			loads[(*n_loads)++] = thread * LITMUS_REGISTERS + op->reg;
			break;
		case L_LOCKED:
			out += sprintf(out, "%c+ ", word);
			break;
		case L_FENCE:
			out += sprintf(out, "F ");
			break;
		case L_END:
			break;
		}
	}
}

struct command {
	char threads[LITMUS_THREADS][64];
	const char *args[18];
	int loads[LITMUS_THREADS * LITMUS_REGISTERS], n_loads; /* registers, in the order of the output */
};

static struct litmus_state read_state(const struct command *command, const char *path)
{
	char *text = e2e_text(path), *at = text;
	struct litmus_state state = {0};
	int length, words[LITMUS_WORDS];

	cr_assert_not_null(text, "%s", path);
	for (int i = 0; i < command->n_loads; i++, at += length) {
		int value;

		cr_assert_eq(sscanf(at, "%d %n", &value, &length), 1, "%s: %s", path, text);
		state.values[command->loads[i]] = (unsigned char)value;
	}
	cr_assert_eq(sscanf(at, "x=%d y=%d", &words[0], &words[1]), 2, "%s: %s", path, text);
	for (int i = 0; i < LITMUS_WORDS; i++)
		state.values[LITMUS_THREADS * LITMUS_REGISTERS + i] = (unsigned char)words[i];
	free(text);
	return state;
}

/* Adds the states of all runs of the last command. */
static void read_states(const struct e2e *e2e, const struct command *command, struct litmus_states *out)
{
	char path[4096];
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "%s/out/runs", e2e->folder);
	folder = opendir(path);
	cr_assert_not_null(folder, "%s", path);
	while ((entry = readdir(folder))) {
		size_t n = strlen(entry->d_name);
		struct litmus_state state;

		if (n < 4 || strcmp(entry->d_name + n - 4, ".out") != 0 || strncmp(entry->d_name, "sample", 6) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/out/runs/%s", e2e->folder, entry->d_name);
		state = read_state(command, path);
		(void)litmus_states_add(out, &state);
	}
	closedir(folder);
}

/* Adds the states of these runs under random. */
static void execute(struct e2e *e2e, const struct litmus *test, bool tso, const char *runs, const char *seed,
		    struct litmus_states *out)
{
	char *target = e2e_target("O2g", "litmus");
	struct command command = {.args = {"--memory-model", tso ? "tso" : "sc", "--policy", "random", "--runs", runs,
					   "--seed", seed, "--keep-records", "--", target}};
	size_t n = 11;

	for (size_t t = 0; t < litmus_threads(test); t++) {
		put_thread(test, (int)t, command.threads[t], command.loads, &command.n_loads);
		command.args[n++] = command.threads[t];
	}
	e2e_run(e2e, command.args);
	e2e_expect_status(e2e, 0);
	read_states(e2e, &command, out);
	free(target);
}

static bool is_reached(const struct litmus *test, const struct litmus_states *found)
{
	bool is = false;

	for (size_t i = 0; i < found->n; i++)
		is = is || litmus_is_state(test, &found->list[i]);
	return is;
}

/* If these runs do not reach an allowed state, or in a full check all of them, as many follow with each other seed. */
static void check(const struct litmus *test, bool tso, const char *runs)
{
	static const char *const seeds[] = {"1",    "1001", "2001", "3001", "4001",
					    "5001", "6001", "7001", "8001", "9001"};
	struct litmus_states found = {0}, all;
	struct e2e e2e;
	bool reached;

	e2e_begin(&e2e);
	litmus_all(test, tso, &all);
	execute(&e2e, test, tso, runs, seeds[0], &found);
	for (size_t i = 1; i < sizeof(seeds) / sizeof(*seeds); i++)
		if ((tso && test->allowed && !is_reached(test, &found)) || (e2e_full() && found.n < all.n))
			execute(&e2e, test, tso, runs, seeds[i], &found);
	reached = is_reached(test, &found);
	for (size_t i = 0; i < found.n; i++)
		e2e_expect(&e2e, litmus_states_has(&all, &found.list[i]), "%s: a state that x86 does not have",
			   test->name);
	e2e_expect(&e2e, reached == (tso && test->allowed), "%s: \"%s\" is %s, and was %sreached", test->name,
		   test->state, test->allowed ? "allowed" : "forbidden", reached ? "" : "not ");
	if (e2e_full())
		e2e_expect(&e2e, found.n == all.n, "%s: %zu of %zu states were reached", test->name, found.n, all.n);
	free(found.list);
	free(all.list);
	e2e_end(&e2e);
}

Test(litmus, the_allowed_states_are_reached_and_no_forbidden_one)
{
	for (size_t i = 0; i < n_litmus_tests; i++)
		if (e2e_full() || litmus_threads(&litmus_tests[i]) == 2)
			check(&litmus_tests[i], true, e2e_full() ? "1000" : "30");
}

Test(litmus, no_store_is_delayed_without_the_option)
{
	for (size_t i = 0; i < n_litmus_tests; i++)
		if (e2e_full() || litmus_threads(&litmus_tests[i]) == 2)
			check(&litmus_tests[i], false, e2e_full() ? "300" : "12");
}
