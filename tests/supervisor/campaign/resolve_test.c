/*
 * resolve_test.c - which sites each form of a statement's name refers to, and the messages if there are none. The test
 * compiles its modules.
 */
#include "supervisor/campaign/predicted/resolve.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "disasm/addr.h"
#include "disasm/dwarf/dwarf.h"
#include "disasm/elf/elf.h"
#include "disasm/insn/insn.h"
#include "disasm/rewrite/code.h"
#include "supervisor/base/siteset.h"
#include "supervisor/record/pairs.h"
#include "supervisor/record/run_spec.h"
#include "tests/supervisor/scratch.h"

TestSuite(resolve, .timeout = 60);

static const char first_c[] =
	"int shared, other;\n"									      /* 1 */
	"void touch(void); inline __attribute__((always_inline)) void inlined(void) { other = 2; }\n" /* 2 */
	"static void twice(void)\n"								      /* 3 */
	"{\n"											      /* 4 */
	"\tshared = other; other = 1;\n"	     /* 5: three accesses */
	"}\n"					     /* 6 */
	"void touch(void) { twice(); inlined(); }\n" /* 7: one, inlined */
	"int main(void)\n"			     /* 8 */
	"{\n"					     /* 9 */
	"\ttouch();\n"				     /* 10: no access */
	"\treturn 0;\n"				     /* 11 */
	"}\n";
static const char second_cc[] = "namespace n { int value; void set(int v, int w) { value = v + w; } }\n"
				"static void twice(void) { n::value = 2; }\n"
				"void (*keep)(void) = twice;\n";

enum { MODULES = 3 };

/*
 * A program with two files named same.c, in folders a and b; a C++ library; and the same library without debug
 * information.
 */
struct world {
	char *scratch;
	struct rfs_decoder *decoder;
	struct rfs_elf *elf[MODULES];
	struct rfs_dwarf *dwarf[MODULES];
	struct rfs_code *code[MODULES];
	struct rfs_resolve_module modules[MODULES];
};

static void build(struct world *world)
{
	static const char *const paths[MODULES] = {"./prog", "./lib/libtwo.so", "./plain/libtwo.so"};
	char why[512] = "";

	world->scratch = scratch_enter();
	cr_assert_eq(mkdir("a", 0777) + mkdir("b", 0777) + mkdir("lib", 0777) + mkdir("plain", 0777), 0);
	scratch_file("a/first.c", first_c, strlen(first_c), 0644);
	scratch_file("b/same.c", "int same_b; void b(void) { same_b = 1; }\n", 42 - 1, 0644);
	scratch_file("a/same.c", "int same_a; void a(void) { same_a = 1; }\n", 42 - 1, 0644);
	scratch_file("second.cc", second_cc, strlen(second_cc), 0644);
	cr_assert_eq(system("gcc -g -O0 -o prog a/first.c a/same.c b/same.c && "
			    "g++ -g -O0 -fPIC -shared -o lib/libtwo.so second.cc && "
			    "g++ -O0 -fPIC -shared -o plain/libtwo.so second.cc"),
		     0);
	cr_assert_eq(rfs_decoder_new(&world->decoder), 0);
	for (int i = 0; i < MODULES; i++) {
		cr_assert_eq(rfs_elf_open(paths[i], &world->elf[i], why, sizeof(why)), 0, "%s", why);
		if (rfs_dwarf_open(paths[i], &world->dwarf[i], why, sizeof(why)) < 0)
			world->dwarf[i] = NULL;
		cr_assert_eq(rfs_code_scan(world->elf[i], world->decoder, NULL, &world->code[i]), 0);
		world->modules[i] = (struct rfs_resolve_module){
			.path = paths[i], .elf = world->elf[i], .dwarf = world->dwarf[i], .code = world->code[i]};
	}
	cr_assert(world->dwarf[0] && world->dwarf[1] && !world->dwarf[2]);
}

static void tear_down(struct world *world)
{
	for (int i = 0; i < MODULES; i++) {
		rfs_code_free(world->code[i]);
		rfs_dwarf_free(world->dwarf[i]);
		rfs_elf_free(world->elf[i]);
	}
	rfs_decoder_free(world->decoder);
	scratch_leave(world->scratch);
}

static int resolve(const struct world *world, size_t n_modules, enum rfs_name_form form, const char *name,
		   uint64_t number, struct rfs_statement *out, char *why, size_t n)
{
	struct rfs_name statement = {.form = form, .name = (char *)name, .number = number};

	return rfs_resolve(&statement, world->modules, n_modules, NULL, out, why, n);
}

/* The offset of the first access in the function. */
static uint64_t first_access(const struct world *world, int module, const char *function)
{
	const struct rfs_code_site *sites;
	size_t n = rfs_code_sites(world->code[module], &sites);
	rfs_addr start;

	cr_assert(rfs_elf_symbol(world->elf[module], function, &start, NULL), "%s", function);
	for (size_t i = 0; i < n; i++)
		if (sites[i].vaddr >= start && sites[i].kind == RFS_CODE_ACCESS)
			return sites[i].vaddr - start;
	cr_assert_fail("no access in %s", function);
	return 0;
}

Test(resolve, lines)
{
	const struct {
		const char *file;
		unsigned line;
		int error;
		size_t sites;
		const char *why;
	} cases[] = {
		{"first.c", 5, 0, 3, ""},
		{"a/first.c", 5, 0, 3, ""},
		{"first.c", 7, 0, 1, ""},
		{"a/same.c", 1, 0, 1, ""},
		{"second.cc", 1, 0, 2, ""}, /* one of them reads the address from the global offset table */
		{"same.c", 1, -EEXIST, 0, "write more of the path"},
		{"irst.c", 5, -ENOENT, 0, "no source file of the program has a path that ends in 'irst.c'"},
		{"first.c", 999, -ENOENT, 0, "line 999 of 'first.c' has no code"},
		{"first.c", 10, -ENOENT, 0, "line 10 of 'first.c' does not access shared memory"},
	};
	struct world world;

	build(&world);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_statement statement;
		char why[1024] = "";

		cr_expect_eq(resolve(&world, MODULES, RFS_NAME_LINE, cases[i].file, cases[i].line, &statement, why,
				     sizeof(why)),
			     cases[i].error, "%s:%u: %s", cases[i].file, cases[i].line, why);
		cr_expect_eq(statement.n_sites, cases[i].sites, "%s:%u: %zu", cases[i].file, cases[i].line,
			     statement.n_sites);
		cr_expect_not_null(strstr(why, cases[i].why), "%s", why);
		for (size_t k = 1; k < statement.n_sites; k++)
			cr_expect_lt(statement.sites[k - 1].offset, statement.sites[k].offset);
		rfs_resolve_release(&statement);
	}
	tear_down(&world);
}

Test(resolve, functions_and_modules)
{
	struct world world;
	struct rfs_statement by_function, by_module;
	char why[1024] = "";
	uint64_t at;
	rfs_addr start;

	build(&world);
	at = first_access(&world, 1, "_ZN1n3setEii");
	cr_assert(rfs_elf_symbol(world.elf[1], "_ZN1n3setEii", &start, NULL));
	/* by the symbol and by the demangled name; the site of one copy of the library only */
	cr_assert_eq(resolve(&world, 2, RFS_NAME_OFFSET, "_ZN1n3setEii", at, &by_function, why, sizeof(why)), 0, "%s",
		     why);
	cr_assert_eq(by_function.n_sites, 1);
	cr_assert_eq(by_function.sites[0].offset, start + at);
	cr_assert_str_eq(by_function.sites[0].module, "./lib/libtwo.so");
	rfs_resolve_release(&by_function);
	cr_assert_eq(resolve(&world, 2, RFS_NAME_OFFSET, "n::set(int, int)", at, &by_function, why, sizeof(why)), 0,
		     "%s", why);
	cr_assert_eq(by_function.sites[0].offset, start + at);
	/* by the module's base name, the end of its path, or the whole path */
	static const char *const names[] = {"libtwo.so", "lib/libtwo.so", "./lib/libtwo.so"};
	for (int i = 0; i < 3; i++) {
		cr_assert_eq(resolve(&world, 2, RFS_NAME_OFFSET, names[i], start + at, &by_module, why, sizeof(why)), 0,
			     "%s", why);
		cr_assert_eq(by_module.sites[0].offset, start + at);
		rfs_resolve_release(&by_module);
	}
	rfs_resolve_release(&by_function);
	tear_down(&world);
}

Test(resolve, what_does_not_match_is_explained)
{
	struct world world;
	struct rfs_statement statement;
	char why[1024] = "";
	uint64_t at;
	rfs_addr start;

	build(&world);
	at = first_access(&world, 1, "_ZN1n3setEii");
	cr_assert(rfs_elf_symbol(world.elf[1], "_ZN1n3setEii", &start, NULL));
	const struct {
		const char *name;
		uint64_t offset;
		int error;
		const char *why;
	} cases[] = {
		{"nosuch", 1, -ENOENT, "no function or module named 'nosuch'"},
		{"wo.so", 1, -ENOENT, "no function or module named 'wo.so'"},
		{"main", 0x100000, -ENOENT, "0x100000 is past the end of function 'main'"},
		{"n::set(int, int)", at + 1, -ENOENT,
		 "does not access shared memory; the nearest accesses are at libtwo.so+0x"},
		{"prog", 1, -ENOENT, "'prog+0x1' does not access shared memory; the nearest accesses are at prog+0x"},
		{"prog", UINT64_MAX, -ENOENT, "the nearest accesses are at prog+0x"},
		{"libtwo.so", start + at, -EEXIST, "write one of ./lib/libtwo.so+0x"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		cr_expect_eq(resolve(&world, MODULES, RFS_NAME_OFFSET, cases[i].name, cases[i].offset, &statement, why,
				     sizeof(why)),
			     cases[i].error, "%s: %s", cases[i].name, why);
		cr_expect_not_null(strstr(why, cases[i].why), "%s: '%s' does not say '%s'", cases[i].name, why,
				   cases[i].why);
		cr_expect_null(statement.sites);
	}
	world.modules[0] = world.modules[2];
	cr_expect_eq(resolve(&world, 1, RFS_NAME_LINE, "first.c", 5, &statement, why, sizeof(why)), -ENOENT);
	cr_expect_not_null(strstr(why, "no debug information; build it with -g"), "%s", why);
	tear_down(&world);
}
