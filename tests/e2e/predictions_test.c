/* An unconfirmed pair is shown as it was predicted: two accesses that belong together. */
#include <criterion/criterion.h>
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
