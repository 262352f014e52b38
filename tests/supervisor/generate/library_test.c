/* library_test.c - what the functions of a library are for, from its headers. */
#include "supervisor/generate/library/library.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/generate/library/parameters.h"
#include "tests/supervisor/generate/thing.h"

TestSuite(library, .timeout = 60);

static const struct rfs_use *use_of(const struct thing *thing, const char *type, const char *function)
{
	const struct rfs_library_type *row = thing_type(thing, type);
	size_t index = thing_function(thing, function);

	for (size_t i = 0; i < row->n_uses; i++)
		if (row->uses[i].function == index)
			return &row->uses[i];
	cr_assert_fail("%s does not use %s", function, type);
	return NULL;
}

Test(library, functions_have_their_roles)
{
	static const struct {
		const char *type, *function;
		enum rfs_role role;
		size_t parameter;
	} rows[] = {
		{"thing_t", "thing_new", RFS_ROLE_RETURNS, 0},
		{"thing_t", "thing_open", RFS_ROLE_FILLS, 0},
		{"thing_t", "thing_new_like", RFS_ROLE_RETURNS, 0},
		{"thing_t", "thing_self", RFS_ROLE_METHOD, 0},
		{"thing_t", "thing_free", RFS_ROLE_DESTRUCTOR, 0},
		{"thing_t", "thing_add", RFS_ROLE_METHOD, 0},
		{"thing_t", "thing_name", RFS_ROLE_METHOD, 0},
		{"thing_t", "thing_sort", RFS_ROLE_METHOD, 0},
		{"thing_t", "thing_put", RFS_ROLE_METHOD, 0},
		{"thing_t", "thing_release", RFS_ROLE_METHOD, 0},
		{"thing_t", "thing_set_free", RFS_ROLE_DESTRUCTOR, 0},
		{"thing_t", "thing_free_set", RFS_ROLE_METHOD, 0},
		{"thing_t", "thing_box_free", RFS_ROLE_METHOD, 0},
		{"struct box", "thing_box_free", RFS_ROLE_DESTRUCTOR, 1},
		{"struct box", "box_init", RFS_ROLE_INITIALISES, 0},
		{"part_t", "part_init", RFS_ROLE_INITIALISES, 1},
		{"part_t", "thing_init", RFS_ROLE_METHOD, 1},
		{"part_t", "thing_plot", RFS_ROLE_METHOD, 1},
		{"struct box", "box_get", RFS_ROLE_METHOD, 0},
		{"struct box", "box_twice", RFS_ROLE_METHOD, 0},
	};
	struct thing thing;

	thing_make(&thing);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct rfs_use *use = use_of(&thing, rows[i].type, rows[i].function);

		cr_expect_eq(use->role, rows[i].role, "%s: %d", rows[i].function, use->role);
		if (rows[i].role != RFS_ROLE_RETURNS)
			cr_expect_eq(use->parameter, rows[i].parameter, "%s", rows[i].function);
	}
	cr_expect(rfs_library_type_is_made(&thing.library, thing_type(&thing, "thing_t")));
	thing_release(&thing);
}

/* The first function of the header uses another name. */
Test(library, a_type_has_the_name_that_most_functions_use)
{
	struct thing thing;
	const struct rfs_library_type *type;

	thing_make(&thing);
	type = thing_type(&thing, "thing_t");
	cr_expect(rfs_library_type_matches(type, "thing_t"));
	cr_expect(rfs_library_type_matches(type, "other_*"));
	cr_expect_not(rfs_library_type_matches(type, "struct thing"));
	thing_release(&thing);
}

/* A parameter is declared as a typedef of a pointer to another typedef. Reports use the innermost name. */
Test(library, typedefs_of_a_type_and_of_pointers_to_it_are_names)
{
	struct thing thing;
	const struct rfs_library_type *type;

	thing_make(&thing);
	type = thing_type(&thing, "part_t");
	cr_expect_str_eq(type->name, "part_t");
	cr_expect(rfs_library_type_matches(type, "piece_t"));
	cr_expect(rfs_library_type_matches(type, "piece_ref"));
	cr_expect(rfs_library_type_matches(type, "part_t *"));
	cr_expect(rfs_library_type_matches(thing_type(&thing, "struct box"), "struct *"));
	cr_expect_not(rfs_library_type_matches(thing_type(&thing, "struct box"), "piece_t"));
	cr_expect_not(rfs_library_type_matches(type, "piece"));
	thing_release(&thing);
}

Test(library, a_call_that_only_tries_may_fail)
{
	struct thing thing;

	thing_make(&thing);
	cr_expect(rfs_library_tries(&thing.library.functions[thing_function(&thing, "thing_try_add")]));
	cr_expect_not(rfs_library_tries(&thing.library.functions[thing_function(&thing, "thing_add")]));
	thing_release(&thing);
}

Test(library, says_why_a_function_is_left_out)
{
	static const struct {
		const char *function, *why;
	} rows[] = {
		{"thing_print", "variable number of arguments"},
		{"thing_vprint", "va_list"},
		{"thing_widen", NULL},
		{"thing_precise", "long double"},
		{"thing_complex", "complex number"},
		{"thing_vector", "vector"},
		{"thing_huge", "__int128"},
		{"thing_many", "more than 64 arguments"},
		{"thing_add_unlocked", "expects a lock"},
		{"thing_add", NULL},
		{"thing_scale", NULL},
	};
	struct thing thing;

	thing_make(&thing);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *why = thing.library.functions[thing_function(&thing, rows[i].function)].left_out;

		if (rows[i].why)
			cr_expect(why && strstr(why, rows[i].why), "%s: %s", rows[i].function, why ? why : "called");
		else
			cr_expect_null(why, "%s", rows[i].function);
	}
	cr_expect_eq(thing.shim.declarations.n_not_exported, 1);
	thing_release(&thing);
}

Test(library, parameters_have_the_names_of_the_header)
{
	struct thing thing;
	const struct rfs_declaration *row = NULL;
	char *names[3] = {NULL};

	thing_make(&thing);
	for (size_t i = 0; i < thing.shim.declarations.n; i++)
		if (strcmp(thing.shim.declarations.rows[i].name, "box_get") == 0)
			row = &thing.shim.declarations.rows[i];
	cr_assert_not_null(row);
	cr_assert(rfs_parameter_names(row, names, 3));
	cr_expect_str_eq(names[0], "box");
	cr_expect_str_eq(names[1], "buffer");
	cr_expect_str_eq(names[2], "length");
	for (int i = 0; i < 3; i++)
		free(names[i]);
	thing_release(&thing);
}
