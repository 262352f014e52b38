/*
 * match_test.c - which instructions a report of another tool means. The test compiles its module, and makes reports as
 * of another build and as of this one.
 */
#include "supervisor/campaign/triage/match.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disasm/elf/elf.h"
#include "supervisor/base/siteset.h"
#include "supervisor/import/import.h"
#include "supervisor/symbols/symbolize.h"
#include "tests/supervisor/scratch.h"

TestSuite(match, .timeout = 60);

static const char source[] = "#include <pthread.h>\n"							   /* 1 */
			     "#include <string.h>\n"							   /* 2 */
			     "int shared, other; long wide; char text[64];\n"				   /* 3 */
			     "pthread_mutex_t a, b;\n"							   /* 4 */
			     "static inline int twice(void)\n"						   /* 5 */
			     "{\n"									   /* 6 */
			     "\treturn __atomic_load_n(&other, __ATOMIC_RELAXED);\n"			   /* 7 */
			     "}\n"									   /* 8 */
			     "__attribute__((noinline)) void both(int v) { shared = v; wide = shared; }\n" /* 9 */
			     "__attribute__((noinline)) int one(void) { return twice() + 1; }\n"	   /* 10 */
			     "__attribute__((noinline)) int two(void) { return twice() + 2; }\n"	   /* 11 */
			     "__attribute__((noinline)) void copy(const char *s) { strcpy(text, s); }\n"   /* 12 */
			     "__attribute__((noinline)) void lock(void)\n"				   /* 13 */
			     "{\n"									   /* 14 */
			     "\tpthread_mutex_lock(&a);\n"						   /* 15 */
			     "\tpthread_mutex_lock(&b);\n"						   /* 16 */
			     "}\n"									   /* 17 */
			     "int main(int n, char **v)\n"						   /* 18 */
			     "{\n"									   /* 19 */
			     "\tboth(n);\n"								   /* 20 */
			     "\tcopy(v[0]);\n"								   /* 21 */
			     "\tlock();\n"								   /* 22 */
			     "\treturn one() + two();\n"						   /* 23 */
			     "}\n"									   /* 24 */
			     "__attribute__((noinline)) void calls(int v)\n"				   /* 25 */
			     "{\n"									   /* 26 */
			     "\tboth(v + 1);\n"								   /* 27 */
			     "}\n";									   /* 28 */

struct world {
	char *scratch;
	struct rfs_symbols *symbols;
	const struct rfs_elf *elf;
	struct rfs_match *match;
	struct rfs_match_input input;
};

static void build(struct world *world, const char *flags)
{
	char command[256];

	world->scratch = scratch_enter();
	scratch_file("prog.c", source, strlen(source), 0644);
	snprintf(command, sizeof(command), "gcc %s -fno-builtin -Wl,--build-id -pthread -o prog prog.c", flags);
	cr_assert_eq(system(command), 0);
	world->symbols = rfs_symbols_new();
	world->elf = rfs_symbols_elf(world->symbols, "./prog");
	cr_assert_not_null(world->elf);
	world->input = (struct rfs_match_input){"./prog", rfs_elf_build_id(world->elf), true};
	world->match = rfs_match_new(world->symbols, &world->input, 1);
}

static void tear_down(struct world *world)
{
	rfs_match_free(world->match);
	rfs_symbols_free(world->symbols);
	scratch_leave(world->scratch);
}

static rfs_addr start_of(const struct world *world, const char *function)
{
	rfs_addr start = 0;

	cr_assert(rfs_elf_symbol(world->elf, function, &start, NULL));
	return start;
}

/* The frames of an access; the strings are literals. */
static struct rfs_import_access access_of(bool writes, uint64_t size, struct rfs_import_frame *frames, size_t n)
{
	return (struct rfs_import_access){.writes = writes, .size = size, .stack = {frames, n}};
}

static const struct rfs_import_report of_tsan = {.tool = RFS_IMPORT_TSAN, .kind = RFS_IMPORT_RACE};
static const struct rfs_import_report of_helgrind = {.tool = RFS_IMPORT_HELGRIND, .kind = RFS_IMPORT_RACE};

/* How many instructions were found; 0: none, and why says the reason. */
static size_t find(const struct world *world, const struct rfs_import_report *report,
		   const struct rfs_import_access *access, struct rfs_matched *out, char *why, size_t n)
{
	why[0] = '\0';
	return rfs_match_access(world->match, report, access, out, why, n) ? 0 : out->n;
}

/* The report of another build names a line, and the kind and the size choose between its instructions. */
Test(match, lines)
{
	struct {
		const char *function, *file;
		unsigned line;
		bool writes;
		uint64_t size;
		size_t n;
		const char *why;
	} rows[] = {
		{"both", "/elsewhere/src/prog.c", 9, true, 4, 1, ""},
		{"both", "prog.c", 9, true, 8, 1, ""},
		{"both(int)", "prog.c", 9, true, 4, 1, ""},
		{"twice", "prog.c", 7, false, 4, 2, ""},
		{"twice", "prog.c", 7, true, 4, 0, "prog.c:7 does not write shared memory in this build"},
		{"gone", "gone.c", 7, true, 4, 0, "the program has no function 'gone' and no file gone.c"},
		{"both", "prog.c", 999, true, 4, 1, ""},
	};
	struct world world;
	char why[512];

	build(&world, "-O2 -g");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rfs_import_frame frame = {
			.function = (char *)rows[i].function, .file = (char *)rows[i].file, .line = rows[i].line};
		struct rfs_import_access access = access_of(rows[i].writes, rows[i].size, &frame, 1);
		struct rfs_matched matched;

		cr_expect_eq(find(&world, &of_tsan, &access, &matched, why, sizeof(why)), rows[i].n, "row %zu: %zu, %s",
			     i, matched.n, why);
		cr_expect(strstr(why, rows[i].why), "row %zu: %s", i, why);
		rfs_matched_release(&matched);
	}
	tear_down(&world);
}

/* Of the two places where twice() is inlined, the callers of the report choose one. */
Test(match, inlined)
{
	struct rfs_import_frame frames[] = {{.function = (char *)"twice", .file = (char *)"prog.c", .line = 7},
					    {.function = (char *)"two", .file = (char *)"prog.c", .line = 11}};
	struct rfs_import_access access = access_of(false, 4, frames, 2);
	struct rfs_matched matched;
	struct world world;
	char why[512];

	build(&world, "-O2 -g");
	cr_assert_eq(find(&world, &of_tsan, &access, &matched, why, sizeof(why)), 1, "%zu %s", matched.n, why);
	cr_expect_eq(matched.how, RFS_MATCH_LINE);
	cr_expect_geq(matched.sites[0].offset, start_of(&world, "two"));
	rfs_matched_release(&matched);
	tear_down(&world);
}

/* The tool's version of strcpy() makes the access for its caller, whose call is the statement. */
Test(match, call)
{
	struct rfs_import_frame frames[] = {
		{.function = (char *)"strcpy", .module = (char *)"libtsan.so.2", .has_offset = true, .offset = 1},
		{.function = (char *)"copy", .file = (char *)"prog.c", .line = 12}};
	struct rfs_import_access access = access_of(true, 7, frames, 2);
	struct rfs_matched matched;
	struct world world;
	char why[512];

	build(&world, "-O1 -g -fno-optimize-sibling-calls");
	cr_assert_eq(find(&world, &of_tsan, &access, &matched, why, sizeof(why)), 1, "%zu %s", matched.n, why);
	cr_expect_geq(matched.sites[0].offset, start_of(&world, "copy"));
	rfs_matched_release(&matched);
	access.stack.n = 1;
	cr_expect_eq(find(&world, &of_tsan, &access, &matched, why, sizeof(why)), 0);
	cr_expect_str_eq(why, "the stack is inside the other tool");
	tear_down(&world);
}

/* The same build: the offset counts, even if the line is wrong. Without a build-id, an offset needs the right access.
 */
Test(match, offsets)
{
	struct rfs_import_frame line = {.function = (char *)"both", .file = (char *)"prog.c", .line = 9}, frame;
	struct rfs_import_access access = access_of(true, 4, &line, 1);
	struct rfs_matched by_line, matched;
	struct world world;
	char why[512];

	build(&world, "-O2 -g");
	cr_assert_eq(find(&world, &of_tsan, &access, &by_line, why, sizeof(why)), 1);
	frame = (struct rfs_import_frame){.function = (char *)"x",
					  .file = (char *)"x.c",
					  .line = 1,
					  .module = (char *)"other",
					  .build_id = (char *)world.input.build_id,
					  .has_offset = true,
					  .offset = by_line.sites[0].offset};
	access = access_of(true, 4, &frame, 1);
	cr_assert_eq(find(&world, &of_tsan, &access, &matched, why, sizeof(why)), 1, "%s", why);
	cr_expect_eq(matched.how, RFS_MATCH_OFFSET);
	cr_expect_eq(matched.sites[0].offset, by_line.sites[0].offset);
	rfs_matched_release(&matched);
	frame = (struct rfs_import_frame){
		.module = (char *)"prog", .has_offset = true, .offset = start_of(&world, "both")};
	cr_assert_eq(find(&world, &of_tsan, &access, &matched, why, sizeof(why)), 1, "%s", why);
	cr_expect_eq(matched.how, RFS_MATCH_UNNAMED);
	cr_expect_eq(matched.sites[0].offset, by_line.sites[0].offset);
	rfs_matched_release(&matched);
	frame.module = (char *)"other";
	cr_expect_eq(find(&world, &of_tsan, &access, &matched, why, sizeof(why)), 0);
	cr_expect(strstr(why, "only an address in other"), "%s", why);
	rfs_matched_release(&by_line);
	tear_down(&world);
}

/* Valgrind's address is that of the instruction, wherever the module was loaded. It fits only this build. */
Test(match, addresses)
{
	struct rfs_import_frame frame = {.function = (char *)"both", .file = (char *)"prog.c", .line = 9};
	struct rfs_import_access access = access_of(true, 4, &frame, 1);
	struct rfs_matched by_line, matched;
	struct world world;
	char why[512];

	build(&world, "-O2 -g");
	cr_assert_eq(find(&world, &of_tsan, &access, &by_line, why, sizeof(why)), 1);
	frame.address = 0x108000 + by_line.sites[0].offset;
	cr_assert_eq(find(&world, &of_helgrind, &access, &matched, why, sizeof(why)), 1, "%s", why);
	cr_expect_eq(matched.how, RFS_MATCH_OFFSET);
	cr_expect_eq(matched.sites[0].offset, by_line.sites[0].offset);
	rfs_matched_release(&matched);
	frame.address += 1;
	cr_assert_eq(find(&world, &of_helgrind, &access, &matched, why, sizeof(why)), 1, "%s", why);
	cr_expect_eq(matched.how, RFS_MATCH_LINE, "there is no instruction at this address");
	rfs_matched_release(&matched);
	rfs_matched_release(&by_line);
	tear_down(&world);
}

/* DRD may name the begin of a block of code, even if the access is in a function that the block calls. */
Test(match, blocks)
{
	struct rfs_import_frame frame = {.function = (char *)"calls", .file = (char *)"prog.c", .line = 27};
	struct rfs_import_frame in_both = {.function = (char *)"both", .file = (char *)"prog.c", .line = 9};
	struct rfs_import_access access = access_of(true, 4, &frame, 1), direct = access_of(true, 4, &in_both, 1);
	static const struct rfs_import_report of_drd = {.tool = RFS_IMPORT_DRD, .kind = RFS_IMPORT_RACE};
	struct rfs_matched expected, matched;
	struct world world;
	char why[512];

	build(&world, "-O2 -g");
	cr_assert_eq(find(&world, &of_tsan, &direct, &expected, why, sizeof(why)), 1);
	frame.address = 0x108000 + start_of(&world, "calls");
	rfs_match_learn(world.match, 0, &access.stack);
	cr_assert_eq(find(&world, &of_drd, &access, &matched, why, sizeof(why)), 1, "%s", why);
	cr_expect_eq(matched.how, RFS_MATCH_NEAR);
	cr_expect_eq(matched.sites[0].offset, expected.sites[0].offset);
	rfs_matched_release(&matched);
	cr_expect_eq(find(&world, &of_helgrind, &access, &matched, why, sizeof(why)), 0, "Helgrind is exact");
	access.size = 2;
	cr_expect_eq(find(&world, &of_drd, &access, &matched, why, sizeof(why)), 0, "of another size");
	rfs_matched_release(&expected);
	tear_down(&world);
}

/* Each process of Valgrind has its own addresses, and Valgrind writes the path of a library without symbolic links. */
Test(match, processes)
{
	struct rfs_import_frame frame = {.function = (char *)"both", .module = (char *)"/elsewhere/prog"};
	const struct rfs_import_stack stack = {&frame, 1};
	struct rfs_match_input inputs[2] = {{"/bin/true", "", true}, {0}};
	struct world world;

	build(&world, "-O2 -g0");
	rfs_match_free(world.match);
	cr_assert_eq(symlink("prog", "prog.1"), 0);
	inputs[1] = (struct rfs_match_input){"./prog.1", world.input.build_id, true};
	world.match = rfs_match_new(world.symbols, inputs, 2);
	for (uint64_t process = 1; process <= 2; process++) {
		frame.address = process * 0x100000 + start_of(&world, "both");
		rfs_match_learn(world.match, process, &stack);
	}
	frame.function = NULL;
	for (uint64_t process = 1; process <= 2; process++) {
		frame.address = process * 0x100000 + start_of(&world, "one");
		cr_expect(rfs_match_frame(world.match, process, &frame));
		cr_expect_not(rfs_match_frame(world.match, 3 - process, &frame), "an address of the other process");
		cr_expect_not(rfs_match_frame(world.match, 3, &frame), "an unknown process");
	}
	tear_down(&world);
}

/* Without debug information, a function is enough if it has few such accesses. */
Test(match, functions)
{
	struct rfs_import_frame frame = {.function = (char *)"both", .file = (char *)"prog.c", .line = 9};
	struct rfs_import_access access = access_of(true, 8, &frame, 1);
	struct rfs_matched matched;
	struct world world;
	char why[512];

	build(&world, "-O2 -g0");
	cr_assert_eq(find(&world, &of_tsan, &access, &matched, why, sizeof(why)), 1, "%s", why);
	cr_expect_eq(matched.how, RFS_MATCH_FUNCTION);
	rfs_matched_release(&matched);
	cr_expect(rfs_match_frame(world.match, 0, &frame));
	frame.function = (char *)"gone";
	cr_expect_not(rfs_match_frame(world.match, 0, &frame));
	tear_down(&world);
}

/* A lock is where its call returns. What else the function acquires may be the lock that is held. */
Test(match, locks)
{
	struct rfs_import_frame frame = {.function = (char *)"lock", .file = (char *)"prog.c", .line = 16};
	struct rfs_import_stack stack = {&frame, 1};
	struct rfs_matched first, second, before;
	struct world world;
	char why[512];

	build(&world, "-O1 -g -fno-optimize-sibling-calls");
	cr_assert_eq(rfs_match_lock(world.match, &of_tsan, &stack, &second, why, sizeof(why)), 0, "%s", why);
	frame.line = 15;
	cr_assert_eq(rfs_match_lock(world.match, &of_tsan, &stack, &first, why, sizeof(why)), 0, "%s", why);
	cr_assert(first.n == 1 && second.n == 1);
	cr_expect_lt(first.sites[0].offset, second.sites[0].offset);
	rfs_match_locks_before(world.match, &stack, &second, &before);
	cr_assert_eq(before.n, 1);
	cr_expect_eq(before.sites[0].offset, first.sites[0].offset);
	frame.line = 9;
	frame.function = (char *)"both";
	rfs_matched_release(&before);
	cr_expect_eq(rfs_match_lock(world.match, &of_tsan, &stack, &before, why, sizeof(why)), -ENOENT);
	cr_expect(strstr(why, "does not acquire a lock in this build"), "%s", why);
	rfs_matched_release(&first);
	rfs_matched_release(&second);
	tear_down(&world);
}
