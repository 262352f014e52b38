/*
 * abi_test.c - functions that the compiler has made get the arguments that the driver passes, and the driver gets their
 * results: structures of every combination of members, in registers, on the stack and in memory.
 */
#include "supervisor/generate/library/abi.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/dwarf/prototypes.h"
#include "disasm/elf/elf.h"
#include "supervisor/base/alloc.h"
#include "supervisor/generate/driver/script.h"
#include "supervisor/generate/library/compiler.h"
#include "supervisor/generate/library/library.h"
#include "supervisor/generate/library/shim.h"
#include "supervisor/generate/tests/record_value.h"
#include "supervisor/generate/tests/sequence.h"
#include "tests/supervisor/scratch.h"

TestSuite(abi, .timeout = 120);

/* Functions have two structures before the numbers, and others after them: they do not all fit into registers. */
#define STRUCTURES 6

struct library {
	FILE *header, *source;
	size_t n;
};

/* Each function counts an argument that is not what it should be, and returns its third structure. */
static void write_function(struct library *l, const char *type, const char *const checks[RFS_RECORD_VALUES],
			   const int numbers[STRUCTURES])
{
	static const char parameters[] = "%s v0, %s v1, long n, double d, float f, %s v2, %s v3, %s v4, %s v5";

	for (int i = 0; i < 2; i++) {
		fprintf(i ? l->source : l->header, "%s f%zu(", type, l->n);
		fprintf(i ? l->source : l->header, parameters, type, type, type, type, type, type);
		fprintf(i ? l->source : l->header, i ? ")\n{\n" : ");\n");
	}
	fprintf(l->source, "\twrong += n != 7 || d != 1.5 || f != 0.5f;\n");
	for (int i = 0; i < STRUCTURES; i++)
		fprintf(l->source, "\t{ %s v = v%d; wrong += !(%s); }\n", type, i, checks[numbers[i]]);
	fprintf(l->source, "\treturn v2;\n}\n");
	fprintf(l->header, "int is%zu(const %s *p);\n", l->n, type);
	fprintf(l->source, "int is%zu(const %s *p) { %s v = *p; return %s; }\n", l->n, type, type, checks[numbers[2]]);
	l->n++;
}

static const int all_numbers[STRUCTURES] = {1, 2, 3, 0, 2, 1}, one_number[STRUCTURES] = {1, 1, 1, 1, 1, 1};

/* A structure of members of these types: characters of "cilfdp". */
static void write_combination(struct library *l, const char *kinds)
{
	static const char *const names[] = {
		['c'] = "char", ['i'] = "int", ['l'] = "long", ['f'] = "float", ['d'] = "double", ['p'] = "void *"};
	char *checks[RFS_RECORD_VALUES], type[32];
	size_t size;

	snprintf(type, sizeof(type), "struct s%zu", l->n);
	fprintf(l->header, "%s {", type);
	for (size_t i = 0; kinds[i]; i++)
		fprintf(l->header, " %s m%zu;", names[(unsigned char)kinds[i]], i);
	fprintf(l->header, " };\n");
	for (int number = 0; number < RFS_RECORD_VALUES; number++) {
		FILE *out = open_memstream(&checks[number], &size);

		fprintf(out, "1");
		for (int i = 0; kinds[i]; i++) {
			int value = number && kinds[i] != 'p' ? (number + i) % 4 : 0;

			fprintf(out, " && v.m%d == %d%s", i, value, kinds[i] == 'f' || kinds[i] == 'd' ? " / 2.0" : "");
		}
		fclose(out);
	}
	write_function(l, type, (const char *const *)checks, all_numbers);
	for (int number = 0; number < RFS_RECORD_VALUES; number++)
		free(checks[number]);
}

/* All structures of 1 to n members of these kinds. */
static void write_combinations(struct library *l, const char *kinds, size_t n, char *chosen, size_t at)
{
	for (size_t i = 0; kinds[i] && at < n; i++) {
		chosen[at] = kinds[i];
		chosen[at + 1] = '\0';
		write_combination(l, chosen);
		write_combinations(l, kinds, n, chosen, at + 1);
	}
}

static void write_others(struct library *l)
{
	static const struct {
		const char *type, *definition, *check;
	} rows[] = {
		{"struct floats", "{ float f[3]; }", "v.f[0] == 0.5f && v.f[1] == 1.0f && v.f[2] == 1.5f"},
		{"struct mixed", "{ float f[2]; int i; }", "v.f[0] == 0.5f && v.f[1] == 1.0f && v.i == 3"},
		{"struct nested", "{ struct { float a, b; } p; double q; }",
		 "v.p.a == 0.5f && v.p.b == 1.0f && v.q == 1.5"},
		{"union either", "{ double d; long l; }", "v.d == 0.5"},
		{"union bytes", "{ char c[12]; float f; }", "v.c[0] == 1 && v.c[1] == 2 && v.c[11] == 0"},
		{"struct fields", "{ int a : 3; unsigned b : 5; float f; }", "v.a == 0 && v.b == 0 && v.f == 0.5f"},
		{"struct wide_fields", "{ float f; long a : 40; }", "v.f == 0.5f && v.a == 0"},
		{"struct bytes3", "{ char c[3]; }", "v.c[0] == 1 && v.c[1] == 2 && v.c[2] == 3"},
		{"struct bytes17", "{ char c[17]; }", "v.c[0] == 1 && v.c[16] == 1"},
		{"struct large", "{ long l[8]; double d; }", "v.l[0] == 1 && v.l[7] == 0 && v.d == 0.5"},
		{"struct __attribute__((packed)) packed", "{ char c; double d; }", "v.c == 1 && v.d == 1.0"},
		{"struct flags", "{ _Bool a; short b; enum { ZERO, ONE } c; }", "v.a == 1 && v.b == 2 && v.c == ZERO"},
		{"struct grid", "{ short s[2][3]; }", "v.s[0][0] == 1 && v.s[1][2] == 2"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *checks[RFS_RECORD_VALUES] = {[1] = rows[i].check};
		const char *packed = strstr(rows[i].type, "packed))");

		fprintf(l->header, "%s %s;\n", rows[i].type, rows[i].definition);
		write_function(l, packed ? "struct packed" : rows[i].type, checks, one_number);
	}
}

struct subject {
	struct rfs_elf *elf;
	struct rfs_compiler compiler;
	struct rfs_shim shim;
	struct rfs_library library;
};

static void make(struct subject *s)
{
	const char *const words[] = {"-O1", "-g", "-fPIC", "-shared", "-o", "libabi.so", "abi.c", NULL};
	const char *const headers[] = {"abi.h"};
	char why[512] = "", *said = NULL;

	cr_assert_eq(rfs_compiler_new(NULL, &s->compiler, why, sizeof(why)), 0, "%s", why);
	cr_assert_eq(rfs_compiler_run(&s->compiler, words, &said), 0, "%s", said);
	free(said);
	cr_assert_eq(rfs_elf_open("./libabi.so", &s->elf, why, sizeof(why)), 0, "%s", why);
	cr_assert_eq(rfs_shim_make(&s->compiler, s->elf, headers, 1, ".", &s->shim, why, sizeof(why)), 0, "%s", why);
	rfs_library_classify(&s->shim, NULL, &s->library);
}

static void release(struct subject *s)
{
	rfs_library_release(&s->library);
	rfs_shim_release(&s->shim);
	rfs_compiler_release(&s->compiler);
	rfs_elf_free(s->elf);
}

static size_t index_of(const struct subject *s, const char *name)
{
	for (size_t i = 0; i < s->library.n_functions; i++)
		if (strcmp(s->library.functions[i].name, name) == 0)
			return i;
	cr_assert_fail("no function '%s'", name);
	return 0;
}

/* The text for the driver of a call with these values of structures. Caller frees. */
static char *script_of(const struct subject *s, const char *name, const int numbers[STRUCTURES])
{
	struct rfs_sequence sequence = {0};
	struct rfs_sequence_call call = {.function = index_of(s, name), .variable = -1};
	const struct rfs_library_function *f = &s->library.functions[call.function];
	int next = 0;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	cr_expect_null(f->left_out, "%s: %s", name, f->left_out);
	call.n_values = f->type->n_parameters;
	call.values = xcalloc(call.n_values, sizeof(*call.values));
	for (size_t i = 0; i < call.n_values; i++) {
		const struct rfs_c_type *type = f->type->parameters[i], *plain = rfs_c_plain(type);
		struct rfs_value *value = &call.values[i];

		value->type = type;
		value->kind = RFS_VALUE_RECORD;
		if (plain->kind == RFS_C_INTEGER) {
			value->kind = RFS_VALUE_INTEGER;
			value->integer = 7;
		} else if (plain->kind == RFS_C_FLOAT) {
			value->kind = RFS_VALUE_REAL;
			value->real = plain->size == sizeof(double) ? 1.5 : 0.5;
		} else {
			value->integer = numbers[next++];
		}
	}
	rfs_sequence_add_call(&sequence, RFS_PREFIX, &call);
	rfs_sequence_write(&sequence, &s->library, out);
	fclose(out);
	rfs_sequence_release(&sequence);
	return text;
}

static void check_call(const struct subject *s, void *library, size_t i, const int numbers[STRUCTURES])
{
	static struct rfs_driver_script script;
	char name[32], why[128] = "";
	int *wrong = dlsym(library, "wrong");
	int (*is)(const void *value);
	uint64_t returned[2];
	const struct rfs_driver_call *call;
	char *text;

	snprintf(name, sizeof(name), "is%zu", i);
	is = (int (*)(const void *))dlsym(library, name);
	snprintf(name, sizeof(name), "f%zu", i);
	text = script_of(s, name, numbers);
	cr_assert(rfs_driver_script_read(text, strlen(text), &script, why, sizeof(why)), "%s: %s", text, why);
	call = &script.calls[0][0];
	*wrong = 0;
	rfs_driver_execute(&script, call, returned);
	cr_expect_eq(*wrong, 0, "%d arguments are wrong: %s", *wrong, text);
	cr_expect(is(call->result[0] == 'm' ? (const void *)returned[0] : (const void *)returned),
		  "the result is wrong: %s", text);
	if (call->result[0] == 'm')
		cr_expect_eq(returned[0], (uint64_t)call->memory);
	rfs_driver_script_clear(&script);
	free(text);
}

Test(abi, structures_are_passed_and_returned_as_the_compiler_does)
{
	char *folder = scratch_enter(), chosen[8] = "";
	struct library l = {.header = fopen("abi.h", "w"), .source = fopen("abi.c", "w")};
	struct subject s;
	void *shim, *library;
	size_t n_combinations;

	fprintf(l.source, "#include \"abi.h\"\nint wrong;\n");
	write_combinations(&l, "cilfdp", 3, chosen, 0);
	write_combinations(&l, getenv("RFSUP_CHECK_FULL") ? "cif" : "cf", 4, chosen, 0);
	n_combinations = l.n;
	write_others(&l);
	fclose(l.header);
	fclose(l.source);
	make(&s);
	library = dlopen("./libabi.so", RTLD_NOW | RTLD_GLOBAL);
	shim = dlopen(s.shim.path, RTLD_NOW | RTLD_GLOBAL);
	cr_assert(library && shim, "%s", dlerror());
	for (size_t i = 0; i < l.n; i++)
		check_call(&s, library, i, i < n_combinations ? all_numbers : one_number);
	release(&s);
	scratch_leave(folder);
}

Test(abi, numbers_have_the_class_of_their_register)
{
	static const struct rfs_c_type i = {.kind = RFS_C_INTEGER, .size = 4}, d = {.kind = RFS_C_FLOAT, .size = 8},
				       nothing = {.kind = RFS_C_VOID}, ld = {.kind = RFS_C_FLOAT, .size = 16},
				       big = {.kind = RFS_C_INTEGER, .size = 16},
				       c = {.kind = RFS_C_COMPLEX, .size = 8}, v = {.kind = RFS_C_VECTOR, .size = 16};
	static const struct {
		const struct rfs_c_type *type;
		const char *class, *refused;
	} rows[] = {
		{&i, "i", NULL},	  {&d, "s", NULL},	 {&nothing, "", NULL}, {&ld, NULL, "long double"},
		{&big, NULL, "__int128"}, {&c, NULL, "complex"}, {&v, NULL, "vector"},
	};

	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		const char *why = rfs_abi_refused(rows[k].type);
		char class[RFS_ABI_CLASS];

		cr_expect(rows[k].refused ? why && strstr(why, rows[k].refused) : !why, "row %zu: %s", k, why);
		rfs_abi_classify(rows[k].type, class);
		if (rows[k].class)
			cr_expect_str_eq(class, rows[k].class, "row %zu", k);
	}
}
