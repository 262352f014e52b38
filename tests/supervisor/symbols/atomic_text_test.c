/* atomic_text_test.c - which moves of a line are atomic. */
#include "supervisor/symbols/atomic_text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/symbols/source_files.h"

TestSuite(atomic_text, .timeout = 20);

static enum rfs_macro macro(void *arg, const char *name, size_t n)
{
	(void)arg;
	if (n == 4 && strncmp(name, "LOAD", n) == 0)
		return RFS_MACRO_ATOMIC;
	if (n == 4 && strncmp(name, "ONCE", n) == 0)
		return RFS_MACRO_MEANT;
	return n == 5 && strncmp(name, "FETCH", n) == 0 ? RFS_MACRO_AMBIGUOUS : RFS_MACRO_UNKNOWN;
}

/* The column is that of the caret in `at`, 0 if there is none. */
Test(atomic_text, moves)
{
	static const struct {
		const char *line, *at;
		bool writes;
		const char *variable;
		enum rfs_move_says says;
	} cases[] = {
		{"x = 1;", "", true, "x", RFS_MOVE_PLAIN},
		{"__atomic_store_n(&x, 1, __ATOMIC_RELEASE);", "", true, "x", RFS_MOVE_ATOMIC},
		{"__atomic_store_n(&x, 1, __ATOMIC_RELEASE);", "^", true, "x", RFS_MOVE_ATOMIC},
		{"__atomic_store_n(&x, y, __ATOMIC_RELEASE);", "", false, "y", RFS_MOVE_UNKNOWN},
		{"__atomic_store_n(&x, y, __ATOMIC_RELEASE);", "                     ^", false, "y", RFS_MOVE_PLAIN},
		{"if (__atomic_load_n(&x, 2) && y)", "    ^", false, "x", RFS_MOVE_ATOMIC},
		{"if (__atomic_load_n(&x, 2) && y)", "                              ^", false, "y", RFS_MOVE_PLAIN},
		{"if (__atomic_load_n(&x, 2) && y)", "", false, "y", RFS_MOVE_UNKNOWN},
		{"v = atomic_load(&p->next);", "    ^", false, NULL, RFS_MOVE_ATOMIC},
		{"v = atomic_load(&p->next);", "    ^", false, "p", RFS_MOVE_PLAIN},
		{"v = atomic_load(&stats.hits);", "    ^", false, "ns::stats.hits", RFS_MOVE_ATOMIC},
		{"v = atomic_load(pointer);", "    ^", false, "pointer", RFS_MOVE_PLAIN},
		{"while (!LOAD(flag))", "        ^", false, "flag", RFS_MOVE_ATOMIC},
		{"while (!FETCH(flag))", "        ^", false, "flag", RFS_MOVE_UNKNOWN},
		{"while (!READ(flag))", "        ^", false, "flag", RFS_MOVE_PLAIN},
		{"puts(\"atomic_load(x)\"); // atomic_load(x)", "", false, NULL, RFS_MOVE_PLAIN},
		{"atomic_counter = 1;", "", true, "atomic_counter", RFS_MOVE_PLAIN},
		{"f(x, std::memory_order_acquire)", "", false, "x", RFS_MOVE_UNKNOWN},
		{"\tg_atomic_int_set(", "", true, "x", RFS_MOVE_ATOMIC},
		/* g++ gives the column of the parenthesis */
		{"__atomic_store_n (&x, 1, 3);", "                 ^", true, "x", RFS_MOVE_ATOMIC},
		{"__atomic_store_n(&x, y, 3);", "                ^", false, "y", RFS_MOVE_PLAIN},
		{"__sync_lock_release(&x);", "^", true, "x", RFS_MOVE_ATOMIC},
		/* a pointer to the variable; a type before the object */
		{"v = __atomic_load_n(p, 2);", "    ^", false, "x", RFS_MOVE_ATOMIC},
		{"v = __atomic_load_n(&p->b, 2);", "    ^", false, "object.b", RFS_MOVE_ATOMIC},
		{"v = __atomic_load_n(&p->a, 2);", "    ^", false, "object.b", RFS_MOVE_MEANT},
		{"v = __atomic_load_n(p, 2) + x;", "", false, "x", RFS_MOVE_UNKNOWN},
		{"v = LOAD(int, x);", "    ^", false, "x", RFS_MOVE_ATOMIC},
		{"v = LOAD(struct node *, x.next);", "    ^", false, "x.next", RFS_MOVE_ATOMIC},
		{"v = LOAD(int, p->next);", "    ^", false, "p", RFS_MOVE_PLAIN},
		/* clang gives a load the column of the comparison that it is part of */
		{"if (__atomic_load_n(&x, 2) == 0)", "                           ^", false, "x", RFS_MOVE_MEANT},
		/* what programs mean as atomics */
		{"v = ONCE(int, p->b);", "    ^", false, "object.b", RFS_MOVE_MEANT},
		{"v = ONCE(p->b);", "    ^", false, NULL, RFS_MOVE_MEANT},
		{"x = ONCE(p->b);", "  ^", true, "x", RFS_MOVE_PLAIN},
		{"v = *(volatile int *)&x;", "    ^", false, "x", RFS_MOVE_MEANT},
		{"*(int volatile *)&x = y;", "                    ^", true, "x", RFS_MOVE_MEANT},
		{"*(int volatile *)&x = y;", "                    ^", false, "y", RFS_MOVE_PLAIN},
		{"*static_cast<volatile int *>(p) = 1;", "", true, NULL, RFS_MOVE_MEANT},
		{"(*(volatile int *)&x)++;", "", true, "x", RFS_MOVE_PLAIN},
		{"++*(volatile int *)&x;", "", true, "x", RFS_MOVE_PLAIN},
		{"*(volatile int *)&a[i] |= 1;", "", true, "x", RFS_MOVE_PLAIN},
		{"*(volatile int *)&a[i++] = 1;", "", true, "x", RFS_MOVE_MEANT},
		{"if (*(volatile int *)&p->b >= 1)", "", false, "x", RFS_MOVE_MEANT},
		{"volatile int *p = (int *)&x;", "", true, "p", RFS_MOVE_PLAIN},
		{"__asm__ volatile(\"mov %1, %0\" : \"=r\"(v) : \"m\"(x));", "^", false, "x", RFS_MOVE_MEANT},
		{"asm(\"\" ::: \"memory\"); x = 1;", "                          ^", true, "x", RFS_MOVE_PLAIN},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct rfs_move_text move = {
			.line = cases[i].line,
			.column = (unsigned)strlen(cases[i].at),
			.writes = cases[i].writes,
			.variable = cases[i].variable,
			.macro = macro,
		};

		cr_expect_eq(rfs_move_text_says(&move), cases[i].says, "case %zu: %s", i, cases[i].line);
	}
}

Test(atomic_text, members)
{
	static const struct {
		const char *line, *at, *name;
		bool has, inside;
	} cases[] = {
		{"if (box->full && box->data)", "", "full", true, false},
		{"if (box->full && box->data)", "    ^", "full", true, true},
		{"if (box->full && box->data)", "                    ^", "full", false, false},
		{"if (a[i].box->full)", "    ^", "full", true, true},
		{"x = box->full;", "  ^", "full", true, false},
		{"full = box;", "^", "full", false, false},
		{"x.fuller = 1;", "^", "full", false, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool inside;

		cr_expect_eq(rfs_text_has_member(cases[i].line, (unsigned)strlen(cases[i].at), cases[i].name, &inside),
			     cases[i].has, "case %zu", i);
		cr_expect_eq(inside, cases[i].inside, "case %zu", i);
	}
}

Test(atomic_text, stores)
{
	static const struct {
		const char *line;
		bool stores;
	} cases[] = {
		{"atomic_store(&x, 1);", true},
		{"x = 1;", true},
		{"__atomic_store_n(&x, y, 5);", true},
		{"y = atomic_exchange(&x, 1);", false},
		{"while (atomic_exchange(&x, 1))", false},
		{"if (x == 1)", false},
		{"y = atomic_fetch_or(&x, 1);", false},
		{"atomic_flag_test_and_set(&x);", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_eq(rfs_text_stores(cases[i].line), cases[i].stores, "%s", cases[i].line);
}

/* A macro that is atomic only under some #ifdef says nothing. */
Test(atomic_text, macros)
{
	static const char text[] = "#ifdef FIXED\n"
				   "#define COUNT(x) __atomic_fetch_add(&(x), 1, \\\n"
				   "                                    __ATOMIC_RELAXED)\n"
				   "#else\n"
				   "#define COUNT(x) (x)++\n"
				   "#endif\n"
				   "#define TWICE(x) (COUNT(x), COUNT(x))\n"
				   "#define READ(x) __atomic_load_n(&(x), __ATOMIC_ACQUIRE)\n"
				   "#define WAIT(x) while (!READ(x))\n"
				   "#define PLAIN(x) (x)\n"
				   "#define ATOMIC_INC(x) (++(x))\n"
				   "#define ATOMIC_GET(x) get_it(&(x))\n"
				   "#define ONCE(type, x) (*(volatile type *)&(x))\n"
				   "#define ADD(x) ((*(volatile int *)&(x))++)\n"
				   "#define FENCED(x) ({ __asm__(\"\"); READ(x); })\n"
				   "#ifdef DEBUG\n"
				   "#define EITHER(x) READ(x)\n"
				   "#else\n"
				   "#define EITHER(x) ONCE(int, x)\n"
				   "#endif\n";
	static const struct {
		const char *name;
		enum rfs_macro macro;
	} cases[] = {
		{"COUNT", RFS_MACRO_AMBIGUOUS}, {"TWICE", RFS_MACRO_AMBIGUOUS},	 {"READ", RFS_MACRO_ATOMIC},
		{"WAIT", RFS_MACRO_ATOMIC},	{"PLAIN", RFS_MACRO_PLAIN},	 {"OTHER", RFS_MACRO_UNKNOWN},
		{"ONCE", RFS_MACRO_MEANT},	{"FENCED", RFS_MACRO_ATOMIC},	 {"EITHER", RFS_MACRO_MEANT},
		{"ADD", RFS_MACRO_PLAIN},	{"ATOMIC_INC", RFS_MACRO_PLAIN}, {"ATOMIC_GET", RFS_MACRO_UNKNOWN}};
	struct rfs_source_files *files = rfs_source_files_new();
	char path[] = "/tmp/rfsup-macros.XXXXXX";
	int fd = mkstemp(path);

	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	rfs_source_files_read(files, NULL, path);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_eq(rfs_source_files_macro(files, cases[i].name, strlen(cases[i].name)), cases[i].macro, "%s",
			     cases[i].name);
	rfs_source_files_free(files);
	unlink(path);
}
