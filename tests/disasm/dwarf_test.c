/* dwarf_test.c - lines, files, frames and names from the debug information of gcc and clang, DWARF 2 to 5. */
#include "disasm/dwarf/dwarf-priv.h"
#include "disasm/dwarf/dwarf.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/disasm/dwarf_program.h"

TestSuite(dwarf, .timeout = 120);

/* Each test program is built with every compiler and every DWARF version, with and without optimisation. */
static const char *const c_compilers[] = {"gcc", "clang"}, *const cxx_compilers[] = {"g++", "clang++"};
static const char *const versions[] = {"-gdwarf-2", "-gdwarf-3", "-gdwarf-4", "-gdwarf-5", "-gdwarf-5 -gz"};
static const char *const levels[] = {"-O0", "-O2"};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void each_c(const char *source, void (*check)(const struct program *, const char *flags, const char *source))
{
	for (size_t i = 0; i < COUNT(c_compilers) * COUNT(versions) * COUNT(levels); i++) {
		struct program program;
		char flags[64];

		snprintf(flags, sizeof(flags), "%s %s", versions[i / 2 % COUNT(versions)], levels[i % 2]);
		program_init(&program);
		if (program_build(&program, c_compilers[i / (2 * COUNT(versions))], flags, "program.c", source))
			check(&program, flags, source);
		program_release(&program);
	}
}

static void each_cxx(const char *source, void (*check)(const struct program *, const char *flags, const char *source))
{
	for (size_t i = 0; i < COUNT(cxx_compilers) * COUNT(versions) * COUNT(levels); i++) {
		struct program program;
		char flags[64];

		snprintf(flags, sizeof(flags), "%s %s", versions[i / 2 % COUNT(versions)], levels[i % 2]);
		program_init(&program);
		if (program_build(&program, cxx_compilers[i / (2 * COUNT(versions))], flags, "program.cc", source))
			check(&program, flags, source);
		program_release(&program);
	}
}

/* ---- lines and frames of C ---- */

static const char c_source[] = "int total;\n"
			       "static inline __attribute__((always_inline)) int inner(int x)\n"
			       "{\n"
			       "	total += x; /* inner body */\n"
			       "	return x;\n"
			       "}\n"
			       "static inline __attribute__((always_inline)) int middle(int x)\n"
			       "{\n"
			       "	return inner(x + 1); /* call inner */\n"
			       "}\n"
			       "__attribute__((noinline)) int outer(int x) /* outer */\n"
			       "{\n"
			       "	x = middle(x); /* call middle */\n"
			       "	return x;\n"
			       "}\n"
			       "__attribute__((noinline)) int other(int x)\n"
			       "{\n"
			       "	return inner(x); /* call from other */\n"
			       "}\n"
			       "int main(int argc, char **argv)\n"
			       "{\n"
			       "	(void)argv;\n"
			       "	return outer(argc) + other(argc);\n"
			       "}\n";

static bool in_middle(const struct rfs_dwarf *dwarf, rfs_addr vaddr)
{
	struct rfs_frame frames[8];

	return rfs_dwarf_frames(dwarf, vaddr, frames, 8) == 3;
}

static void count(void *arg, rfs_addr start, rfs_addr end)
{
	(void)start;
	(void)end;
	++*(int *)arg;
}

struct has {
	rfs_addr vaddr;
	bool found;
};

static void has(void *arg, rfs_addr start, rfs_addr end)
{
	struct has *wanted = arg;

	wanted->found = wanted->found || (start <= wanted->vaddr && wanted->vaddr < end);
}

static void check_c_code(const struct program *program, const char *flags, const char *source)
{
	const struct rfs_dwarf *dwarf = program->dwarf;
	rfs_addr outer = program_symbol(program, "outer", NULL), at;
	char path[256];
	struct rfs_frame frames[8];
	struct has inlined = {0};
	struct rfs_line line;
	int n = 0;

	snprintf(path, sizeof(path), "%s/program.c", program->dir);
	cr_assert(rfs_dwarf_line(dwarf, outer, &line), "%s", flags);
	cr_assert_str_eq(line.file, path, "%s", flags);
	if (strstr(flags, "-O0")) { /* with -O2, outer() may begin with code of an inlined function */
		cr_assert_leq(line.line - line_of(source, "/* outer */"), 1, "%s: %u", flags, line.line);
		cr_assert_eq(rfs_dwarf_frames(dwarf, outer, frames, 8), 1, "%s", flags);
		cr_assert_str_eq(frames[0].function, "outer");
		cr_assert_eq(frames[0].call.line, 0);
	}

	/* The body of an inlined function. It has two copies. */
	at = code_of(program, "program.c", line_of(source, "/* inner body */"), in_middle);
	cr_assert_neq(at, 0, "%s", flags);
	cr_assert(rfs_dwarf_line(dwarf, at, &line));
	cr_assert_eq(line.line, line_of(source, "/* inner body */"));
	cr_assert_eq(rfs_dwarf_frames(dwarf, at, frames, 8), 3, "%s", flags);
	cr_assert_str_eq(frames[0].function, "inner");
	cr_assert_eq(frames[0].call.line, line_of(source, "/* call inner */"), "%s", flags);
	cr_assert_str_eq(frames[0].call.file, path);
	cr_assert_str_eq(frames[1].function, "middle");
	cr_assert_eq(frames[1].call.line, line_of(source, "/* call middle */"), "%s", flags);
	cr_assert_str_eq(frames[2].function, "outer");
	cr_assert_eq(frames[2].call.line, 0);
	cr_assert_eq(rfs_dwarf_frames(dwarf, at, frames, 2), 2);
	cr_assert_geq(rfs_dwarf_ranges(dwarf, "program.c", line_of(source, "/* inner body */"), count, &n), 2);
	cr_assert_geq(n, 2, "%s", flags);

	/* what is inlined into a line, at any depth, belongs to it; what the line calls does not */
	inlined.vaddr = at;
	cr_assert_geq(rfs_dwarf_inlined(dwarf, "program.c", line_of(source, "/* call middle */"), has, &inlined), 1);
	cr_assert(inlined.found, "%s", flags);
	inlined = (struct has){.vaddr = at};
	cr_assert_geq(rfs_dwarf_inlined(dwarf, path, line_of(source, "/* call inner */"), has, &inlined), 1);
	cr_assert(inlined.found, "%s", flags);
	cr_assert_eq(rfs_dwarf_inlined(dwarf, path, line_of(source, "/* inner body */"), has, &inlined), 0);
	cr_assert_eq(rfs_dwarf_inlined(dwarf, "rogram.c", 1, has, &inlined), -ENOENT);

	cr_assert_eq(rfs_dwarf_ranges(dwarf, path, 9999, count, &n), 0);
	cr_assert_eq(rfs_dwarf_ranges(dwarf, "rogram.c", 1, count, &n), -ENOENT);
	cr_assert_not(rfs_dwarf_line(dwarf, 1, &line));
	cr_assert_not(rfs_dwarf_line(dwarf, UINT64_MAX, &line));
	cr_assert_eq(rfs_dwarf_frames(dwarf, 1, frames, 8), 0);
}

Test(dwarf, lines_and_inlined_frames_of_c)
{
	each_c(c_source, check_c_code);
}

/*
 * Code that does not come from the unit's primary source. Each function is in a separate section, so each begins a
 * sequence of the line table. Line tables omit the file's number at the beginning of a sequence.
 */
static const char included_source[] =
	"# 3 \"first.h\"\n"
	"__attribute__((noinline, section(\".text.a\"))) int first(int x)\n"
	"{\n"
	"	return x + 1;\n"
	"}\n"
	"# 30 \"second.h\"\n"
	"__attribute__((noinline, section(\".text.b\"))) int second(int x)\n"
	"{\n"
	"	return x + 2;\n"
	"}\n"
	"# 50 \"program.c\"\n"
	"__attribute__((noinline, section(\".text.c\"))) int main(int argc, char **argv)\n"
	"{\n"
	"	(void)argv;\n"
	"	return first(argc) + second(argc);\n"
	"}\n";

static void check_included(const struct program *program, const char *flags, const char *source)
{
	static const struct {
		const char *function, *file;
		unsigned line;
	} wanted[] = {{"first", "/first.h", 3}, {"second", "/second.h", 30}, {"main", "/program.c", 50}};

	(void)source;
	for (size_t i = 0; i < COUNT(wanted); i++) {
		rfs_addr at = program_symbol(program, wanted[i].function, NULL);
		struct rfs_line line;
		size_t n = strlen(wanted[i].file);

		cr_assert(rfs_dwarf_line(program->dwarf, at, &line), "%s", flags);
		cr_expect(strlen(line.file) > n && !strcmp(line.file + strlen(line.file) - n, wanted[i].file),
			  "%s: %s is in %s", flags, wanted[i].function, line.file);
		cr_expect(line.line >= wanted[i].line && line.line < wanted[i].line + 5, "%s: %s is at line %u", flags,
			  wanted[i].function, line.line);
	}
}

Test(dwarf, lines_of_included_files)
{
	each_c(included_source, check_included);
}

/* Each address belongs to exactly one line, and rfs_dwarf_ranges() and rfs_dwarf_line() agree about it. */
struct agreement {
	const struct rfs_dwarf *dwarf;
	unsigned line;
	rfs_addr bytes;
};

static void agree(void *arg, rfs_addr start, rfs_addr end)
{
	struct agreement *agreement = arg;
	struct rfs_line line;

	for (rfs_addr at = start; at < end; at++) {
		cr_assert(rfs_dwarf_line(agreement->dwarf, at, &line));
		cr_assert_eq(line.line, agreement->line);
	}
	agreement->bytes += end - start;
}

static void check_agreement(const struct program *program, const char *flags, const char *source)
{
	struct agreement agreement = {.dwarf = program->dwarf};
	rfs_addr start = program_symbol(program, "outer", NULL), bytes = 0;
	uint64_t main_size;
	rfs_addr end = program_symbol(program, "main", &main_size) + main_size;
	struct rfs_line line;

	for (agreement.line = 1; agreement.line <= line_of(source, "return outer(argc)") + 1; agreement.line++)
		cr_assert_geq(rfs_dwarf_ranges(program->dwarf, "program.c", agreement.line, agree, &agreement), 0);
	for (rfs_addr at = start - 4096; at < (end > start ? end : start) + 4096; at++)
		bytes += rfs_dwarf_line(program->dwarf, at, &line);
	cr_assert_eq(bytes, agreement.bytes, "%s", flags);
}

Test(dwarf, ranges_and_lines_agree)
{
	each_c(c_source, check_agreement);
}

/* ---- names and frames of C++ ---- */

static const char cxx_source[] =
	"#include <atomic>\n"
	"namespace ns {\n"
	"class Class {\n"
	"public:\n"
	"	int method(int x);\n"
	"	template <class T> __attribute__((noinline, used)) T pick(T x) { return x + base; }\n"
	"	int base = 2;\n"
	"};\n"
	"__attribute__((noinline)) int Class::method(int x) { return x * base; }\n"
	"namespace { __attribute__((noinline)) int hidden(int x) { asm volatile(\"\"); return x + 1; } }\n"
	"}\n"
	"std::atomic<int> flag;\n"
	"std::atomic_flag spin;\n"
	"int plain;\n"
	"extern \"C\" __attribute__((noinline)) int c_function(int x) { return ns::hidden(x); }\n"
	"__attribute__((noinline)) void release(int x)\n"
	"{\n"
	"	plain = x; /* plain store */\n"
	"	flag.store(x, std::memory_order_release); /* atomic store */\n"
	"}\n"
	"__attribute__((noinline)) int acquire()\n"
	"{\n"
	"	return flag.load(std::memory_order_acquire); /* atomic load */\n"
	"}\n"
	"__attribute__((noinline)) void take() { while (spin.test_and_set()) ; } /* test and set */\n"
	"int main(int argc, char **)\n"
	"{\n"
	"	ns::Class object;\n"
	"	release(argc);\n"
	"	take();\n"
	"	return flag + object.method(argc) + c_function(argc) + acquire() + (int)object.pick(2L);\n"
	"}\n";

static void check_cxx_code(const struct program *program, const char *flags, const char *source)
{
	static const struct {
		const char *symbol, *function;
		bool atomic;
	} functions[] = {
		{"_ZN2ns5Class6methodEi", "ns::Class::method(int)", false},
		{"_ZN2ns12_GLOBAL__N_16hiddenEi", "ns::(anonymous namespace)::hidden", false},
		{"_ZN2ns5Class4pickIlEET_S2_", "ns::Class::pick<long>(long)", false},
		{"c_function", "c_function", false},
		{"main", "main", false},
	};
	/* Functions in which an operation of std::atomic is inlined even without optimisation. */
	static const struct {
		const char *symbol, *mark;
	} operations[] = {
		{"_Z7releasei", "/* atomic store */"},
		{"_Z7acquirev", "/* atomic load */"},
		{"_Z4takev", "/* test and set */"},
	};
	struct rfs_frame frames[16];
	uint64_t size;
	rfs_addr at;
	size_t n;

	for (size_t i = 0; i < COUNT(functions); i++) {
		n = rfs_dwarf_frames(program->dwarf, program_symbol(program, functions[i].symbol, NULL), frames, 16);
		cr_assert_geq(n, 1, "%s: %s", flags, functions[i].symbol);
		/* gcc gives no linkage name to functions in anonymous namespaces, so their parameters are unknown. */
		cr_assert_eq(strncmp(frames[n - 1].function, functions[i].function, strlen(functions[i].function)), 0,
			     "%s: %s", flags, frames[n - 1].function);
	}
	for (size_t i = 0; i < COUNT(operations); i++) {
		at = program_symbol(program, operations[i].symbol, &size);
		n = 0;
		for (rfs_addr end = at + size; at < end && !n; at++) {
			n = rfs_dwarf_in_atomic(program->dwarf, at) ? rfs_dwarf_frames(program->dwarf, at, frames, 16)
								    : 0;
			if (n && (n < 2 || frames[n - 2].call.line != line_of(source, operations[i].mark)))
				n = 0;
		}
		cr_assert_gt(n, 1, "%s: %s", flags, operations[i].symbol);
		cr_assert_eq(strncmp(frames[0].function, "std::", 5), 0, "%s: %s", flags, frames[0].function);
	}
	at = code_of(program, "program.cc", line_of(source, "/* plain store */"), NULL);
	cr_assert_neq(at, 0);
	cr_assert_not(rfs_dwarf_in_atomic(program->dwarf, at), "%s", flags);
	cr_assert_not(rfs_dwarf_in_atomic(program->dwarf, program_symbol(program, "main", NULL)));
	if (strstr(flags, "-O0")) { /* not inlined */
		at = program_symbol(program, "_ZNKSt13__atomic_baseIiEcviEv", NULL);
		cr_assert(rfs_dwarf_in_atomic(program->dwarf, at), "%s", flags);
		cr_assert_eq(rfs_dwarf_frames(program->dwarf, at, frames, 16), 1);
		cr_assert_str_eq(frames[0].function, "std::__atomic_base<int>::operator int() const");
	}
}

Test(dwarf, names_and_atomic_frames_of_cxx)
{
	each_cxx(cxx_source, check_cxx_code);
}

Test(dwarf, demangle)
{
	static const struct {
		const char *mangled, *plain;
	} names[] = {
		{"_ZN2ns5Class6methodEi", "ns::Class::method(int)"},
		{"_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int, std::allocator<int> >::push_back(int&&)"},
		{"_ZN1AC1Ev", "A::A()"},
		{"_ZNK3fooplERKS_", "foo::operator+(foo const&) const"},
		{"_RNvC6_123foo3bar", "123foo::bar"},
		{"main", NULL},
		{"pthread_mutex_lock", NULL},
		{"_Z", NULL},
		{"", NULL},
		{"i", NULL},
	};

	for (size_t i = 0; i < COUNT(names); i++) {
		char *plain = rfs_demangle(names[i].mangled);

		if (names[i].plain)
			cr_assert_str_eq(plain, names[i].plain);
		else
			cr_assert_null(plain, "%s", names[i].mangled);
		free(plain);
	}
}

/* ---- files ---- */

Test(dwarf, paths)
{
	static const struct {
		const char *base, *dir, *path, *joined;
	} joins[] = {
		{"/b", "d", "a.c", "/b/d/a.c"},
		{"/b", "/d", "a.c", "/d/a.c"},
		{"/b", "d", "/a.c", "/a.c"},
		{"", "", "./a.c", "a.c"},
		{"/b", ".", "x/../a.c", "/b/a.c"},
		{"/b/", "d//e/", "../a.c", "/b/d/a.c"},
		{"/", "", "../../a.c", "/a.c"},
		{"", "", "../../a.c", "../../a.c"},
		{"", "x", "../../a.c", "../a.c"},
		{"", "..x", "../a.c", "a.c"},
		{"", "", "/", "/"},
		{"", "", "", ""},
	};
	static const struct {
		const char *path, *tail;
		bool ends;
	} tails[] = {
		{"/x/a.c", "a.c", true},    {"/x/ba.c", "a.c", false},	   {"/x/a.c", "x/a.c", true},
		{"/x/a.c", "/x/a.c", true}, {"/y/x/a.c", "/x/a.c", false}, {"a.c", "a.c", true},
		{"a.c", "x/a.c", false},    {"/a.c", "", false},
	};
	char out[64];

	for (size_t i = 0; i < COUNT(joins); i++) {
		cr_assert(rfs_dwarf_path_join(joins[i].base, joins[i].dir, joins[i].path, out, sizeof(out)));
		cr_assert_str_eq(out, joins[i].joined);
	}
	for (size_t i = 0; i < COUNT(tails); i++)
		cr_assert_eq(rfs_dwarf_path_ends(tails[i].path, tails[i].tail), tails[i].ends, "%zu", i);
	for (size_t n = 0; n < 9; n++)
		cr_assert_eq(rfs_dwarf_path_join("/b", "d", "a.c", out, n), n > 8, "%zu", n);
}

static void gather(void *arg, const char *file)
{
	char *all = arg;

	strcat(strcat(all, " "), strrchr(file, '/') - 1);
}

Test(dwarf, tails_of_paths)
{
	struct program program;
	char files[256] = "";
	int n = 0;

	program_init(&program);
	program_write(&program, "a/x.c", "int fa(int x)\n{\n	return x + 1;\n}\n");
	program_write(&program, "b/x.c", "int fb(int x)\n{\n	return x + 2;\n}\n");
	/*
	 * The same file is compiled twice, under two spellings of its path. It must count as one file, whose lines have
	 * two pieces of code each.
	 */
	program_write(&program, "once.c", "int NAME(int x)\n{\n	return x + 3;\n}\n");
	program_write(&program, "main.c", "int main(void)\n{\n	return 0;\n}\n");
	cr_assert(program_run(&program, "gcc -g -c -DNAME=f1 ./once.c -o once1.o"));
	cr_assert(program_run(&program, "gcc -g -c -DNAME=f2 a/../once.c -o once2.o"));
	cr_assert(program_run(&program, "gcc -g main.c a/x.c b/x.c once1.o once2.o -o program"));
	program_open(&program);
	cr_assert_eq(rfs_dwarf_ranges(program.dwarf, "x.c", 3, count, &n), -EEXIST);
	cr_assert_eq(rfs_dwarf_files(program.dwarf, "x.c", gather, files), 2);
	cr_assert(!strcmp(files, " a/x.c b/x.c") || !strcmp(files, " b/x.c a/x.c"), "%s", files);
	cr_assert_eq(n, 0);
	cr_assert_eq(rfs_dwarf_ranges(program.dwarf, "a/x.c", 3, count, &n), 1);
	cr_assert_eq(rfs_dwarf_ranges(program.dwarf, "./b/../a/x.c", 3, count, &n), 1);
	cr_assert_eq(rfs_dwarf_ranges(program.dwarf, "../a/x.c", 3, count, &n), 1);
	cr_assert_eq(rfs_dwarf_ranges(program.dwarf, "c/x.c", 3, count, &n), -ENOENT);
	cr_assert_eq(rfs_dwarf_ranges(program.dwarf, "once.c", 3, count, &n), 2);
	cr_assert_eq(rfs_dwarf_files(program.dwarf, "nothing.c", gather, files), 0);
	program_release(&program);
}
