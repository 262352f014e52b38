/* c_results_test.c - what the calls of a test give back, for the driver, and in a C program that checks it. */
#include "supervisor/generate/program/c_results.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "supervisor/base/alloc.h"
#include "supervisor/generate/program/c_program.h"
#include "supervisor/generate/search/wrong_result.h"
#include "supervisor/generate/tests/sequence.h"
#include "tests/supervisor/generate/thing.h"
#include "tests/supervisor/scratch.h"

TestSuite(c_results, .timeout = 60);

/* A call on v0 whose other arguments are the integer 4. */
static struct rfs_sequence_call *add(const struct thing *thing, struct rfs_sequence *test, enum rfs_section section,
				     const char *name, int result)
{
	struct rfs_sequence_call call = {.function = thing_function(thing, name), .variable = result};
	const struct rfs_c_type *type = thing->library.functions[call.function].type;

	call.n_values = type->n_parameters;
	call.values = xcalloc(call.n_values + 1, sizeof(*call.values));
	for (size_t i = 0; i < call.n_values; i++)
		call.values[i] = (struct rfs_value){
			.kind = i || result >= 0 ? RFS_VALUE_INTEGER : RFS_VALUE_VARIABLE,
			.integer = i || result >= 0 ? 4 : 0,
			.type = type->parameters[i],
		};
	rfs_sequence_add_call(test, section, &call);
	return &test->calls[section][test->n[section] - 1];
}

/* A test whose calls give back a number, a string, two objects, and text in memory of the test. */
static void make_test(const struct thing *thing, struct rfs_sequence *out)
{
	struct rfs_sequence_call *call;
	int variable;

	*out = (struct rfs_sequence){0};
	variable = rfs_sequence_add_variable(out, thing_type(thing, "thing_t")->type, RFS_PREFIX);
	add(thing, out, RFS_PREFIX, "thing_new", variable);
	add(thing, out, RFS_SUFFIX_1, "thing_add", -1);
	add(thing, out, RFS_SUFFIX_1, "thing_self", -1);
	call = add(thing, out, RFS_SUFFIX_2, "box_get", -1);
	call->values[0].kind = call->values[1].kind = RFS_VALUE_MEMORY;
	call->values[0].integer = call->values[1].integer = 16;
	call = add(thing, out, RFS_SUFFIX_2, "thing_put", -1);
	call->values[1] = (struct rfs_value){.kind = RFS_VALUE_STRING, .string = "k\"ey", .type = call->values[1].type};
	variable = rfs_sequence_add_variable(out, thing_type(thing, "thing_t")->type, RFS_SUFFIX_2);
	add(thing, out, RFS_SUFFIX_2, "thing_new", variable);
	add(thing, out, RFS_STATE, "thing_name", -1);
}

Test(c_results, the_driver_keeps_what_can_be_compared)
{
	struct rfs_observation *list;
	struct rfs_sequence test;
	struct thing thing;
	char *text, *name;
	size_t size, n;
	FILE *out = open_memstream(&text, &size);

	thing_make(&thing);
	make_test(&thing, &test);
	n = rfs_observations(&test, &thing.library, &list);
	cr_assert_eq(n, 7);
	name = rfs_observation_name(&list[3], &test, &thing.library);
	cr_expect_str_eq(name, "box_get() argument 1");
	free(name);
	rfs_observations_write(&test, &thing.library, out);
	fclose(out);
	cr_expect_str_eq(text, "0 0 thing_new i4\n"
			       "1 - thing_add v0 i4 i4\n"
			       "1 - thing_self v0\n"
			       "2 - box_get m16 m16 i4\n"
			       "2 - thing_put v0 s6b226579 i4\n"
			       "2 1 thing_new i4\n"
			       "3 - thing_name v0\n"
			       "? 1\n"
			       "? 1 0 r0 i4\n"
			       "? 1 1 r0 p\n"
			       "? 2 0 r0 i8\n"
			       "? 2 0 1 b\n"
			       "? 2 1 r0 i4\n"
			       "? 2 2 r0 p\n"
			       "? 3 0 r0 s\n");
	free(text);
	free(list);
	rfs_sequence_release(&test);
	thing_release(&thing);
}

/* Compiles the program, and returns its wait status. */
static int run_program(const struct thing *thing, const char *text)
{
	const char *const words[] = {
		"-Wall",	 "-Werror", "-Wno-unused-but-set-variable", "-pthread", "-o", "test", "test.c",
		"./libthing.so", NULL};
	char *said = NULL;

	scratch_file("test.c", text, strlen(text), 0600);
	cr_assert_eq(rfs_compiler_run(&thing->compiler, words, &said), 0, "%s\n%s", said, text);
	free(said);
	return system("./test 2>error");
}

Test(c_results, a_program_aborts_if_no_order_gives_its_results)
{
	static const char *const headers[] = {"thing.h"};
	static const char *good[] = {"4", "v0", "0", "\"\"", "111", "new 1", "\"a\""},
			  *bad[] = {"4", "v0", "0", "\"\"", "111", "v0", "\"a\""};
	struct rfs_test_outcome outcomes[] = {{(char **)bad, 7}, {(char **)good, 7}};
	struct rfs_wrong_result result = {.possible = outcomes};
	const struct rfs_c_program program = {.headers = headers, .n_headers = 1, .results = &result};
	struct rfs_sequence test;
	struct thing thing;

	thing_make(&thing);
	make_test(&thing, &test);
	result.n = rfs_observations(&test, &thing.library, &result.observations);
	for (result.n_possible = 1; result.n_possible <= 2; result.n_possible++) {
		char *text;
		size_t size;
		FILE *out = open_memstream(&text, &size);
		int status;

		rfs_c_program_write(&program, &test, &thing.library, out);
		fclose(out);
		status = run_program(&thing, text);
		if (result.n_possible == 2)
			cr_expect_eq(status, 0, "status %d\n%s", status, text);
		else
			cr_expect(WIFSIGNALED(status) ? WTERMSIG(status) == SIGABRT
						      : WEXITSTATUS(status) == 128 + SIGABRT,
				  "status %d\n%s", status, text);
		free(text);
	}
	free(result.observations);
	rfs_sequence_release(&test);
	thing_release(&thing);
}
