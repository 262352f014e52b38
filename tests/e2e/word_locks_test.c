/*
 * word_locks_test.c - locks that are no pthread locks are recognised: what they protect is not predicted to race, what
 * they do not protect is found, and --no-lock switches one off.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(word_locks, .timeout = 300);

#define HANDED_OVER (e2e_full() ? "--explore=60" : "--explore=15")

/* In the last one, no thread waits. */
static const char *const names[] = {"futex_mutex", "spin_mutex", "try_only"};
#define N_NAMES (sizeof(names) / sizeof(*names))

/* How many lessons of the record begin like this. */
static size_t lessons(const char *record, const char *prefix)
{
	json_t *root = json_load_file(record, 0, NULL), *site;
	size_t i, n = 0;

	json_array_foreach(json_object_get(root, "spin"), i, site) n +=
		strncmp(json_string_value(json_array_get(site, 0)), prefix, strlen(prefix)) == 0;
	json_decref(root);
	return n;
}

static void campaign(struct e2e *e2e, const char *name, const char *option)
{
	char *program = e2e_target("O2g", name);
	const char *args[] = {e2e_full() ? "--runs=30" : "--runs=8", option, program, NULL};

	e2e_run(e2e, args);
	free(program);
}

Test(word_locks, what_they_protect_is_not_predicted)
{
	for (size_t i = 0; i < N_NAMES; i++) {
		struct e2e e2e;
		char name[64] = "";

		strcat(strcat(name, names[i]), "_fixed");
		e2e_begin(&e2e);
		campaign(&e2e, name, "--explore=4");
		e2e_expect_silent(&e2e);
		e2e_expect(&e2e, e2e_count(&e2e, "pairs") == 0, "%zu pairs", e2e_count(&e2e, "pairs"));
		e2e_end(&e2e);
	}
}

Test(word_locks, what_they_do_not_protect_is_found)
{
	for (size_t i = 0; i < N_NAMES; i++) {
		struct e2e e2e;
		char *record;

		e2e_begin(&e2e);
		campaign(&e2e, names[i], "--explore=4");
		e2e_expect_status(&e2e, 1);
		record = e2e_record(&e2e, e2e_item(&e2e, "pairs", 0));
		e2e_expect(&e2e, record && lessons(record, "[lock]") > 0, "no lock was learnt");
		free(record);
		e2e_end(&e2e);
	}
}

/* A wrong lock hides a race, until a run of exploration shows that it is none. Then the race is predicted. */
Test(word_locks, a_lock_that_two_threads_hold_is_none)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	campaign(&e2e, "futex_trylock", "--explore=200");
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, e2e_count(&e2e, "pairs") > 0, "no pair");
	e2e_end(&e2e);
	e2e_begin(&e2e);
	campaign(&e2e, "futex_trylock_fixed", "--explore=200");
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, e2e_count(&e2e, "pairs") == 0, "%zu pairs", e2e_count(&e2e, "pairs"));
	e2e_end(&e2e);
}

Test(word_locks, no_lock_switches_one_off)
{
	struct e2e e2e;
	char *record;

	e2e_begin(&e2e);
	campaign(&e2e, names[1], "--no-lock=loc*");
	e2e_expect_status(&e2e, 1);
	record = e2e_record(&e2e, e2e_item(&e2e, "pairs", 0));
	e2e_expect(&e2e, record && lessons(record, "[lock]") == 0, "a lock was learnt");
	free(record);
	e2e_end(&e2e);
}

/*
 * What threads learn by atomics: that another thread is done with a block, so that they may free it; that all others
 * have counted down; that a value was made. In each target, a thread touches the memory once more after it has said
 * that it is done. This access is found, and nothing in the twin.
 */
Test(word_locks, what_atomics_hand_over)
{
	static const char *const shapes[] = {"second_frees", "count_down", "exchange_publish"};

	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		struct e2e e2e;
		char name[64] = "";

		strcat(strcat(name, shapes[i]), "_fixed");
		e2e_begin(&e2e);
		campaign(&e2e, name, HANDED_OVER);
		e2e_expect_silent(&e2e);
		e2e_expect(&e2e, e2e_count(&e2e, "pairs") == 0, "%s: %zu pairs", name, e2e_count(&e2e, "pairs"));
		e2e_end(&e2e);
		e2e_begin(&e2e);
		campaign(&e2e, shapes[i], HANDED_OVER);
		e2e_expect_status(&e2e, 1);
		e2e_end(&e2e);
	}
}

/* The deadlock comes before the run has learnt that the words are locks. */
Test(word_locks, a_deadlock_names_the_locks_and_who_holds_them)
{
	struct e2e e2e;
	json_t *threads, *thread;
	size_t i, named = 0;

	e2e_begin(&e2e);
	campaign(&e2e, "futex_abba", "--explore=20");
	e2e_expect_status(&e2e, 1);
	threads = json_object_get(e2e_item(&e2e, "deadlocks", 0), "threads");
	json_array_foreach(threads, i, thread)
	{
		const char *text = json_string_value(json_object_get(thread, "waits_for"));

		named += text && (strstr(text, "first (lock of lock), held by thread 1") ||
				  strstr(text, "second (lock of lock), held by thread 2"));
	}
	e2e_expect(&e2e, named == 2, "%zu of 2 locks are named\n%s", named, e2e.said.out);
	e2e_end(&e2e);
	e2e_begin(&e2e);
	campaign(&e2e, "futex_lost_wake", "--explore=20");
	e2e_expect(&e2e, e2e.said.out && !strstr(e2e.said.out, "held by"), "nobody holds a lock\n%s", e2e.said.out);
	e2e_end(&e2e);
}

/* A predicting run in which threads yield at words is deterministic too. */
Test(word_locks, runs_that_learn_are_the_same_again)
{
	struct e2e e2e;
	char *program = e2e_target("O2g", names[0]);
	const char *args[] = {"--verify=3", "--detector=hybrid", "--policy=random", program, NULL};

	e2e_begin(&e2e);
	e2e_say(&e2e, args);
	e2e_expect_status(&e2e, 0);
	free(program);
	e2e_end(&e2e);
}
