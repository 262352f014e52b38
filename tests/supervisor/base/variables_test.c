#include "supervisor/base/variables.h"

#include <criterion/criterion.h>

TestSuite(variables, .timeout = 20);

Test(variables, are_names_with_values)
{
	cr_expect(rfs_variable_is_valid("A=1"));
	cr_expect(rfs_variable_is_valid("A="));
	cr_expect(rfs_variable_is_valid("A=B=C"));
	cr_expect_not(rfs_variable_is_valid("A"));
	cr_expect_not(rfs_variable_is_valid("=1"));
	cr_expect_not(rfs_variable_is_valid(""));
}

Test(variables, replace_those_of_the_same_name)
{
	char *const from[] = {(char *)"A=1", (char *)"AB=2", (char *)"C=3", NULL}, *const set[] = {(char *)"D=4",
												   (char *)"A=",
												   (char *)"D=5", NULL};
	const char *const expected[] = {"AB=2", "C=3", "A=", "D=5"};
	char **out = rfs_variables_set(from, set);

	for (size_t i = 0; i < 4; i++)
		cr_assert_str_eq(out[i], expected[i]);
	cr_expect_null(out[4]);
	rfs_variables_free(out);
	rfs_variables_free(NULL);
}
