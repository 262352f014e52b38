/* hints_test.c - hints are read, and refused with their place; they change what is known of a library. */
#include "supervisor/generate/library/hints.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/generate/library/hints_apply.h"
#include "supervisor/generate/tests/sequence.h"
#include "tests/supervisor/generate/thing.h"

TestSuite(hints, .timeout = 60);

static void parse(const char *text, struct rfs_library_hints *out)
{
	char why[256] = "";

	cr_assert_eq(rfs_hints_parse("h", text, strlen(text), out, why, sizeof(why)), 0, "'%s': %s", text, why);
}

Test(hints, all_kinds_are_read)
{
	static const char text[] = "# of thing\n"
				   "type thing_t safe # always\n"
				   "type \"struct box\" unsafe\r\n"
				   "\n"
				   "\tconstructor box_init\n"
				   "destructor thing_release\n"
				   "skip thing_add*\n"
				   "param box_get 2 length-of 1\n"
				   "param thing_put 1 values \"a b\" \"\\\"\\\\\\n\" null \"\"\n"
				   "thread-start enter\n"
				   "thread-end leave";
	struct rfs_library_hints hints;
	const char **names;

	parse(text, &hints);
	cr_assert_eq(hints.n, 9);
	cr_expect(hints.list[0].kind == RFS_LIBRARY_HINT_SAFE && strcmp(hints.list[0].name.text, "thing_t") == 0);
	cr_expect(hints.list[1].kind == RFS_LIBRARY_HINT_UNSAFE && strcmp(hints.list[1].name.text, "struct box") == 0);
	cr_expect(hints.list[2].kind == RFS_LIBRARY_HINT_CONSTRUCTOR && hints.list[2].line == 5);
	cr_expect(hints.list[2].name.column == 14);
	cr_expect_eq(hints.list[3].kind, RFS_LIBRARY_HINT_DESTRUCTOR);
	cr_expect_eq(hints.list[4].kind, RFS_LIBRARY_HINT_SKIP);
	cr_expect(hints.list[5].kind == RFS_LIBRARY_HINT_LENGTH && hints.list[5].parameter == 2 &&
		  hints.list[5].buffer == 1);
	cr_assert(hints.list[6].kind == RFS_LIBRARY_HINT_VALUES && hints.list[6].n_values == 4);
	cr_expect_str_eq(hints.list[6].values[0].text, "a b");
	cr_expect_str_eq(hints.list[6].values[1].text, "\"\\\n");
	cr_expect(!hints.list[6].values[2].quoted && hints.list[6].values[3].quoted);
	names = rfs_hints_names(&hints, RFS_LIBRARY_HINT_THREAD_END);
	cr_expect(strcmp(names[0], "leave") == 0 && !names[1]);
	free(names);
	rfs_hints_release(&hints);
}

Test(hints, wrong_lines_have_a_place)
{
	static const struct {
		const char *text, *place;
	} rows[] = {
		{"tpye x safe", "h:1:1: "},
		{"\"type\" x safe", "h:1:1: "},
		{"skip a\ntype", "h:2:5: "},
		{"type x", "h:1:7: "},
		{"type x sure", "h:1:8: "},
		{"type x safe now", "h:1:13: "},
		{"constructor", "h:1:12: "},
		{"skip a b", "h:1:8: "},
		{"method", "h:1:7: "},
		{"handle a b", "h:1:11: "},
		{"call f", "h:1:7: "},
		{"param f", "h:1:8: "},
		{"param f -1 values 1", "h:1:9: "},
		{"param f 256 values 1", "h:1:9: "},
		{"param f 1 value 1", "h:1:11: "},
		{"param f 1 values # none", "h:1:17: "},
		{"param f 1 length-of", "h:1:20: "},
		{"param f 1 length-of 2 3", "h:1:23: "},
		{"param f 1 values \"abc", "h:1:18: "},
		{"param f 1 values \"a\\qc\"", "h:1:20: "},
		{"param f 1 values \"a\\", "h:1:20: "},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rfs_library_hints hints;
		char why[256] = "";

		cr_expect_lt(rfs_hints_parse("h", rows[i].text, strlen(rows[i].text), &hints, why, sizeof(why)), 0,
			     "'%s'", rows[i].text);
		cr_expect(strncmp(why, rows[i].place, strlen(rows[i].place)) == 0, "'%s': '%s'", rows[i].text, why);
	}
}

static int apply(const char *text, struct thing *thing, struct rfs_library_hints *hints, char *why, size_t n)
{
	parse(text, hints);
	return rfs_hints_apply(hints, &thing->library, why, n);
}

Test(hints, they_change_the_library)
{
	static const char text[] = "type thing_? safe\n"
				   "type box unsafe\n"
				   "constructor thing_self\n"
				   "destructor thing_release\n"
				   "skip thing_sc*\n"
				   "param box_get 2 length-of 1\n"
				   "param thing_add 1 values -1 0x10\n"
				   "param thing_add 2 values GREEN 7\n"
				   "param thing_scale 1 values 0.5 -2\n"
				   "param thing_put 1 values null \"a\"\n";
	const struct rfs_library_function *functions;
	const struct rfs_library_type *type;
	const struct rfs_parameter_rule *rules;
	struct rfs_library_hints hints;
	struct thing thing;
	size_t n_left_out;
	char why[256] = "";

	thing_make(&thing);
	functions = thing.library.functions;
	type = thing_type(&thing, "thing_t");
	n_left_out = thing.library.n_left_out;
	cr_assert_eq(apply(text, &thing, &hints, why, sizeof(why)), 0, "%s", why);
	cr_expect_eq(type->claim, RFS_CLAIM_SAFE);
	cr_expect_eq(thing_type(&thing, "struct box")->claim, RFS_CLAIM_UNSAFE);
	for (size_t i = 0; i < type->n_uses; i++) {
		const char *name = functions[type->uses[i].function].name;

		if (strcmp(name, "thing_self") == 0)
			cr_expect_eq(type->uses[i].role, RFS_ROLE_RETURNS);
		if (strcmp(name, "thing_release") == 0)
			cr_expect_eq(type->uses[i].role, RFS_ROLE_DESTRUCTOR);
	}
	cr_expect(functions[thing_function(&thing, "thing_scale")].left_out);
	cr_expect_eq(thing.library.n_left_out, n_left_out + 1);
	rules = functions[thing_function(&thing, "box_get")].rules;
	cr_expect(rules && rules[2].is_length && rules[2].buffer == 1 && !rules[1].is_length);
	rules = functions[thing_function(&thing, "thing_add")].rules;
	cr_assert(rules && rules[1].n_values == 2 && rules[2].n_values == 2);
	cr_expect(rules[1].values[0].integer == -1 && rules[1].values[1].integer == 16);
	cr_expect(rules[2].values[0].integer == 4 && rules[2].values[1].integer == 7);
	rules = functions[thing_function(&thing, "thing_scale")].rules;
	cr_expect(rules && rules[1].values[0].real == 0.5 && rules[1].values[1].real == -2);
	rules = functions[thing_function(&thing, "thing_put")].rules;
	cr_expect(rules && rules[1].values[0].kind == RFS_VALUE_NULL && rules[1].values[1].kind == RFS_VALUE_STRING);
	thing_release(&thing);
	rfs_hints_release(&hints);
}

Test(hints, those_that_do_not_fit_are_refused)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{"type nothing safe", "h:1:6: the library has no type"},
		{"skip nothing", "h:1:6: the headers declare no function"},
		{"param nothing 0 values 1", "h:1:7: the headers declare no function"},
		{"param thing_add 3 values 1", "h:1:17: 'thing_add' has no parameter 3"},
		{"param thing_add 1 values x", "h:1:26: 'x' does not fit"},
		{"param thing_add 1 values \"1\"", "h:1:26: '1' does not fit"},
		{"param thing_put 1 values a", "h:1:26: 'a' does not fit"},
		{"param thing_sort 1 values \"a\"", "h:1:27: 'a' does not fit"},
		{"param box_get 1 length-of 0", "h:1:15: parameter 1 of 'box_get' is not an integer"},
		{"param box_get 2 length-of 2", "h:1:27: parameter 2 of 'box_get' is not a pointer"},
		{"thread-start thing_new", "h:1:14: 'thing_new' has parameters"},
	};
	struct thing thing;

	thing_make(&thing);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rfs_library_hints hints;
		char why[256] = "";

		cr_expect_lt(apply(rows[i].text, &thing, &hints, why, sizeof(why)), 0, "'%s'", rows[i].text);
		cr_expect(strncmp(why, rows[i].why, strlen(rows[i].why)) == 0, "'%s': '%s'", rows[i].text, why);
		rfs_hints_release(&hints);
	}
	thing_release(&thing);
}
