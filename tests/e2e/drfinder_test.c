/* drfinder_test.c - DrFinder with FastTrack on a real program in the shape of the paper's figure 2 (FSE 2015). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(drfinder, .timeout = 1800);

/* The goals are for 200 seeds. With fewer seeds the bounds are wider, so that a correct policy always meets them. */
static int seeds(void)
{
	return e2e_full() ? 200 : 20;
}

static bool pair_on(const struct e2e *e2e, const char *variable)
{
	for (size_t i = 0; i < e2e_count(e2e, "pairs"); i++) {
		const char *on = json_string_value(json_object_get(e2e_item(e2e, "pairs", i), "variable"));

		if (on && strcmp(on, variable) == 0)
			return true;
	}
	return false;
}

/* `word` and `more` are arguments of the program; NULL: none. */
static void sample_program(struct e2e *e2e, const char *policy, const char *runs, int seed, const char *program,
			   const char *word, const char *more)
{
	char seed_text[16];

	snprintf(seed_text, sizeof(seed_text), "%d", seed);
	e2e_run(e2e, (const char *const[]){"--policy", policy, "--detector", "fasttrack", "--runs", runs, "--seed",
					   seed_text, "--no-confirm", program, word, more, NULL});
	e2e_expect_status(e2e, 0);
}

static void sample(struct e2e *e2e, const char *policy, const char *runs, int seed, const char *target)
{
	char *program = e2e_target("O2g", target);

	sample_program(e2e, policy, runs, seed, program, NULL, NULL);
	free(program);
}

/*
 * The first run learns, and the second one reverses the order of the critical sections. The second run must show the
 * race on x for 85 % of the seeds; single runs of simple random may show it for at most 25 %. With 200 seeds the counts
 * were 192 and 10. With 20 seeds, 14 and 6 would be more than four standard deviations away from these.
 */
Test(drfinder, shows_the_race_that_random_seldom_shows)
{
	int finder = 0, simple = 0, least = e2e_full() ? 170 : 15, most = e2e_full() ? 50 : 5;
	struct e2e e2e;

	e2e_begin(&e2e);
	for (int i = 1; i <= seeds(); i++) {
		sample(&e2e, "drfinder", "2", i * 1000, "drfinder_figure2");
		finder += pair_on(&e2e, "x");
		sample(&e2e, "random", "1", i * 1000 + 1, "drfinder_figure2");
		simple += pair_on(&e2e, "x");
	}
	fprintf(stderr, "the race on x: drfinder %d, random %d of %d\n", finder, simple, seeds());
	e2e_expect(&e2e, finder >= least, "%d of %d", finder, seeds());
	e2e_expect(&e2e, simple <= most, "%d of %d", simple, seeds());
	e2e_end(&e2e);
}

/* Both races must show for 95 % of the seeds. */
Test(drfinder, shows_both_races_in_ten_runs_and_none_of_the_twin)
{
	struct e2e e2e;
	int both = 0;

	e2e_begin(&e2e);
	for (int i = 1; i <= seeds(); i++) {
		sample(&e2e, "drfinder", "10", i * 1000, "drfinder_figure2");
		both += pair_on(&e2e, "x") && pair_on(&e2e, "y");
	}
	fprintf(stderr, "both races: %d of %d\n", both, seeds());
	e2e_expect(&e2e, both * 20 >= seeds() * 19, "both in %d of %d", both, seeds());
	sample(&e2e, "drfinder", "10", 1, "drfinder_figure2_fixed");
	e2e_expect(&e2e, e2e_count(&e2e, "pairs") == 0, "%zu pairs", e2e_count(&e2e, "pairs"));
	e2e_end(&e2e);
}

/*
 * The same program with a spin lock, and with a mutex made of a futex. Some runs must learn that these are locks first.
 * Of 20 seeds, 20 showed the race on x in ten runs of drfinder, and 2 or 3 in ten runs of random.
 */
Test(drfinder, reverses_locks_that_are_no_pthread_locks)
{
	static const char *const kinds[] = {"spin", "futex"};
	const int n = e2e_full() ? 20 : 3;

	for (size_t k = 0; k < 2; k++) {
		int finder = 0, simple = 0;
		struct e2e e2e;
		char *program;

		e2e_begin(&e2e);
		program = e2e_program(&e2e, "hidden_words.c", "-I. -O2 -g -pthread");
		for (int i = 1; i <= n; i++) {
			sample_program(&e2e, "drfinder", "10", i * 1000, program, kinds[k], NULL);
			finder += pair_on(&e2e, "x");
			sample_program(&e2e, "random", "10", i * 1000, program, kinds[k], NULL);
			simple += pair_on(&e2e, "x");
		}
		e2e_expect(&e2e, finder >= n - 1 && simple <= n / 2, "%s: drfinder %d, random %d of %d", kinds[k],
			   finder, simple, n);
		sample_program(&e2e, "drfinder", "10", 1, program, kinds[k], "fixed");
		e2e_expect(&e2e, e2e_count(&e2e, "pairs") == 0, "%zu pairs", e2e_count(&e2e, "pairs"));
		free(program);
		e2e_end(&e2e);
	}
}

static double counter(const struct e2e *e2e, const char *key)
{
	const json_t *stats = json_object_get(json_object_get(e2e->report, "sampling"), "stats");

	return json_number_value(json_object_get(stats, key));
}

/*
 * A thread that has not started counts as being in its start routine. drfinder must find the same routine for threads
 * of pthread_create(), thrd_create() and std::thread. The operations are the same in all three, so its choices must be
 * too.
 */
Test(drfinder, threads_start_where_the_program_says)
{
	static const char *const kinds[] = {"c", "c11", "cxx"};
	double postponed[3], requests[3], steps[3];
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "starts.cc", "-O1 -g -pthread");
	for (size_t i = 0; i < 3; i++) {
		e2e_run(&e2e, WORDS("--policy=drfinder", "--runs=30", program, kinds[i]));
		e2e_expect_status(&e2e, 0);
		postponed[i] = counter(&e2e, "postponed");
		requests[i] = counter(&e2e, "requests");
		steps[i] = json_number_value(json_object_get(json_object_get(e2e.report, "stats"), "steps"));
		e2e_expect(&e2e, postponed[i] > 0 && postponed[i] == postponed[0] && requests[i] == requests[0],
			   "%s: %.0f of %.0f requests wait, with pthread_create() %.0f of %.0f", kinds[i], postponed[i],
			   requests[i], postponed[0], requests[0]);
		e2e_expect(&e2e, steps[i] == steps[0], "%s: %.0f operations, with pthread_create() %.0f", kinds[i],
			   steps[i], steps[0]);
	}
	free(program);
	e2e_end(&e2e);
}
