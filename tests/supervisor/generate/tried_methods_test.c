/* tried_test.c - of the calls of a trial, the one at which it ended was tried, and those before it have returned.
 * Functions that fail are called less often. */
#include "supervisor/generate/tests/tried_methods.h"

#include <criterion/criterion.h>

#include "supervisor/generate/library/library.h"
#include "supervisor/generate/tests/sequence.h"
#include "supervisor/generate/tests/trial.h"

TestSuite(tried, .timeout = 60);

/* make() is a constructor; a(), b() and c() are methods. */
enum { MAKE, A, B, C, N };

Test(tried, methods_are_counted)
{
	struct rfs_use uses[N] = {
		{.function = MAKE, .role = RFS_ROLE_RETURNS},
		{.function = A, .role = RFS_ROLE_METHOD},
		{.function = B, .role = RFS_ROLE_METHOD},
		{.function = C, .role = RFS_ROLE_METHOD},
	};
	struct rfs_library_type type = {.uses = uses, .n_uses = N};
	struct rfs_library_function functions[N] = {{.name = "make"}, {.name = "a"}, {.name = "b"}, {.name = "c"}};
	const struct rfs_library library = {.functions = functions, .n_functions = N, .types = &type, .n_types = 1};
	struct rfs_value object = {.kind = RFS_VALUE_VARIABLE}, none = {.kind = RFS_VALUE_NULL};
	struct rfs_sequence_call prefix[] = {
		{.function = RFS_CALL_MEMORY}, {.function = MAKE}, {.function = A, .values = &object, .n_values = 1}};
	struct rfs_sequence_call suffix[] = {{.function = B, .values = &object, .n_values = 1},
					     {.function = C, .values = &object, .n_values = 1}};
	struct rfs_sequence_call call_on_nothing = {.function = C, .values = &none, .n_values = 1};
	const struct rfs_sequence sequence = {.calls = {prefix, suffix}, .n = {3, 2}};
	const struct rfs_sequence on_nothing = {.calls = {&call_on_nothing}, .n = {1}};
	struct rfs_trial trial = {.end = RFS_TRIAL_SIGNAL, .n = 3};
	struct rfs_tried_methods tried;
	size_t returned;

	rfs_tried_methods_init(&library, &tried);
	cr_expect_eq(rfs_tried_methods_methods(&tried, &returned), 0);
	rfs_tried_methods_note(&tried, &sequence, &trial);
	cr_expect_eq(rfs_tried_methods_methods(&tried, &returned), 2);
	cr_expect_eq(returned, 1);
	cr_expect(rfs_tried_methods_never_returned(&tried, B) && !rfs_tried_methods_never_returned(&tried, A) &&
		  !rfs_tried_methods_never_returned(&tried, C) && !rfs_tried_methods_never_returned(&tried, MAKE));
	rfs_tried_methods_note(&tried, &on_nothing, &(struct rfs_trial){.end = RFS_TRIAL_SIGNAL});
	cr_expect_eq(rfs_tried_methods_methods(&tried, &returned), 2);
	trial = (struct rfs_trial){.end = RFS_TRIAL_BAD};
	rfs_tried_methods_note(&tried, &sequence, &trial);
	trial = (struct rfs_trial){.end = RFS_TRIAL_OK, .n = 5};
	rfs_tried_methods_note(&tried, &sequence, &trial);
	cr_expect_eq(rfs_tried_methods_methods(&tried, &returned), 3);
	cr_expect_eq(returned, 3);
	cr_expect(!rfs_tried_methods_never_returned(&tried, B));
	rfs_tried_methods_release(&tried);
}

static struct rfs_tried_methods one_function(struct rfs_library *library)
{
	static struct rfs_library_function function = {.name = "f"};
	struct rfs_tried_methods tried;

	*library = (struct rfs_library){.functions = &function, .n_functions = 1};
	rfs_tried_methods_init(library, &tried);
	return tried;
}

static void note(struct rfs_tried_methods *tried, enum rfs_trial_end end, int times)
{
	struct rfs_sequence_call call = {.function = 0};
	const struct rfs_sequence sequence = {.calls = {&call}, .n = {1}};

	for (int i = 0; i < times; i++)
		rfs_tried_methods_note(tried, &sequence, &(struct rfs_trial){.end = end, .n = end == RFS_TRIAL_OK});
}

Test(tried, functions_that_fail_are_called_less_often_and_then_never)
{
	struct rfs_library library;
	struct rfs_tried_methods tried = one_function(&library);
	unsigned before = rfs_tried_methods_likely(&tried, 0);

	cr_expect_eq(before, RFS_TRIED_METHODS_LIKELY);
	note(&tried, RFS_TRIAL_SIGNAL, 5);
	cr_expect_lt(rfs_tried_methods_likely(&tried, 0), before);
	cr_expect(!rfs_tried_methods_is_dropped(&tried, 0));
	note(&tried, RFS_TRIAL_SIGNAL, 100);
	cr_expect(rfs_tried_methods_is_dropped(&tried, 0));
	cr_expect_eq(rfs_tried_methods_likely(&tried, 0), 0);
	rfs_tried_methods_release(&tried);
}

Test(tried, a_function_that_has_returned_is_not_dropped)
{
	struct rfs_library library;
	struct rfs_tried_methods tried = one_function(&library);

	note(&tried, RFS_TRIAL_OK, 1);
	note(&tried, RFS_TRIAL_SIGNAL, 10000);
	cr_expect_gt(rfs_tried_methods_likely(&tried, 0), 0);
	rfs_tried_methods_release(&tried);
}

Test(tried, functions_that_free_their_object_or_end_the_driver_are_dropped)
{
	struct rfs_library library;
	struct rfs_tried_methods tried = one_function(&library);

	for (int i = 0; i < 100; i++) {
		note(&tried, RFS_TRIAL_OK, 1);
		rfs_tried_methods_ended(&tried, 0);
	}
	cr_expect(rfs_tried_methods_is_dropped(&tried, 0));
	rfs_tried_methods_release(&tried);
	tried = one_function(&library);
	rfs_tried_methods_died(&tried, 0);
	cr_expect(!rfs_tried_methods_is_dropped(&tried, 0));
	rfs_tried_methods_died(&tried, 0);
	cr_expect(rfs_tried_methods_is_dropped(&tried, 0));
	rfs_tried_methods_release(&tried);
}

/* The limit ends the search for objects that need each other. */
Test(tried, a_constructor_that_never_gives_an_object_is_none_any_more)
{
	struct rfs_library library;
	struct rfs_tried_methods tried = one_function(&library);

	cr_expect(rfs_tried_methods_makes(&tried, 0));
	for (int i = 0; i < 99; i++)
		rfs_tried_methods_made(&tried, 0, false);
	cr_expect(rfs_tried_methods_makes(&tried, 0));
	rfs_tried_methods_made(&tried, 0, false);
	cr_expect(!rfs_tried_methods_makes(&tried, 0));
	cr_expect(!rfs_tried_methods_is_dropped(&tried, 0), "it may still be a method");
	rfs_tried_methods_made(&tried, 0, true);
	cr_expect(rfs_tried_methods_makes(&tried, 0));
	rfs_tried_methods_release(&tried);
}

Test(tried, texts_that_failed_are_known)
{
	struct rfs_library library;
	struct rfs_tried_methods tried = one_function(&library);
	enum rfs_trial_end end = RFS_TRIAL_OK;

	cr_expect(!rfs_tried_methods_has_failed(&tried, "0 - f", 5, &end));
	rfs_tried_methods_note_failed(&tried, "0 - f", 5, RFS_TRIAL_LATE);
	cr_expect(rfs_tried_methods_has_failed(&tried, "0 - f", 5, &end) && end == RFS_TRIAL_LATE);
	cr_expect(!rfs_tried_methods_has_failed(&tried, "0 - g", 5, &end));
	rfs_tried_methods_release(&tried);
}
