/* handles_test.c - void * as objects, lists that begin with NULL, calls with given arguments, and names of methods. */
#include "supervisor/generate/library/handles.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/elf/elf.h"
#include "supervisor/base/alloc.h"
#include "supervisor/generate/library/compiler.h"
#include "supervisor/generate/library/hints.h"
#include "supervisor/generate/library/hints_apply.h"
#include "supervisor/generate/library/library.h"
#include "supervisor/generate/library/shim.h"
#include "supervisor/generate/library/value.h"
#include "tests/supervisor/scratch.h"

TestSuite(handles, .timeout = 60);

static const char header[] = "typedef void BOX;\n"
			     "enum option { SPEED = 3, NAME };\n"
			     "struct item { int n; };\n"
			     "struct text;\n"
			     "BOX *box_new(void);\n"
			     "int box_get(BOX *box);\n"
			     "void box_free(BOX *box);\n"
			     "int box_set(BOX *box, enum option option, ...);\n"
			     "void *room_new(void);\n"
			     "void *door_new(void *room, int type);\n"
			     "int door_open(void *door, void *data);\n"
			     "void door_close(void **door);\n"
			     "struct item *item_append(struct item *list, int n);\n"
			     "int item_count(const struct item *list);\n"
			     "struct text *text_new(void);\n"
			     "void text_delete_last(struct text *text);\n"
			     "void text_close_line(struct text *text);\n"
			     "void text_close_v2(struct text *text);\n"
			     "void text_delete(struct text *text);\n";
/* Nothing calls them. */
static const char source[] =
	"#define F(name) __asm__(\".globl \" #name \"; .type \" #name \", @function; \" #name \": ret\");\n"
	"F(box_new) F(box_get) F(box_free) F(box_set) F(room_new) F(door_new) F(door_open) F(door_close)\n"
	"F(item_append) F(item_count) F(text_new) F(text_delete_last) F(text_close_line) F(text_close_v2)\n"
	"F(text_delete)\n";

struct subject {
	char *folder;
	struct rfs_elf *elf;
	struct rfs_compiler compiler;
	struct rfs_shim shim;
	struct rfs_library_hints hints;
	struct rfs_library library;
};

/* Reads a library with these hints. Returns what rfs_hints_apply() returns. */
static int subject_make(struct subject *s, const char *hints, char *why, size_t n)
{
	const char *const words[] = {"-g", "-fPIC", "-shared", "-o", "libx.so", "x.c", NULL};
	const char *const headers[] = {"x.h"};
	char *said = NULL;

	*s = (struct subject){.folder = scratch_enter()};
	scratch_file("x.h", header, strlen(header), 0600);
	scratch_file("x.c", source, strlen(source), 0600);
	cr_assert_eq(rfs_compiler_new(NULL, &s->compiler, why, n), 0, "%s", why);
	cr_assert_eq(rfs_compiler_run(&s->compiler, words, &said), 0, "%s", said);
	free(said);
	cr_assert_eq(rfs_elf_open("libx.so", &s->elf, why, n), 0, "%s", why);
	cr_assert_eq(rfs_shim_make(&s->compiler, s->elf, headers, 1, ".", &s->shim, why, n), 0, "%s", why);
	cr_assert_eq(rfs_hints_parse("h", hints, strlen(hints), &s->hints, why, n), 0, "%s", why);
	rfs_library_classify(&s->shim, &s->hints, &s->library);
	return rfs_hints_apply(&s->hints, &s->library, why, n);
}

static void subject_release(struct subject *s)
{
	rfs_library_release(&s->library);
	rfs_hints_release(&s->hints);
	rfs_shim_release(&s->shim);
	rfs_compiler_release(&s->compiler);
	rfs_elf_free(s->elf);
	scratch_leave(s->folder);
}

/* "new box_new, use box_get, end box_free": the functions of a type with their roles. */
static void expect_uses(const struct subject *s, const char *type, const char *expected)
{
	static const char *const words[] = {"new", "fill", "init", "use", "end"};
	char *text = xstrdup("");

	for (size_t i = 0; i < s->library.n_types; i++)
		for (size_t k = 0; strcmp(s->library.types[i].name, type) == 0 && k < s->library.types[i].n_uses; k++) {
			const struct rfs_use *use = &s->library.types[i].uses[k];
			char *longer = xasprintf("%s%s%s %s", text, *text ? ", " : "", words[use->role],
						 s->library.functions[use->function].shown);

			if (s->library.functions[use->function].left_out) {
				free(longer);
				continue;
			}
			free(text);
			text = longer;
		}
	cr_expect_str_eq(text, expected, "%s: %s", type, text);
	free(text);
}

Test(handles, types_are_found_without_hints)
{
	struct subject s;
	char why[512] = "";

	cr_assert_eq(subject_make(&s, "", why, sizeof(why)), 0, "%s", why);
	cr_expect_eq(s.library.n_types, 3);
	expect_uses(&s, "BOX", "new box_new, use box_get, end box_free");
	expect_uses(&s, "struct item", "use item_append, use item_count, new item_append");
	expect_uses(&s, "struct text",
		    "new text_new, use text_delete_last, use text_close_line, end text_close_v2, end text_delete");
	subject_release(&s);
}

Test(handles, hints_name_handles_calls_and_methods)
{
	static const char hints[] = "handle room room_new room_* door_new\n"
				    "handle door door_new door_open door_close\n"
				    "call box_set _ SPEED 7\n"
				    "call box_set _ NAME \"a\"\n"
				    "constructor item_append\n"
				    "method text_delete\n";
	const struct rfs_library_function *call;
	struct subject s;
	char why[512] = "";

	cr_assert_eq(subject_make(&s, hints, why, sizeof(why)), 0, "%s", why);
	expect_uses(&s, "room", "new room_new, use door_new");
	expect_uses(&s, "door", "new door_new, use door_open");
	expect_uses(&s, "BOX",
		    "new box_new, use box_get, end box_free, use box_set(_, SPEED, 7), use box_set(_, NAME, \"a\")");
	expect_uses(&s, "struct item", "use item_append, use item_count, new item_append");
	expect_uses(&s, "struct text",
		    "new text_new, use text_delete_last, use text_close_line, end text_close_v2, use text_delete");
	call = &s.library.functions[s.library.n_functions - 2];
	cr_assert(call->type->n_parameters == 3 && call->rules);
	cr_expect(!call->rules[0].n_values && call->rules[1].values[0].integer == 3 &&
		  call->rules[2].values[0].integer == 7);
	cr_expect_str_eq(call[1].rules[2].values[0].string, "a");
	subject_release(&s);
}

Test(handles, hints_that_do_not_fit_are_refused)
{
	static const char *const rows[][2] = {
		{"handle room room_old room_*", "h:1:13: 'room_old' returns no void *"},
		{"handle room box_get box_*", "h:1:13: 'box_get' returns no void *"},
		{"handle room room_new", "h:1:21: write: handle NAME FUNCTION GLOB"},
		{"call box_put 1", "h:1:6: the headers declare no function"},
		{"call box_set _", "h:1:6: 'box_set' takes 2 arguments or more"},
		{"call box_get _ 1", "h:1:6: 'box_get' takes 1 arguments"},
		{"call box_set _ FAST 1", "h:1:16: 'FAST' does not fit"},
		{"call box_set _ NAME _", "h:1:21: '_' does not fit"},
		{"method room_new", "h:1:8: 'room_new' gets no object"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rfs_library_hints hints;
		struct subject s;
		char why[512] = "";

		if (rfs_hints_parse("h", rows[i][0], strlen(rows[i][0]), &hints, why, sizeof(why)) == 0) {
			rfs_hints_release(&hints);
			cr_expect_lt(subject_make(&s, rows[i][0], why, sizeof(why)), 0, "%s", rows[i][0]);
			subject_release(&s);
		}
		cr_expect(strncmp(why, rows[i][1], strlen(rows[i][1])) == 0, "'%s': '%s'", rows[i][0], why);
	}
}
