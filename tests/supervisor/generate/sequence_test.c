/* sequence_test.c - tests are joined from suffixes, written for the driver, and written as C. */
#include "supervisor/generate/tests/sequence.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/generate/program/c_program.h"
#include "supervisor/generate/tests/record_value.h"
#include "tests/supervisor/generate/thing.h"
#include "tests/supervisor/scratch.h"

TestSuite(sequence, .timeout = 60);

/* A call whose first argument is a variable, and whose other ones are integers. */
static struct rfs_sequence_call call_of(const struct thing *thing, const char *name, int result, int variable)
{
	struct rfs_sequence_call call = {.function = thing_function(thing, name), .variable = result};
	const struct rfs_c_type *type = thing->library.functions[call.function].type;

	call.n_values = type->n_parameters;
	call.values = xcalloc(call.n_values + 1, sizeof(*call.values));
	for (size_t i = 0; i < call.n_values; i++)
		call.values[i] =
			(struct rfs_value){.kind = RFS_VALUE_INTEGER, .integer = 4, .type = type->parameters[i]};
	if (variable >= 0) {
		call.values[0].kind = RFS_VALUE_VARIABLE;
		call.values[0].integer = variable;
	}
	return call;
}

static void add(struct rfs_sequence *sequence, enum rfs_section section, struct rfs_sequence_call call)
{
	rfs_sequence_add_call(sequence, section, &call);
}

/* The prefix makes v0. Each suffix makes an object of its own and adds to it; the second one also adds to v0. */
static void make_test(const struct thing *thing, struct rfs_sequence *out)
{
	const struct rfs_c_type *object = thing_type(thing, "thing_t")->type;
	struct rfs_sequence prefix = {0}, first, second;
	int made;

	made = rfs_sequence_add_variable(&prefix, object, RFS_PREFIX);
	add(&prefix, RFS_PREFIX, call_of(thing, "thing_new", made, -1));
	rfs_sequence_copy(&prefix, &first);
	rfs_sequence_copy(&prefix, &second);
	made = rfs_sequence_add_variable(&first, object, RFS_SUFFIX_1);
	add(&first, RFS_SUFFIX_1, call_of(thing, "thing_new", made, -1));
	add(&first, RFS_SUFFIX_1, call_of(thing, "thing_add", -1, made));
	made = rfs_sequence_add_variable(&second, object, RFS_SUFFIX_1);
	add(&second, RFS_SUFFIX_1, call_of(thing, "thing_new", made, -1));
	add(&second, RFS_SUFFIX_1, call_of(thing, "thing_add", -1, made));
	add(&second, RFS_SUFFIX_1, call_of(thing, "thing_add", -1, 0));
	rfs_sequence_join(&prefix, &first, &second, out);
	rfs_sequence_release(&prefix);
	rfs_sequence_release(&first);
	rfs_sequence_release(&second);
}

Test(sequence, a_joined_test_has_the_variables_of_both_suffixes)
{
	struct rfs_sequence test;
	struct thing thing;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	thing_make(&thing);
	make_test(&thing, &test);
	rfs_sequence_write(&test, &thing.library, out);
	fclose(out);
	cr_expect_str_eq(text, "0 0 thing_new i4\n"
			       "1 1 thing_new i4\n"
			       "1 - thing_add v1 i4 i4\n"
			       "2 2 thing_new i4\n"
			       "2 - thing_add v2 i4 i4\n"
			       "2 - thing_add v0 i4 i4\n");
	free(text);
	rfs_sequence_release(&test);
	thing_release(&thing);
}

/* Numbers have values; a pointer has none without an initialiser. */
Test(sequence, memory_for_a_structure_has_values)
{
	struct rfs_sequence test = {0};
	struct rfs_sequence_call call;
	struct thing thing;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	thing_make(&thing);
	cr_expect(rfs_record_value_is_plain(
		rfs_c_plain(thing.library.functions[thing_function(&thing, "thing_plot")].type->parameters[1])->to));
	cr_expect_not(rfs_record_value_is_plain(
		rfs_c_plain(thing.library.functions[thing_function(&thing, "box_get")].type->parameters[0])->to));
	call = call_of(&thing, "thing_plot", -1, 0);
	call.values[1].kind = RFS_VALUE_MEMORY;
	call.values[1].integer = 16;
	call.values[1].members = 1;
	add(&test, RFS_PREFIX, call);
	rfs_sequence_write(&test, &thing.library, out);
	fclose(out);
	cr_expect_str_eq(text, "0 - thing_plot v0 g0100000000000000000000000000f03f\n");
	free(text);
	rfs_sequence_release(&test);
	thing_release(&thing);
}

Test(sequence, a_test_is_a_c_program_without_warnings)
{
	const char *const words[] = {"-Wall", "-Werror", "-pthread", "-o", "test", "test.c", "libthing.so", NULL};
	const char *const headers[] = {"thing.h"};
	const struct rfs_c_program program = {.comment = "One.\n\nTwo.", .headers = headers, .n_headers = 1};
	struct rfs_sequence_call call;
	struct rfs_sequence test;
	struct thing thing;
	int unused;
	char *text, *said = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	thing_make(&thing);
	make_test(&thing, &test);
	/* a buffer, a callback, a number with a fraction, and an object in memory of the caller */
	call = call_of(&thing, "thing_scale", -1, 0);
	call.values[1].kind = call.values[2].kind = RFS_VALUE_REAL;
	call.values[1].real = call.values[2].real = 0.5;
	add(&test, RFS_SUFFIX_1, call);
	call = call_of(&thing, "thing_sort", -1, 0);
	call.values[1].kind = RFS_VALUE_CALLBACK_ZERO;
	add(&test, RFS_SUFFIX_1, call);
	call = call_of(&thing, "box_get", -1, 0);
	call.values[0].kind = call.values[1].kind = RFS_VALUE_MEMORY;
	call.values[0].integer = call.values[1].integer = 16;
	add(&test, RFS_SUFFIX_2, call);
	call = call_of(&thing, "thing_widen", -1, 0);
	call.values[1].kind = RFS_VALUE_RECORD;
	call.values[1].integer = 1;
	add(&test, RFS_SUFFIX_2, call);
	call = call_of(&thing, "thing_plot", -1, 0);
	call.values[1].kind = RFS_VALUE_MEMORY;
	call.values[1].integer = 16;
	call.values[1].members = 3;
	add(&test, RFS_SUFFIX_2, call);
	call = call_of(&thing, "thing_read", -1, 0);
	call.values[1].kind = RFS_VALUE_DESCRIPTOR;
	add(&test, RFS_SUFFIX_2, call);
	call = call_of(&thing, "thing_log", -1, 0);
	call.values[1].kind = RFS_VALUE_STREAM;
	add(&test, RFS_SUFFIX_2, call);
	/* an object that no call uses has no variable */
	unused = rfs_sequence_add_variable(&test, thing_type(&thing, "thing_t")->type, RFS_SUFFIX_2);
	add(&test, RFS_SUFFIX_2, call_of(&thing, "thing_new", unused, -1));
	rfs_c_program_write(&program, &test, &thing.library, out);
	fclose(out);
	cr_expect(strstr(text, "\tthing_log(v0, fmemopen(NULL, 4096, \"w+\"));\n"), "%s", text);
	cr_expect(strstr(text, "\tthing_read(v0, open(\"/dev/zero\", O_RDWR));\n"), "%s", text);
	cr_expect(strstr(text, "\tthing_plot(v0, memcpy(malloc(16), &(piece_t){3, 0.0}, 16));\n"), "%s", text);
	cr_expect(strstr(text, "\tthing_widen(v0, (struct wide){{1, 2, 3, 0}});\n"), "%s", text);
	cr_expect(strstr(text, "/*\n * One.\n *\n * Two.\n */\n"), "%s", text);
	cr_expect(strstr(text, "\tthing_add(v0, 4, GREEN);\n"), "%s", text);
	cr_expect(strstr(text, "\tthing_new(4);\n"), "%s", text);
	cr_expect(strstr(text, "\tthing_scale(v0, 0.5, 0.5);\n"), "%s", text);
	scratch_file("test.c", text, size, 0600);
	cr_expect_eq(rfs_compiler_run(&thing.compiler, words, &said), 0, "%s\n%s", said, text);
	free(said);
	free(text);
	rfs_sequence_release(&test);
	thing_release(&thing);
}
