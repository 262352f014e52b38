/* guard_heap_test.c - --guard-heap: errors on the heap fail where they happen, and the report names the block. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(guard_heap, .timeout = 600);

struct guarded {
	const char *name, *says;
};

/* The program fails only with this heap, and its twin does not; the record has the heap. */
static void try_program(const struct guarded *guarded)
{
	char *program = e2e_target("O2g", guarded->name), *fixed_name = NULL, *fixed;
	const json_t *finding;
	struct e2e e2e;

	cr_assert(asprintf(&fixed_name, "%s_fixed", guarded->name) > 0);
	fixed = e2e_target("O2g", fixed_name);
	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--guard-heap", program));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, strstr(e2e.said.out, guarded->says), "%s", e2e.said.out);
	finding = e2e_item(&e2e, e2e_count(&e2e, "pairs") ? "pairs" : "failures", 0);
	e2e_say(&e2e, WORDS("--replay", json_string_value(json_object_get(finding, "record"))));
	e2e_expect_status(&e2e, 1);
	e2e_run(&e2e, WORDS("--guard-heap", fixed));
	e2e_expect_silent(&e2e);
	e2e_end(&e2e);
	free(program);
	free(fixed);
	free(fixed_name);
}

Test(guard_heap, a_deleted_atomic)
{
	try_program(&(struct guarded){"guard_atomic",
				      "use after free of a block of 8 bytes, allocated at guard_atomic.cc:"});
}

Test(guard_heap, a_freed_lock)
{
	try_program(
		&(struct guarded){"guard_mutex", "use after free of a block of 48 bytes, allocated at guard_mutex.c:"});
}

Test(guard_heap, the_end_of_a_block)
{
	try_program(&(struct guarded){"guard_end",
				      "access behind the end of a block of 16 bytes, allocated at guard_end.c:"});
}

Test(guard_heap, a_static_program_is_refused)
{
	char *program = e2e_target("O2g", "static_prog");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_say(&e2e, WORDS("--guard-heap", program));
	e2e_expect_status(&e2e, 2);
	e2e_expect(&e2e, strstr(e2e.said.err, "is a static program, whose heap cannot be replaced"), "%s",
		   e2e.said.err);
	e2e_end(&e2e);
	free(program);
}
