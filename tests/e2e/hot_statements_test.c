/* Statements that are executed so often that most of their executions pass without a stop (--stops-per-run). */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(hot_statements, .timeout = 900);

static double number(const struct e2e *e2e, const char *key, size_t i)
{
	return json_number_value(json_array_get(json_object_get(e2e_item(e2e, "pairs", 0), key), i));
}

/* What must not depend on how executions stop. Caller releases. */
static json_t *essence(const struct e2e *e2e)
{
	static const char *const keys[] = {"verdict",	"runs",	    "reached", "executed", "stopped",
					   "confirmed", "failures", "seed",    "failure"};
	json_t *all = json_object();

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		json_object_set(all, keys[i], json_object_get(e2e_item(e2e, "pairs", 0), keys[i]));
	json_object_set_new(all, "steps", json_real(e2e_stat(e2e, "steps")));
	return all;
}

/* The only execution that matters is the one at the byte that the other thread is about to read. */
Test(hot_statements, the_race_is_created_with_few_stops)
{
	struct e2e e2e;
	char *program = e2e_target("O2g", "hot_fill"), *fixed = e2e_target("O2g", "hot_fill_fixed"), *record;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=10", "--explore=1", program));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, e2e_count(&e2e, "pairs") == 1, "%s", e2e.said.out);
	e2e_expect(&e2e, number(&e2e, "executed", 0) == 10000, "%g executions", number(&e2e, "executed", 0));
	e2e_expect(&e2e, number(&e2e, "stopped", 0) < 5000, "%g stops", number(&e2e, "stopped", 0));
	e2e_expect(&e2e, strstr(e2e.said.out, "of its 10000 executions (--stops-per-run)"), "%s", e2e.said.out);
	e2e_expect(&e2e, json_integer_value(json_object_get(e2e_item(&e2e, "pairs", 0), "confirmed")) >= 4, "%s",
		   e2e.said.out);
	record = e2e_record(&e2e, e2e_item(&e2e, "pairs", 0));
	e2e_expect(&e2e, record, "no record");
	if (record) {
		e2e_expect_same_replay(&e2e, record);
		e2e_say(&e2e, WORDS("--simplify", record));
		e2e_expect_status(&e2e, 1);
	}
	free(record);
	e2e_end(&e2e);
	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=10", "--explore=1", "--stops-per-run=100", fixed));
	e2e_expect_silent(&e2e);
	e2e_end(&e2e);
	free(program);
	free(fixed);
}

/*
 * Stubs and breakpoints choose the same executions. A record made with breakpoints is replayed with stubs. In the short
 * check, store_buffers_test.c compares a hot statement in both ways.
 */
Test(hot_statements, stubs_choose_the_same_as_traps)
{
	static const char *const ways[] = {"--accesses=stubs", "--accesses=traps"};
	static const char *const variants[] = {"O2g", "O0g"};
	char *program;

	if (!e2e_full())
		cr_skip_test("in the full check");
	for (size_t v = 0; v < 2; v++) {
		json_t *results[2];
		double stops[2];

		program = e2e_target(variants[v], "hot_fill");
		for (int i = 0; i < 2; i++) {
			struct e2e e2e;
			char *record;

			e2e_begin(&e2e);
			e2e_run(&e2e,
				WORDS("--runs=4", "--explore=0", "--stops-per-run=300", "--stats", ways[i], program));
			e2e_expect_status(&e2e, 1);
			results[i] = essence(&e2e);
			stops[i] = e2e_stat(&e2e, "stops");
			record = e2e_record(&e2e, e2e_item(&e2e, "pairs", 0));
			e2e_expect(&e2e, record, "no record");
			if (record)
				e2e_expect_same_replay(&e2e, record);
			free(record);
			e2e_end(&e2e);
		}
		cr_expect(json_equal(results[0], results[1]), "%s: with stubs:\n%s\nwith traps:\n%s", variants[v],
			  json_dumps(results[0], JSON_SORT_KEYS), json_dumps(results[1], JSON_SORT_KEYS));
		cr_expect(stops[0] < stops[1] / 4, "%s: %g stops with stubs, %g with traps", variants[v], stops[0],
			  stops[1]);
		json_decref(results[0]);
		json_decref(results[1]);
		free(program);
	}
}

/* Without a limit, all executions stop, until the reader was postponed for too long. */
Test(hot_statements, no_limit)
{
	struct e2e e2e;
	char *program;

	if (!e2e_full())
		cr_skip_test("in the full check: it stops 10,000 times in each run");
	program = e2e_target("O2g", "hot_fill");
	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=1", "--explore=0", "--stops-per-run=0", "--stats", program));
	e2e_expect(&e2e, e2e_stat(&e2e, "steps") > 8000, "%g steps", e2e_stat(&e2e, "steps"));
	e2e_expect(&e2e, !json_object_get(e2e_item(&e2e, "pairs", 0), "executed"), "%s", e2e.said.out);
	e2e_end(&e2e);
	free(program);
}
