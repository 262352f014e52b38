/*
 * predictions_test.c - what prediction keeps for later: two accesses that belong together, which the report shows of an
 * unconfirmed pair, and where accesses collided.
 */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(predictions, .timeout = 300);

static json_t *side(const struct e2e *e2e, size_t pair, size_t k)
{
	return json_array_get(json_object_get(e2e_item(e2e, "pairs", pair), "statements"), k);
}

static const char *access_of(json_t *statement)
{
	const char *access = json_string_value(json_object_get(statement, "access"));

	return access ? access : "";
}

/* What a thread was parked at in the second phase is no side of a prediction: it may be the same thread twice. */
Test(predictions, show_two_threads_of_which_one_writes)
{
	static const char *const names[] = {"file_locks", "flag_under_lock", "futex_pingpong"};
	size_t shown = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *program = e2e_target("O2g", names[i]);
		struct e2e e2e;

		e2e_begin(&e2e);
		e2e_run(&e2e, WORDS("--runs=10", "--explore=1", program));
		for (size_t p = 0; p < e2e_count(&e2e, "pairs"); p++) {
			json_t *a = side(&e2e, p, 0), *b = side(&e2e, p, 1);

			e2e_expect(&e2e,
				   json_integer_value(json_object_get(a, "thread")) !=
					   json_integer_value(json_object_get(b, "thread")),
				   "%s: one thread twice\n%s", names[i], e2e.said.out);
			e2e_expect(&e2e, strstr(access_of(a), "write") || strstr(access_of(b), "write"),
				   "%s: two reads\n%s", names[i], e2e.said.out);
			shown++;
		}
		e2e_end(&e2e);
		free(program);
	}
	cr_expect_geq(shown, 4, "%zu", shown);
}

/* Whether the runs of a sampling wrote different output. */
static bool outputs_differ(const struct e2e *e2e, int runs)
{
	char path[PATH_MAX], first[256] = "", other[256];
	bool differ = false;

	for (int seed = 1; seed <= runs; seed++) {
		char *text = seed == 1 ? first : other;
		FILE *file;
		size_t n;

		snprintf(path, sizeof(path), "%s/out/runs/sample-seed-%d.out", e2e->folder, seed);
		file = fopen(path, "r");
		cr_assert_not_null(file, "%s", path);
		n = fread(text, 1, sizeof(other) - 1, file);
		fclose(file);
		cr_assert(n > 0, "%s is empty", path);
		text[n] = '\0';
		differ |= seed > 1 && strcmp(first, other) != 0;
	}
	return differ;
}

/* A block has another address in another run, but where accesses to it collided has one name in all runs. */
Test(predictions, collisions_in_heap_blocks_have_the_same_names_in_all_runs)
{
	struct e2e e2e;
	char *program;
	json_t *record, *addresses;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "blocks.c", "-O1 -g -pthread");
	e2e_run(&e2e, WORDS("--policy=random", "--runs=6", "--keep-records", program));
	e2e_expect(&e2e, outputs_differ(&e2e, 6), "blocks have the same addresses in all runs");
	e2e_run(&e2e, WORDS("--predict-runs=6", "--runs=20", "--explore=0", program));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, e2e_count(&e2e, "pairs") == 1, "%zu pairs\n%s", e2e_count(&e2e, "pairs"), e2e.said.out);
	record = json_load_file(json_string_value(json_object_get(e2e_item(&e2e, "pairs", 0), "record")), 0, NULL);
	addresses = json_object_get(record, "addresses");
	/* the last elements of three blocks */
	e2e_expect(&e2e, json_array_size(addresses) == 3, "%zu names", json_array_size(addresses));
	for (size_t i = 0; i < json_array_size(addresses); i++)
		e2e_expect(&e2e, strcmp(json_string_value(json_array_get(json_array_get(addresses, i), 2)), "958") == 0,
			   "name %zu has another offset", i);
	json_decref(record);
	e2e_run(&e2e, WORDS("--runs=20", "--explore=10", program, "locked"));
	e2e_expect_silent(&e2e);
	e2e_end(&e2e);
	free(program);
}
