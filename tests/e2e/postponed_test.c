/* What happens while a thread is postponed, and after its race: time, spinning threads, and the loser of the race. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(postponed, .timeout = 900);

#define RUNS (e2e_full() ? "--runs=100" : "--runs=20")
#define EXPLORE (e2e_full() ? "--explore=40" : "--explore=20")

static double pair_number(const struct e2e *e2e, const char *key)
{
	return json_number_value(json_object_get(e2e_item(e2e, "pairs", 0), key));
}

static void run(struct e2e *e2e, const char *name, const char *option)
{
	char *program = e2e_target("O2g", name);

	e2e_begin(e2e);
	e2e_run(e2e, WORDS("--runs=40", "--explore=1", option, program));
	free(program);
}

/* The reader sleeps for 20 ms. So much time may pass while the writer is postponed. */
Test(postponed, a_sleep_within_sleep_race_does_not_hide_a_race)
{
	struct e2e e2e;
	char *record;

	run(&e2e, "sleepers", "--sleep-race=0.05");
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, pair_number(&e2e, "confirmed") >= 10 && pair_number(&e2e, "failures") >= 4, "%s",
		   e2e.said.out);
	record = e2e_record(&e2e, e2e_item(&e2e, "pairs", 0));
	e2e_expect(&e2e, record, "no record");
	if (record) {
		e2e_say(&e2e, WORDS("--replay", record));
		e2e_expect_status(&e2e, 1);
	}
	free(record);
	e2e_end(&e2e);
	run(&e2e, "sleepers_fixed", "--sleep-race=0.05");
	e2e_expect_silent(&e2e);
	e2e_end(&e2e);
}

/* A postponed thread is let go before more time passes, so no longer timeout expires because of it. */
Test(postponed, a_longer_timeout_does_not_expire)
{
	static const char *const ways[] = {"alarm", "timerfd", "cond", "timer", "poll"};
	char *program = e2e_target("O2g", "watchdog"), *fixed = e2e_target("O2g", "watchdog_fixed");
	struct e2e e2e;

	/* the short check has a signal, a descriptor and a wait */
	for (size_t i = 0; i < e2e_rows(3, sizeof(ways) / sizeof(*ways)); i++) {
		e2e_begin(&e2e);
		e2e_run(&e2e, WORDS(RUNS, EXPLORE, program, ways[i]));
		e2e_expect_status(&e2e, 1);
		e2e_end(&e2e);
		e2e_begin(&e2e);
		e2e_run(&e2e, WORDS(RUNS, EXPLORE, fixed, ways[i]));
		e2e_expect_silent(&e2e);
		e2e_end(&e2e);
	}
	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS(RUNS, EXPLORE, "--sleep-race=0.1", program));
	e2e_expect_silent(&e2e);
	e2e_end(&e2e);
	free(program);
	free(fixed);
}

/* A lost wake-up: the loser of the race must come right behind the winner. Under the paper's rule it never does. */
Test(postponed, the_loser_of_a_race_may_come_right_behind_the_winner)
{
	struct e2e e2e;

	run(&e2e, "lost_wakeup", "--seed=1");
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, pair_number(&e2e, "failures") >= 2, "%s", e2e.said.out);
	e2e_end(&e2e);
	run(&e2e, "lost_wakeup_fixed", "--seed=1");
	e2e_expect_silent(&e2e);
	e2e_end(&e2e);
}
