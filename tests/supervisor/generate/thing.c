#include "tests/supervisor/generate/thing.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/elf/elf.h"
#include "tests/supervisor/scratch.h"

static const char header[] = "#include <stdarg.h>\n"
			     "#include <stddef.h>\n"
			     "#include <stdio.h>\n"
			     "typedef struct thing thing_t;\n"
			     "typedef struct thing other_thing_t;\n"
			     "struct box { long n; char *text; };\n"
			     "enum colour { RED, GREEN = 4 };\n"
			     "struct wide { long words[4]; };\n"
			     "typedef int thing_compare(const void *a, const void *b);\n"
			     "other_thing_t *thing_new_other(void);\n"
			     "thing_t *thing_new(size_t size);\n"
			     "int thing_open(thing_t **out, const char *name);\n"
			     "thing_t *thing_new_like(const thing_t *other);\n"
			     "thing_t *thing_self(thing_t *thing);\n"
			     "void thing_free(thing_t *thing);\n"
			     "int thing_add(thing_t *thing, int number, enum colour colour);\n"
			     "const char *thing_name(const thing_t *thing);\n"
			     "double thing_scale(thing_t *thing, double factor, float other);\n"
			     "void thing_sort(thing_t *thing, thing_compare *compare);\n"
			     "void thing_print(thing_t *thing, const char *format, ...);\n"
			     "void thing_vprint(thing_t *thing, const char *format, va_list list);\n"
			     "void thing_widen(thing_t *thing, struct wide wide);\n"
			     "long double thing_precise(thing_t *thing);\n"
			     "void thing_complex(thing_t *thing, _Complex float number);\n"
			     "typedef int four __attribute__((vector_size(16)));\n"
			     "void thing_vector(thing_t *thing, four numbers);\n"
			     "struct huge { __int128 number; };\n"
			     "void thing_huge(thing_t *thing, struct huge huge);\n"
			     "#define EIGHT int, int, int, int, int, int, int, int\n"
			     "#define MANY thing_t *, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT\n"
			     "void thing_many(MANY);\n"
			     "int thing_gone(thing_t *thing);\n"
			     "int thing_put(thing_t *thing, const char *key, int number);\n"
			     "int thing_release(thing_t *thing, int number);\n"
			     "void thing_set_free(thing_t *thing);\n"
			     "void thing_free_set(thing_t *thing, int number);\n"
			     "void thing_add_unlocked(thing_t *thing);\n"
			     "void thing_box_free(thing_t *thing, struct box *box);\n"
			     "void box_init(struct box *box);\n"
			     "typedef struct { int x; double y; } part_t;\n"
			     "int part_init(thing_t *thing, part_t *part);\n"
			     "int thing_init(thing_t *thing, const part_t *part);\n"
			     "typedef part_t piece_t;\n"
			     "typedef const piece_t *piece_ref;\n"
			     "int thing_plot(thing_t *thing, piece_ref part);\n"
			     "int thing_try_add(thing_t *thing);\n"
			     "int thing_read(thing_t *thing, int fd);\n"
			     "int thing_log(thing_t *thing, FILE *out);\n"
			     "struct gate; struct queue;\n"
			     "struct gate *gate_new(void);\n"
			     "int gate_lock(struct gate *gate, int flags);\n"
			     "int gate_try_lock(struct gate *gate, int flags);\n"
			     "void gate_unlock(struct gate *gate);\n"
			     "void gate_timedrdlock(struct gate *gate);\n"
			     "void gate_rdlock(struct gate *gate);\n"
			     "void GateEnter(struct gate *gate); void GateLeave(struct gate *gate);\n"
			     "void gate_acquire(struct gate *gate);\n"
			     "void gate_release(struct gate *gate);\n"
			     "void gate_enter(struct gate *gate);\n"
			     "void gate_leave(struct gate *gate, int number);\n"
			     "int gate_entries(const struct gate *gate);\n"
			     "int gate_begin(struct gate *gate);\n"
			     "int gate_end(struct gate *gate);\n"
			     "struct queue *queue_new(void);\n"
			     "int queue_timedwait(struct queue *queue, struct gate *gate, int ms);\n"
			     "int queue_use(struct queue *queue, struct gate *gate);\n"
			     "int queue_wait(struct queue *queue);\n"
			     "long box_get(struct box *box, char *buffer, size_t length);\n"
			     "static inline long box_twice(struct box *box) { return 2 * box->n; }\n";

/* thing_gone() is declared, but not there. */
static const char source[] =
	"#include <stdlib.h>\n"
	"#include \"thing.h\"\n"
	"struct thing { int sum; };\n"
	"thing_t *thing_new(size_t size) { (void)size; return calloc(1, sizeof(thing_t)); }\n"
	"other_thing_t *thing_new_other(void) { return thing_new(1); }\n"
	"int thing_open(thing_t **out, const char *name) { *out = thing_new(1); return !name; }\n"
	"thing_t *thing_new_like(const thing_t *other) { return thing_new((size_t)other->sum); }\n"
	"thing_t *thing_self(thing_t *thing) { return thing; }\n"
	"void thing_free(thing_t *thing) { free(thing); }\n"
	"int thing_add(thing_t *thing, int number, enum colour colour)\n"
	"{ thing->sum += number; return (int)colour; }\n"
	"const char *thing_name(const thing_t *thing) { return thing->sum ? \"a\" : \"b\"; }\n"
	"double thing_scale(thing_t *thing, double factor, float other)\n"
	"{ thing->sum = (int)(thing->sum * factor); return other; }\n"
	"void thing_sort(thing_t *thing, thing_compare *compare) { compare(thing, thing); }\n"
	"void thing_print(thing_t *thing, const char *format, ...)\n"
	"{ thing->sum += format[0]; }\n"
	"void thing_vprint(thing_t *thing, const char *format, va_list list)\n"
	"{ (void)list; thing->sum += format[0]; }\n"
	"void thing_widen(thing_t *thing, struct wide wide) { thing->sum += (int)wide.words[0]; }\n"
	"long double thing_precise(thing_t *thing) { return thing->sum; }\n"
	"void thing_complex(thing_t *thing, _Complex float number) { thing->sum = (int)number; }\n"
	"void thing_vector(thing_t *thing, four numbers) { thing->sum = numbers[0]; }\n"
	"void thing_huge(thing_t *thing, struct huge huge) { thing->sum = (int)huge.number; }\n"
	"__asm__(\".globl thing_many; .type thing_many, @function; thing_many: ret\");\n"
	"#define F(name) __asm__(\".globl \" #name \"; .type \" #name \", @function; \" #name \": ret\");\n"
	"F(gate_new) F(gate_lock) F(gate_try_lock) F(gate_unlock) F(gate_timedrdlock) F(gate_rdlock) F(GateEnter) "
	"F(GateLeave)\n"
	"F(gate_acquire) F(gate_release) F(gate_enter) F(gate_leave) F(gate_entries) F(gate_begin) F(gate_end)\n"
	"F(queue_new) F(queue_timedwait) F(queue_use) F(queue_wait)\n"
	"int part_init(thing_t *thing, part_t *part) { part->x = thing->sum; return 0; }\n"
	"int thing_init(thing_t *thing, const part_t *part) { thing->sum = part->x; return 0; }\n"
	"int thing_plot(thing_t *thing, const part_t *part) { return thing->sum + part->x; }\n"
	"int thing_try_add(thing_t *thing) { return thing->sum++; }\n"
	"int thing_read(thing_t *thing, int fd) { return thing->sum = fd; }\n"
	"int thing_log(thing_t *thing, FILE *out) { return fprintf(out, \"%d\", thing->sum); }\n"
	"int thing_put(thing_t *thing, const char *key, int number) { return thing->sum = *key + number; }\n"
	"int thing_release(thing_t *thing, int number) { return thing->sum -= number; }\n"
	"void thing_set_free(thing_t *thing) { free(thing); }\n"
	"void thing_free_set(thing_t *thing, int number) { thing->sum = number; }\n"
	"void thing_add_unlocked(thing_t *thing) { thing->sum++; }\n"
	"void thing_box_free(thing_t *thing, struct box *box) { thing->sum = (int)box->n; free(box); }\n"
	"void box_init(struct box *box) { box->n = 1; }\n"
	"long box_get(struct box *box, char *buffer, size_t length)\n"
	"{ buffer[length] = 0; return box->n; }\n";

void thing_make(struct thing *thing)
{
	const char *const words[] = {"-g", "-fPIC", "-shared", "-o", "libthing.so", "thing.c", NULL};
	const char *const headers[] = {"thing.h"};
	char why[512] = "", *said = NULL;

	*thing = (struct thing){.folder = scratch_enter()};
	scratch_file("thing.h", header, strlen(header), 0600);
	scratch_file("thing.c", source, strlen(source), 0600);
	cr_assert_eq(rfs_compiler_new(NULL, &thing->compiler, why, sizeof(why)), 0, "%s", why);
	cr_assert_eq(rfs_compiler_run(&thing->compiler, words, &said), 0, "%s", said);
	free(said);
	cr_assert_eq(rfs_elf_open("libthing.so", &thing->elf, why, sizeof(why)), 0, "%s", why);
	cr_assert_eq(rfs_shim_make(&thing->compiler, thing->elf, headers, 1, ".", &thing->shim, why, sizeof(why)), 0,
		     "%s", why);
	rfs_library_classify(&thing->shim, NULL, &thing->library);
}

void thing_release(struct thing *thing)
{
	rfs_library_release(&thing->library);
	rfs_shim_release(&thing->shim);
	rfs_compiler_release(&thing->compiler);
	rfs_elf_free(thing->elf);
	scratch_leave(thing->folder);
}

size_t thing_function(const struct thing *thing, const char *name)
{
	for (size_t i = 0; i < thing->library.n_functions; i++)
		if (strcmp(thing->library.functions[i].name, name) == 0)
			return i;
	cr_assert_fail("no function '%s'", name);
	return 0;
}

const struct rfs_library_type *thing_type(const struct thing *thing, const char *name)
{
	for (size_t i = 0; i < thing->library.n_types; i++)
		if (strcmp(thing->library.types[i].name, name) == 0)
			return &thing->library.types[i];
	cr_assert_fail("no type '%s'", name);
	return NULL;
}
