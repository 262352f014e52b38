/* dwarf_variable_test.c - static variables as expressions, and what debug information says about their atomicity. */
#include "disasm/dwarf/dwarf.h"

#include <criterion/criterion.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "tests/disasm/dwarf_program.h"

TestSuite(dwarf_variable, .timeout = 120);

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define UNKNOWN RFS_ATOMICITY_UNKNOWN
#define PLAIN RFS_ATOMICITY_PLAIN
#define ATOMIC RFS_ATOMICITY_ATOMIC

struct expected {
	const char *symbol;
	uint64_t offset;
	const char *name;
	enum rfs_atomicity atomicity;
};

static const char *const versions[] = {"-gdwarf-2", "-gdwarf-3", "-gdwarf-4", "-gdwarf-5"};

/* ---- C ---- */

static const char c_source[] =
	"#include <stdatomic.h>\n"
	"#include <stdlib.h>\n"
	"struct node { int key; struct node *next; };\n"
	"struct pair { int a, b; };\n"
	"typedef const volatile struct node cv_node;\n"
	"struct stats {\n"
	"	int hits;			/* 0 */\n"
	"	_Atomic int shared;		/* 4 */\n"
	"	unsigned low : 3, high : 9;	/* 8 */\n"
	"	struct { short inside[2]; };	/* 10 */\n"
	"	union { int whole; char bytes[4]; } u;	/* 16 */\n"
	"	_Atomic struct pair both;	/* 24 */\n"
	"	struct pair pairs[2][3];	/* 32 */\n"
	"	char tail;			/* 80; padding behind */\n"
	"} stats;\n"
	"struct node table[4];\n"
	"cv_node constant = {1, 0};\n"
	"_Atomic int flag;\n"
	"atomic_long flags[3];\n"
	"union { long plain; _Atomic long atomic; } mixed;\n"
	"int *pointer;\n"
	"int (*function)(void);\n"
	"_Thread_local int own;\n"
	"struct heap { int first; _Atomic int second; struct pair third; _Atomic char small[4]; };\n"
	"__attribute__((noinline)) void touch(struct heap *heap) { heap->first++; }\n"
	"int main(void)\n"
	"{\n"
	"	static int calls[2];\n"
	"	struct heap *heap = malloc(sizeof(*heap));\n"
	"	touch(heap);\n"
	"	calls[1] += heap->first;\n"
	"	own++;\n"
	"	return calls[1] + stats.hits + table[1].key;\n"
	"}\n";

static const struct expected c_variables[] = {
	{"stats", 0, "stats.hits", PLAIN},
	{"stats", 3, "stats.hits", PLAIN},
	{"stats", 4, "stats.shared", ATOMIC},
	{"stats", 8, "stats.low", PLAIN},
	{"stats", 9, "stats.high", PLAIN},
	{"stats", 12, "stats.inside[1]", PLAIN},
	{"stats", 16, "stats.u.whole", PLAIN},
	{"stats", 24, "stats.both", ATOMIC},
	{"stats", 28, "stats.both", ATOMIC},
	{"stats", 32, "stats.pairs[0][0].a", PLAIN},
	{"stats", 76, "stats.pairs[1][2].b", PLAIN},
	{"stats", 80, "stats.tail", PLAIN},
	{"stats", 81, "stats", PLAIN},
	{"table", 56, "table[3].next", PLAIN},
	{"table", 32, "table[2].key", PLAIN},
	{"constant", 0, "constant.key", PLAIN},
	{"flag", 0, "flag", ATOMIC},
	{"flags", 16, "flags[2]", ATOMIC},
	{"mixed", 0, "mixed.plain", UNKNOWN},
	{"pointer", 7, "pointer", PLAIN},
	{"function", 0, "function", PLAIN},
};

static bool is_any(void *arg, const char *name)
{
	(void)arg;
	(void)name;
	return true;
}

/* Whether the debug information of the code at vaddr allows an atomic object there. */
static bool may_be_atomic(const struct rfs_dwarf *dwarf, rfs_addr vaddr, uint64_t offset, uint64_t size)
{
	return rfs_dwarf_tells_atomics(dwarf, vaddr) == RFS_DWARF_TELLS_NOT ||
	       rfs_dwarf_atomic_member(dwarf, vaddr, offset, size, false, is_any, NULL);
}

/*
 * `may`: whether may_be_atomic() says that an access of `size` bytes at `offset` from a pointer to struct
 * heap may be atomic.
 */
static const struct {
	int64_t offset;
	uint64_t size;
	bool may;
} c_accesses[] = {
	{0, 4, false}, {4, 4, true},   {4, 8, false}, {6, 2, false},  {8, 4, false},  {16, 1, true},
	{19, 1, true}, {20, 4, false}, {24, 4, true}, {20, 1, false}, {-16, 4, true}, {-20, 4, false},
};

/* DWARF before version 5 cannot express _Atomic, so any variable may be atomic. */
static void check_c(const struct program *program, const char *flags)
{
	bool tells = strstr(flags, "-gdwarf-5");
	enum rfs_atomicity atomicity;
	rfs_addr touch = program_symbol(program, "touch", NULL);

	for (size_t i = 0; i < COUNT(c_variables); i++) {
		const struct expected *expected = &c_variables[i];
		rfs_addr at = program_symbol(program, expected->symbol, NULL) + expected->offset;
		const char *name = variable_at(program, at, &atomicity);

		/*
		 * Without the _Atomic qualifier, an atomic structure looks like an ordinary one, and its members are
		 * named.
		 */
		if (tells || strcmp(expected->name, "stats.both") != 0)
			cr_assert_str_eq(name, expected->name, "%s: %s", flags, name);
		cr_assert_eq(atomicity, tells ? expected->atomicity : UNKNOWN, "%s: %s %d", flags, name, atomicity);
	}
	cr_assert_str_empty(variable_at(program, program_symbol(program, "stats", NULL) - 4096 * 16, NULL));
	for (size_t i = 0; i < COUNT(c_accesses); i++)
		cr_assert_eq(may_be_atomic(program->dwarf, touch, (uint64_t)c_accesses[i].offset, c_accesses[i].size),
			     !tells || c_accesses[i].may, "%s: %ld", flags, (long)c_accesses[i].offset);
	cr_assert(may_be_atomic(program->dwarf, 1, 0, 4));
}

Test(dwarf_variable, of_c)
{
	for (size_t i = 0; i < 4 * COUNT(versions); i++) {
		struct program program;
		char flags[64];

		snprintf(flags, sizeof(flags), "%s %s", versions[i / 4], i & 1 ? "-O2" : "-O0");
		program_init(&program);
		if (program_build(&program, i & 2 ? "clang" : "gcc", flags, "program.c", c_source))
			check_c(&program, flags);
		program_release(&program);
	}
}

Test(dwarf_variable, local_static)
{
	struct program program;
	uint64_t size;
	rfs_addr at;

	program_init(&program);
	cr_assert(program_build(&program, "gcc", "-g -O0", "program.c", c_source));
	at = program_symbol(&program, "calls.0", &size);
	cr_assert_str_eq(variable_at(&program, at + 4, NULL), "main::calls[1]");
	program_release(&program);
}

/* ---- variables on the stack ---- */

/* Prints where each object is: the code after main that uses it, its distance to main's canonical frame address, and
 * its name. */
static const char stack_source[] =
	"#include <stdatomic.h>\n"
	"#include <stdio.h>\n"
	"struct stats { int hits; _Atomic int shared; int table[3]; };\n"
	"int main(void);\n"
	"__attribute__((noinline)) static void say(const char *name, void *object, char *cfa)\n"
	"{\n"
	"	char *code = (char *)__builtin_return_address(0) - 1;\n"
	"	printf(\"%ld %ld %s\\n\", (long)(code - (char *)main), (long)((char *)object - cfa), name);\n"
	"}\n"
	"static inline __attribute__((always_inline)) void inlined(char *cfa)\n"
	"{\n"
	"	volatile long inner[2] = {1, 2};\n"
	"	say(\"inlined::inner[1]\", (void *)&inner[1], cfa);\n"
	"}\n"
	"__attribute__((noinline)) static int other(void)\n"
	"{\n"
	"	volatile int unrelated[64] = {1};\n"
	"	return unrelated[0];\n"
	"}\n"
	"int main(void)\n"
	"{\n"
	"	char *cfa = __builtin_dwarf_cfa();\n"
	"	struct stats stats = {0};\n"
	"	_Atomic int flag = 0;\n"
	"	say(\"main::stats.hits\", &stats, cfa);\n"
	"	say(\"main::stats.shared\", &stats.shared, cfa);\n"
	"	say(\"main::stats.table[2]\", &stats.table[2], cfa);\n"
	"	say(\"main::flag\", &flag, cfa);\n"
	"	inlined(cfa);\n"
	"	say(\"\", cfa + 8, cfa);\n"
	"	return other() - 1;\n"
	"}\n";

/* The same for a function that has no frame pointer, because it does not ask for its frame address. */
static const char no_pointer_source[] =
	"#include <stdio.h>\n"
	"#include <unwind.h>\n"
	"struct stats { int hits; int table[3]; };\n"
	"int main(void);\n"
	"static long depth, cfa;\n"
	"static _Unwind_Reason_Code frame(struct _Unwind_Context *context, void *arg)\n"
	"{\n"
	"	(void)arg;\n"
	"	if (depth++ == 2)\n"
	"		cfa = (long)_Unwind_GetCFA(context);\n"
	"	return _URC_NO_REASON;\n"
	"}\n"
	"__attribute__((noinline)) static void say(const char *name, void *object)\n"
	"{\n"
	"	char *code = (char *)__builtin_return_address(0) - 1;\n"
	"	depth = 0;\n"
	"	_Unwind_Backtrace(frame, NULL);\n"
	"	printf(\"%ld %ld %s\\n\", (long)(code - (char *)main), (long)object - cfa, name);\n"
	"}\n"
	"__attribute__((noinline)) static int uses(int n)\n"
	"{\n"
	"	struct stats stats, other[4];\n"
	"	stats.hits = n;\n"
	"	say(\"uses::stats.hits\", &stats);\n"
	"	say(\"uses::stats.table[2]\", &stats.table[2]);\n"
	"	other[n].hits = n;\n"
	"	say(\"uses::other[1].hits\", &other[1].hits);\n"
	"	return other[n].hits + stats.hits;\n"
	"}\n"
	"int main(void)\n"
	"{\n"
	"	return uses(1) - 2;\n"
	"}\n";

/* Runs the program, and looks up each of the n objects that it prints. */
static void check_stack(const struct program *program, size_t n_objects)
{
	rfs_addr start = program_symbol(program, "main", NULL);
	FILE *said = popen(program->path, "r"); // NOLINT(cert-env33-c): no foreign input
	char expected[64], name[64], line[128];
	size_t n = 0;

	cr_assert_not_null(said);
	while (fgets(line, sizeof(line), said)) {
		enum rfs_atomicity atomicity, right = UNKNOWN;
		long code, offset;
		bool found;

		expected[0] = name[0] = '\0';
		cr_assert_geq(sscanf(line, "%ld %ld %63s", &code, &offset, expected), 2); // NOLINT(cert-err34-c)
		found = rfs_dwarf_local(program->dwarf, start + (rfs_addr)code, offset, name, sizeof(name), &atomicity);
		cr_expect_eq(found, expected[0] != '\0', "%s: %s", line, name);
		cr_expect_str_eq(name, expected);
		if (found)
			right = strstr(expected, "shared") || strstr(expected, "flag") ? ATOMIC : PLAIN;
		cr_expect_eq(atomicity, right, "%s", line);
		/* another function's code has no such variable */
		cr_expect_not(rfs_dwarf_local(program->dwarf, program_symbol(program, "say", NULL), offset, name,
					      sizeof(name), &atomicity) &&
			      !strcmp(name, expected));
		n++;
	}
	cr_expect_eq(pclose(said), 0);
	cr_expect_eq(n, n_objects);
}

Test(dwarf_variable, on_the_stack)
{
	static const char *const builds[][2] = {{"gcc", "-g -O0"}, {"gcc", "-g -O2"}, {"clang", "-g -O0"}};

	for (size_t i = 0; i < COUNT(builds); i++) {
		struct program program;

		program_init(&program);
		if (program_build(&program, builds[i][0], builds[i][1], "program.c", stack_source))
			check_stack(&program, 6);
		program_release(&program);
	}
}

Test(dwarf_variable, by_the_stack_pointer)
{
	static const char *const builds[][2] = {{"gcc", "-g -O2"}, {"clang", "-g -O1"}, {"clang", "-g -O2"}};

	for (size_t i = 0; i < COUNT(builds); i++) {
		struct program program;

		program_init(&program);
		if (program_build(&program, builds[i][0], builds[i][1], "program.c", no_pointer_source))
			check_stack(&program, 3);
		program_release(&program);
	}
}

static const char blocks_source[] =
	"void use(void *);\n"
	"void use(void *object) { *(volatile int *)object = 1; }\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	if (argv[1]) { int first[8]; use(first); } else { int second[8]; use(second); }\n"
	"	return argc - 1;\n"
	"}\n";

/* Two variables in one place: no name is better than a wrong one. */
Test(dwarf_variable, of_two_blocks)
{
	struct program program;
	enum rfs_atomicity atomicity;
	char name[64];
	rfs_addr start;
	uint64_t size;

	program_init(&program);
	cr_assert(program_build(&program, "gcc", "-g -O2 -fno-inline", "program.c", blocks_source));
	start = program_symbol(&program, "main", &size);
	for (int64_t offset = -128; offset < 0; offset += 4)
		cr_expect_not(rfs_dwarf_local(program.dwarf, start + size - 1, offset, name, sizeof(name), &atomicity));
	program_release(&program);
}

Test(dwarf_variable, name_is_cut_to_its_buffer)
{
	struct program program;
	enum rfs_atomicity atomicity;
	char name[8];
	rfs_addr at;

	program_init(&program);
	cr_assert(program_build(&program, "gcc", "-g", "program.c", c_source));
	at = program_symbol(&program, "table", NULL) + 56;
	for (size_t n = 0; n <= sizeof(name); n++) {
		memset(name, 'x', sizeof(name));
		cr_assert(rfs_dwarf_variable(program.dwarf, at, name, n, &atomicity));
		cr_assert_eq(atomicity, PLAIN);
		cr_assert(!n || strlen(name) == n - 1);
		cr_assert(n == sizeof(name) || name[n] == 'x');
	}
	program_release(&program);
}

/* A pointer to an atomic object has no structure around it. The access may be to any element of an array. */
Test(dwarf_variable, pointer_to_atomic)
{
	static const char source[] = "void set(_Atomic long *p)\n{\n	*p = 1;\n}\nint main(void)\n{\n	return 0;\n}\n";
	struct program program;
	rfs_addr set;

	program_init(&program);
	cr_assert(program_build(&program, "gcc", "-gdwarf-5", "program.c", source));
	set = program_symbol(&program, "set", NULL);
	cr_assert(may_be_atomic(program.dwarf, set, 0, 8));
	cr_assert(may_be_atomic(program.dwarf, set, 16, 8));
	cr_assert_not(may_be_atomic(program.dwarf, set, 4, 8));
	cr_assert_not(may_be_atomic(program.dwarf, set, 0, 4));
	program_release(&program);
}

/* ---- C++ ---- */

static const char cxx_source[] = "#include <atomic>\n"
				 "namespace ns {\n"
				 "struct Empty {};\n"
				 "struct Base : Empty { int base; };\n"
				 "struct Class : Base {\n"
				 "	std::atomic<int> count;		// 4\n"
				 "	int plain;			// 8\n"
				 "	std::atomic<long> many[3];	// 16\n"
				 "	union { int i; struct { short low, high; }; };	// 40\n"
				 "	static int instances;\n"
				 "	int method();\n"
				 "};\n"
				 "int Class::instances = 1;\n"
				 "Class object;\n"
				 "namespace { int hidden = 2; }\n"
				 "std::atomic<int> global;\n"
				 "std::atomic<int> array[4];\n"
				 "std::atomic_flag flag;\n"
				 "std::atomic<Class *> pointer;\n"
				 "inline int shared = 3;\n"
				 "int Class::method() { static int calls; return ++calls + plain + hidden + shared; }\n"
				 "}\n"
				 "std::atomic<bool> *both = 0;\n"
				 "thread_local int own;\n"
				 "int main(int argc, char **) { return ns::object.method() + own + argc; }\n";

static const struct expected cxx_variables[] = {
	{"_ZN2ns6objectE", 0, "ns::object.base", PLAIN},
	{"_ZN2ns6objectE", 4, "ns::object.count", ATOMIC},
	{"_ZN2ns6objectE", 8, "ns::object.plain", PLAIN},
	{"_ZN2ns6objectE", 24, "ns::object.many[1]", ATOMIC},
	{"_ZN2ns6objectE", 31, "ns::object.many[1]", ATOMIC},
	{"_ZN2ns6objectE", 40, "ns::object.i", PLAIN},
	{"_ZN2ns5Class9instancesE", 0, "ns::Class::instances", PLAIN},
	{"_ZN2ns12_GLOBAL__N_16hiddenE", 0, "ns::(anonymous namespace)::hidden", PLAIN},
	{"_ZN2ns6globalE", 0, "ns::global", ATOMIC},
	{"_ZN2ns5arrayE", 8, "ns::array[2]", ATOMIC},
	{"_ZN2ns4flagE", 0, "ns::flag", ATOMIC},
	{"_ZN2ns7pointerE", 0, "ns::pointer", ATOMIC},
	{"_ZN2ns6sharedE", 0, "ns::shared", PLAIN},
	{"_ZZN2ns5Class6methodEvE5calls", 0, "ns::Class::method::calls", PLAIN},
	{"both", 0, "both", PLAIN},
};

Test(dwarf_variable, of_cxx)
{
	static const char *const flags[] = {"-O0",
					    "-O0 -gdwarf-2",
					    "-O0 -gdwarf-3",
					    "-O0 -gdwarf-4",
					    "-O0 -gdwarf-5",
					    "-O0 -gdwarf-4 -fdebug-types-section",
					    "-O0 -gdwarf-5 -fdebug-types-section"};

	for (size_t i = 2; i < 2 * COUNT(flags); i++) {
		struct program program;
		enum rfs_atomicity atomicity;

		program_init(&program);
		if (program_build(&program, i & 1 ? "clang++ -std=c++17" : "g++ -std=c++17", flags[i / 2], "program.cc",
				  cxx_source)) {
			for (size_t k = 0; k < COUNT(cxx_variables); k++) {
				const struct expected *expected = &cxx_variables[k];
				rfs_addr at = program_symbol(&program, expected->symbol, NULL) + expected->offset;
				const char *name = variable_at(&program, at, &atomicity);

				cr_assert_str_eq(name, expected->name, "%s: %s", flags[i / 2], name);
				cr_assert_eq(atomicity, expected->atomicity, "%s: %s", flags[i / 2], name);
			}
		}
		program_release(&program);
	}
}

Test(dwarf_variable, without_types)
{
	struct program program;

	program_init(&program);
	cr_assert(program_build(&program, "gcc", "-g1", "program.c", c_source));
	cr_assert(may_be_atomic(program.dwarf, program_symbol(&program, "touch", NULL), 0, 4));
	program_release(&program);
}
