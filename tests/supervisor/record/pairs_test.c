/*
 * pairs_test.c - the pairs file: what is accepted, what is refused, and at which position. Files that rfsup writes can
 * be read again.
 */
#include "supervisor/record/pairs.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/core/cycle_place.h"
#include "supervisor/base/object_kind.h"

TestSuite(pairs, .timeout = 60);

static int parse(const char *text, struct rfs_pairs *out, char *why, size_t n)
{
	return rfs_pairs_parse("f", text, strlen(text), out, why, n);
}

Test(pairs, statements)
{
	const struct {
		const char *text, *name[2];
		enum rfs_name_form form[2];
		uint64_t number[2];
	} cases[] = {
		{"a.c:1 b.c:22", {"a.c", "b.c"}, {RFS_NAME_LINE, RFS_NAME_LINE}, {1, 22}},
		{"\t a.c:1 \t f+0x1f  # note\n", {"a.c", "f"}, {RFS_NAME_LINE, RFS_NAME_OFFSET}, {1, 0x1f}},
		{"a.c:1 a.c:1#note", {"a.c", "a.c"}, {RFS_NAME_LINE, RFS_NAME_LINE}, {1, 1}},
		{"a.c:1 b.c:2\r\n", {"a.c", "b.c"}, {RFS_NAME_LINE, RFS_NAME_LINE}, {1, 2}},
		{"a+0x1+0x2 a:7+0x3", {"a+0x1", "a:7"}, {RFS_NAME_OFFSET, RFS_NAME_OFFSET}, {2, 3}},
		{"a+0x1:5 C:/x.c:6", {"a+0x1", "C:/x.c"}, {RFS_NAME_LINE, RFS_NAME_LINE}, {5, 6}},
		{"\"my file.c\":3 \"operator+(int, int)+0x1C\"",
		 {"my file.c", "operator+(int, int)"},
		 {RFS_NAME_LINE, RFS_NAME_OFFSET},
		 {3, 0x1c}},
		{"\"a\\\"\\\\\\n\\t\\xff#.c:9\" b\\n:1",
		 {"a\"\\\n\t\xff#.c", "b\\n"},
		 {RFS_NAME_LINE, RFS_NAME_LINE},
		 {9, 1}},
		{"\"program:\"1:2 program:3", {"program:1", "program"}, {RFS_NAME_LINE, RFS_NAME_LINE}, {2, 3}},
		{"m+0xffffffffffffffff a:2147483647",
		 {"m", "a"},
		 {RFS_NAME_OFFSET, RFS_NAME_LINE},
		 {UINT64_MAX, 2147483647}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_pairs pairs;
		char why[512] = "";

		cr_assert_eq(parse(cases[i].text, &pairs, why, sizeof(why)), 0, "case %zu: %s", i, why);
		cr_assert_eq(pairs.n_pairs, 1);
		for (int s = 0; s < 2; s++) {
			cr_expect_str_eq(pairs.pairs[0].statement[s].name, cases[i].name[s], "case %zu", i);
			cr_expect_eq(pairs.pairs[0].statement[s].form, cases[i].form[s], "case %zu", i);
			cr_expect_eq(pairs.pairs[0].statement[s].number, cases[i].number[s], "case %zu", i);
		}
		rfs_pairs_release(&pairs);
	}
}

Test(pairs, program_line)
{
	const char *const words[] = {"./my prog", "-n", "", "ab cd", "#"};
	struct rfs_pairs pairs;
	char why[512] = "";

	cr_assert_eq(parse("# by hand\n\nprogram: \"./my prog\" -n \"\" a\"b c\"d \"#\" # end\na:1 b:2\n", &pairs, why,
			   sizeof(why)),
		     0, "%s", why);
	for (size_t i = 0; i < 5; i++)
		cr_expect_str_eq(pairs.program[i], words[i]);
	cr_expect_null(pairs.program[5]);
	cr_expect_eq(pairs.pairs[0].statement[1].line, 4);
	cr_expect_eq(pairs.pairs[0].statement[1].column, 5);
	rfs_pairs_release(&pairs);
}

Test(pairs, errors_say_where)
{
	const struct {
		const char *text, *why;
	} cases[] = {
		{"", "f:1:1: the file contains no pair, no deadlock and no violation"},
		{"# nothing\n\n", "f:2:1: the file contains no pair"},
		{"program: x\n", "f:1:1: the file contains no pair"},
		{"a:1\n", "f:1:4: the second statement is missing"},
		{"a:1 b:2 c:3", "f:1:9: extra word 'c:3'"},
		{"a+0x1 b+0x2 @place", "f:1:13: extra word '@place'"},
		{"a+0x1 b+0x2 @name @end", "f:1:19: extra word '@end'"},
		{"a:1 b:2\n  a:1  here\n", "f:2:8: 'here' is not a statement"},
		{"a:0 b:1", "f:1:1: '0' is not a line number"},
		{"a:1 b:2147483648", "f:1:5: '2147483648' is not a line number"},
		{"a:99999999999999999999 b:1", "is not a line number"},
		{"a:-1 b:1", "'a:-1' is not a statement"},
		{"a:1 b+0x", "f:1:5: '0x' is not a hexadecimal offset"},
		{"a:1 b+0x1g", "'0x1g' is not a hexadecimal offset"},
		{"a:1 b+0x10000000000000000", "too large"},
		{"a:1 +0x1", "a name is missing"},
		{":1 a:1", "a name is missing"},
		{"a b.c:1 c.c:2", "f:1:1: 'a' is not a statement"},
		{"a:1 \"b:2", "f:1:5: the quote is not closed"},
		{"a:1 \"b\\q\":2", "f:1:7: unknown escape"},
		{"a:1 \"b\\x0\":2", "unknown escape"},
		{"a:1 \"b\\x00\":2", "unknown escape"},
		{"a:1 \"b\\", "unknown escape"},
		{"a:1 b\x01:2", "f:1:6: byte 0x01"},
		{"program: x\nprogram: y\na:1 b:2", "f:2:1: second program line"},
		{"program:\na:1 b:2", "f:1:9: the program line names no program"},
		{"deadlock:", "f:1:10: a deadlock needs at least two threads"},
		{"deadlock: a:1 b:2", "f:1:18: a deadlock needs at least two threads"},
		{"deadlock: a:1 b:2 c:3", "f:1:22: a lock is missing"},
		{"deadlock: a:1 - b:2 c:3", "f:1:15: each thread of a deadlock wants a lock"},
		{"deadlock: - b:2 - c:3", "f:1:22: no thread holds a lock"},
		{"deadlock: a:1 here b:2 c:3", "f:1:15: 'here' is not a statement"},
		{"atomicity: a:1 b:2", "f:1:19: an access is missing"},
		{"atomicity: a:1 b:2 c:3 d:4", "f:1:24: extra word 'd:4'"},
		{"atomicity: a:1 b+0x2@0 c:3", "f:1:16: '@0' is not a thread"},
		{"atomicity: a:1 here c:3", "f:1:16: 'here' is not a statement"},
		{"order: never a:1 b:2 -", "f:1:8: 'never' is not a kind of order violation"},
		{"order:", "f:1:7: '' is not a kind of order violation"},
		{"order: use-free a:1 b:2", "f:1:24: a place is missing"},
		{"order: use-free a:1 b:2 - d:4", "f:1:27: extra word 'd:4'"},
		{"order: use-free a:1 - c:3", "f:1:21: '-' is not a statement"},
		{"deadlock: a+0x1@ b:2 c:3 d:4", "f:1:11: '@' is not a lock"},
		{"deadlock: a+0x1@0 b:2 c:3 d:4", "f:1:11: '@0' is not a lock"},
		{"deadlock: a:1 b+0x1@xy c:3 d:4", "f:1:15: '@xy' is not a lock"},
		{"deadlock: a:1 b+0x1@10000000000000000 c:3 d:4", "is not a lock"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_pairs pairs;
		char why[512] = "";

		cr_expect_eq(parse(cases[i].text, &pairs, why, sizeof(why)), -EINVAL, "case %zu was taken", i);
		cr_expect_not_null(strstr(why, cases[i].why), "case %zu: '%s' does not say '%s'", i, why, cases[i].why);
		cr_expect_null(pairs.pairs, "case %zu leaves something behind", i);
		cr_expect_null(pairs.cycles, "case %zu leaves something behind", i);
	}
}

Test(pairs, deadlocks)
{
	struct rfs_pairs pairs;
	char why[512] = "";

	cr_assert_eq(parse("deadlock: a.c:1 m+0x12@ff - \"op(a @b)+0x3@1\" x:2 y:3 # names\n\"deadlock:\"1:2 b:2\n",
			   &pairs, why, sizeof(why)),
		     0, "%s", why);
	cr_assert_eq(pairs.n_pairs, 1);
	cr_assert_eq(pairs.n_cycles, 1);
	cr_assert_eq(pairs.cycles[0].n_locks, 6);
	cr_expect_str_eq(pairs.cycles[0].locks[0].name.name, "a.c");
	cr_expect_eq(pairs.cycles[0].locks[0].class, 0);
	cr_expect_str_eq(pairs.cycles[0].locks[1].name.name, "m");
	cr_expect_eq(pairs.cycles[0].locks[1].name.number, 0x12);
	cr_expect_eq(pairs.cycles[0].locks[1].name.column, 17);
	cr_expect_eq(pairs.cycles[0].locks[1].class, 0xff);
	cr_expect_null(pairs.cycles[0].locks[2].name.name);
	cr_expect_str_eq(pairs.cycles[0].locks[3].name.name, "op(a @b)");
	cr_expect_eq(pairs.cycles[0].locks[3].class, 1);
	rfs_pairs_release(&pairs);
}

Test(pairs, order_violations)
{
	static const char text[] = "order: use-free m+0x1 m+0x12@3 m+0x20\norder: wait-signal m+0x5 m+0x6 -\n"
				   "order: use-destroy m+0x5 m+0x6@2 -\norder: call-free m+0x5 m+0x6 -\n"
				   "order: use-close m+0x5 m+0x6@4 m+0x20\n"
				   "order: use-exit m+0x5 m+0x6@4 -\n";
	struct rfs_pairs pairs;
	char why[512] = "", *written = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&written, &size);

	cr_assert_eq(parse(text, &pairs, why, sizeof(why)), 0, "%s", why);
	cr_assert_eq(pairs.n_violations, 6);
	cr_expect_eq(pairs.violations[0].pattern, RFS_ORDER_USE_FREE);
	cr_expect_eq(pairs.violations[0].remote, 3);
	cr_expect_eq(pairs.violations[0].statement[2].number, 0x20);
	cr_expect_eq(pairs.violations[1].pattern, RFS_ORDER_WAIT_SIGNAL);
	cr_expect_null(pairs.violations[1].statement[2].name);
	cr_expect_eq(pairs.violations[2].pattern, RFS_ORDER_USE_DESTROY);
	cr_expect_eq(pairs.violations[3].pattern, RFS_ORDER_CALL_FREE);
	cr_expect_eq(pairs.violations[4].pattern, RFS_ORDER_USE_CLOSE);
	cr_expect_eq(pairs.violations[5].pattern, RFS_ORDER_USE_EXIT);
	rfs_pairs_write(&pairs, out);
	fclose(out);
	cr_expect_str_eq(written, text);
	rfs_pairs_release(&pairs);
	free(written);
}

Test(pairs, atomicity_violations)
{
	struct rfs_pairs pairs, again;
	char why[512] = "", *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	cr_assert_eq(parse("atomicity: a.c:1 m+0x12@3 \"op(a @b)+0x3\" # names\natomicity: a:1 b:2 c:3\n", &pairs, why,
			   sizeof(why)),
		     0, "%s", why);
	rfs_pairs_write(&pairs, out);
	fclose(out);
	cr_assert_eq(parse(text, &again, why, sizeof(why)), 0, "%s: %s", why, text);
	for (int i = 0; i < 2; i++) {
		const struct rfs_pairs *read = i ? &again : &pairs;

		cr_assert_eq(read->n_violations, 2);
		cr_expect_str_eq(read->violations[0].statement[1].name, "m");
		cr_expect_eq(read->violations[0].statement[1].number, 0x12);
		cr_expect_eq(read->violations[0].remote, 3);
		cr_expect_str_eq(read->violations[0].statement[2].name, "op(a @b)");
		cr_expect_eq(read->violations[1].remote, 0);
		cr_expect_eq(read->violations[1].statement[2].number, 3);
	}
	rfs_pairs_release(&pairs);
	rfs_pairs_release(&again);
	free(text);
}

/* The line takes as many threads as a cycle may have, and not one more. */
Test(pairs, long_deadlocks)
{
	for (int extra = 0; extra < 2; extra++) {
		char text[1024] = "deadlock:", why[512] = "";
		struct rfs_pairs pairs;

		for (int i = 0; i < RFS_CYCLE_PARTS_MAX + extra; i++)
			strcat(text, " a:1 b:2");
		if (extra) {
			cr_expect_eq(parse(text, &pairs, why, sizeof(why)), -EINVAL);
			cr_expect_not_null(strstr(why, "f:1:139: a deadlock has at most 16 threads"), "%s", why);
			continue;
		}
		cr_assert_eq(parse(text, &pairs, why, sizeof(why)), 0, "%s", why);
		cr_expect_eq(pairs.cycles[0].n_locks, 2 * RFS_CYCLE_PARTS_MAX);
		rfs_pairs_release(&pairs);
	}
}

Test(pairs, binary_and_long_files)
{
	struct rfs_pairs pairs;
	char why[512] = "", *big = malloc(RFS_PAIRS_LINE_MAX + 64);

	cr_assert_eq(rfs_pairs_parse("f", "a:1\0b:2", 7, &pairs, why, sizeof(why)), -EINVAL);
	cr_assert_not_null(strstr(why, "f:1:4: byte 0x00"), "%s", why);
	cr_assert_eq(rfs_pairs_parse("f", "\177ELF\2\1\1", 7, &pairs, why, sizeof(why)), -EINVAL);
	memset(big, 'a', RFS_PAIRS_LINE_MAX);
	strcpy(big + RFS_PAIRS_LINE_MAX, ":1 b:2");
	cr_assert_eq(parse(big, &pairs, why, sizeof(why)), -EINVAL);
	cr_assert_not_null(strstr(why, "too long"), "%s", why);
	free(big);
}

/* xorshift64. The test has its own generator, so that a failure can be repeated. */
static uint64_t roll(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void random_name(uint64_t *state, char *out)
{
	static const char odd[] = " \t\n\"\\#:+0x1\r\x7f\xff";
	size_t n = 1 + roll(state) % 12;

	for (size_t i = 0; i < n; i++)
		out[i] = roll(state) % 2 ? odd[roll(state) % (sizeof(odd) - 1)] : (char)(1 + roll(state) % 255);
	out[n] = '\0';
}

Test(pairs, any_name_comes_back)
{
	uint64_t state = 88172645463325252;

	for (int round = 0; round < 3000; round++) {
		char names[3][16], why[512] = "", *text = NULL;
		struct rfs_pairs pairs = {0}, again;
		size_t n;
		FILE *out = open_memstream(&text, &n);

		for (int i = 0; i < 3; i++)
			random_name(&state, names[i]);
		pairs.program = (char *[]){names[2], (char[]){""}, NULL};
		struct rfs_name statements[2] = {
			{.form = RFS_NAME_LINE, .name = names[0], .number = 1 + roll(&state) % 1000},
			{.form = RFS_NAME_OFFSET, .name = names[1], .number = roll(&state)},
		};
		struct rfs_named_lock locks[4] = {
			{statements[0], 0}, {statements[1], 1 + roll(&state) % 99}, {{0}, 0}, {statements[1], 0}};
		rfs_pairs_add(&pairs, statements, "a\ncomment");
		pairs.pairs[0].object_kinds = round % 2 ? 1u << roll(&state) % RFS_OBJECT_KINDS : 0;
		rfs_pairs_add_cycle(&pairs, locks, 4, "x\ny");
		rfs_pairs_write(&pairs, out);
		fclose(out);
		cr_assert_eq(rfs_pairs_parse("f", text, n, &again, why, sizeof(why)), 0, "round %d: %s\n%s", round, why,
			     text);
		cr_assert_eq(again.n_pairs, 1);
		cr_assert_eq(again.pairs[0].object_kinds, pairs.pairs[0].object_kinds);
		cr_assert_str_eq(again.program[0], names[2]);
		cr_assert_str_eq(again.program[1], "");
		for (int i = 0; i < 2; i++) {
			cr_assert_str_eq(again.pairs[0].statement[i].name, names[i]);
			cr_assert_eq(again.pairs[0].statement[i].form, statements[i].form);
			cr_assert_eq(again.pairs[0].statement[i].number, statements[i].number);
		}
		cr_assert_eq(again.n_cycles, 1);
		for (int i = 0; i < 4; i++) {
			const struct rfs_named_lock *lock = &again.cycles[0].locks[i];

			cr_assert_eq(lock->class, locks[i].class);
			cr_assert_eq(lock->name.number, locks[i].name.number);
			cr_assert(i == 2 ? !lock->name.name : strcmp(lock->name.name, locks[i].name.name) == 0);
		}
		rfs_pairs_release(&again);
		pairs.program = NULL;
		rfs_pairs_release(&pairs);
		free(text);
	}
}

Test(pairs, any_bytes_are_survived)
{
	static const char alphabet[] = "a:1 +0x\"\\#\n\tp\r";
	uint64_t state = 1;

	for (int round = 0; round < 20000; round++) {
		char text[64], why[64];
		size_t n = roll(&state) % sizeof(text);
		struct rfs_pairs pairs;

		for (size_t i = 0; i < n; i++)
			text[i] = roll(&state) % 16 ? alphabet[roll(&state) % (sizeof(alphabet) - 1)]
						    : (char)roll(&state);
		if (rfs_pairs_parse("f", text, n, &pairs, why, sizeof(why)) == 0)
			rfs_pairs_release(&pairs);
	}
}
