/* suppressions_test.c - reads suppressions, and compares them with stacks. */
#include "supervisor/import/suppressions.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/import/suppressions-priv.h"
#include "tests/heap.h"

TestSuite(suppressions, .timeout = 20);

/* A stack: put is inlined into push, which main calls. The other thread is in take. */
static struct rfs_suppressible_frame first_frames[] = {
	{.function = "queue<int>::put(int)",
	 .bare = "queue::put",
	 .file = "/src/queue.h",
	 .module = "/bin/x",
	 .line = 7,
	 .inlined = true},
	{.function = "queue<int>::push(int)",
	 .bare = "queue::push",
	 .symbol = "_ZN5queueIiE4pushEi",
	 .file = "/src/queue.h",
	 .module = "/bin/x",
	 .line = 30},
	{.function = "main", .bare = "main", .symbol = "main", .file = "/src/main.c", .module = "/bin/x", .line = 3},
};
static struct rfs_suppressible_frame second_frames[] = {
	{.function = "take",
	 .bare = "take",
	 .symbol = "take",
	 .file = "/src/main.c",
	 .module = "/lib/liby.so.1",
	 .line = 9},
};

static struct rfs_suppressible_stack stacks[] = {{first_frames, 3, false}, {second_frames, 1, true}};

static struct rfs_suppressible subject(enum rfs_suppressible_kind kind)
{
	return (struct rfs_suppressible){
		.kind = kind, .stacks = stacks, .n_stacks = 2, .variable = "queue.size", .misuse = "unlock-other"};
}

static int read_text(const char *text, struct rfs_suppressions *out, char *why, size_t n)
{
	*out = (struct rfs_suppressions){0};
	return rfs_suppressions_parse("f.supp", false, text, strlen(text), out, why, n);
}

static bool hides(const char *text, enum rfs_suppressible_kind kind)
{
	struct rfs_suppressible what = subject(kind);
	struct rfs_suppressions read;
	char why[512] = "";
	bool found;

	cr_assert_eq(read_text(text, &read, why, sizeof(why)), 0, "%s: %s", text, why);
	found = rfs_suppressions_find(&read, &what) < read.n;
	rfs_suppressions_release(&read);
	return found;
}

#define BLOCK(kind, frames) "{\nname\n" kind "\n" frames "\n}\n"

Test(suppressions, blocks)
{
	static const struct {
		const char *text;
		bool hides;
	} rows[] = {
		{BLOCK("Helgrind:Race", "fun:queue::put"), true},
		{BLOCK("Helgrind:Race", "fun:queue<int>::put(int)"), true},
		{BLOCK("Helgrind:Race", "fun:_ZN5queue*push*"), true}, /* without inlined frames */
		{BLOCK("Helgrind:Race", "fun:queue::pu?\nfun:queue::push\nfun:main"), true},
		{BLOCK("Helgrind:Race", "fun:queue::push\nfun:main"), true},
		{BLOCK("Helgrind:Race", "fun:queue::put\nfun:main"), false},
		{BLOCK("Helgrind:Race", "fun:main"), false},
		{BLOCK("Helgrind:Race", "...\nfun:main"), true},
		{BLOCK("Helgrind:Race", "fun:queue::put\n...\nfun:main"), true},
		{BLOCK("Helgrind:Race", "...\nfun:main\nfun:start"), false},
		{BLOCK("drd:ConflictingAccess", "fun:take"), true}, /* either thread */
		{BLOCK("Memcheck,drd:ConflictingAccess", "fun:take"), true},
		{BLOCK("drd:ConflictingAccess", "fun:take\nfun:main"), false}, /* the callers are not known */
		{BLOCK("rfsup:Race", "obj:*/liby.so*"), true},
		{BLOCK("rfsup:Race", "obj:liby.so.1"), false},
		{BLOCK("rfsup:Race", "src:queue.h"), true},
		{BLOCK("rfsup:Race", "src:queue.h:7"), true},
		{BLOCK("rfsup:Race", "src:queue.h:8"), false},
		{BLOCK("rfsup:Race", "fun:take\nwith:\nfun:queue::put"), true},
		{BLOCK("rfsup:Race", "fun:queue::put\nwith:\nfun:take"), true},
		{BLOCK("rfsup:Race", "fun:take\nwith:\nfun:take"), false}, /* one side is not both */
		{BLOCK("rfsup:Race", "fun:take\nvar:queue.*"), true},
		{BLOCK("rfsup:Race", "fun:take\nvar:other"), false},
		{BLOCK("Memcheck:Leak", "match-leak-kinds: all\nfun:*"), false},
		{BLOCK("rfsup:Deadlock", "fun:take"), false},
		{BLOCK("Helgrind:Race", "obj:*vgpreload_helgrind*\nfun:take"), true},
		{"# comment\n\n  " BLOCK("  rfsup:Race  ", "  fun:take  "), true},
		{BLOCK("rfsup:Race", "fun:no") BLOCK("rfsup:Race", "fun:take"), true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		cr_expect_eq(hides(rows[i].text, RFS_SUPPRESSIBLE_RACE), rows[i].hides, "%s", rows[i].text);
}

Test(suppressions, lines)
{
	static const struct {
		const char *text;
		enum rfs_suppressible_kind kind;
		bool hides;
	} rows[] = {
		{"race:take", RFS_SUPPRESSIBLE_RACE, true},
		{"race:tak", RFS_SUPPRESSIBLE_RACE, true},
		{"race:tak$", RFS_SUPPRESSIBLE_RACE, false},
		{"race:^ake", RFS_SUPPRESSIBLE_RACE, false},
		{"race:^take$", RFS_SUPPRESSIBLE_RACE, true},
		{"race:t*e", RFS_SUPPRESSIBLE_RACE, true},
		{"race:t?ke", RFS_SUPPRESSIBLE_RACE, false},
		{"race:main.c", RFS_SUPPRESSIBLE_RACE, true},
		{"race:liby", RFS_SUPPRESSIBLE_RACE, true},
		{"race:^queue.size$", RFS_SUPPRESSIBLE_RACE, true},
		{"race:^main$", RFS_SUPPRESSIBLE_RACE, true},
		{"race_top:^main$", RFS_SUPPRESSIBLE_RACE, false},
		{"race_top:put", RFS_SUPPRESSIBLE_RACE, true},
		{"called_from_lib:liby.so", RFS_SUPPRESSIBLE_RACE, true},
		{"called_from_lib:libz.so", RFS_SUPPRESSIBLE_RACE, false},
		{"deadlock:take", RFS_SUPPRESSIBLE_RACE, false},
		{"deadlock:take", RFS_SUPPRESSIBLE_DEADLOCK, true},
		{"race:take", RFS_SUPPRESSIBLE_DEADLOCK, false},
		{"race:take", RFS_SUPPRESSIBLE_ATOMICITY, false},
		{"atomicity:take", RFS_SUPPRESSIBLE_ATOMICITY, true},
		{"mutex:take", RFS_SUPPRESSIBLE_MISUSE, true},
		{"thread:take", RFS_SUPPRESSIBLE_MISUSE, false},
		{BLOCK("drd:SemaphoreErr", "fun:take"), RFS_SUPPRESSIBLE_MISUSE, false},
		{BLOCK("Helgrind:UnlockForeign", "fun:take"), RFS_SUPPRESSIBLE_MISUSE, true},
		{BLOCK("Helgrind:UnlockUnlocked", "fun:take"), RFS_SUPPRESSIBLE_MISUSE, false},
		{BLOCK("Helgrind:LockOrder", "fun:mutex_lock_WRK\nfun:pthread_mutex_lock\nfun:take"),
		 RFS_SUPPRESSIBLE_DEADLOCK, true},
		{"race:no\r\ndeadlock:take\r\n", RFS_SUPPRESSIBLE_DEADLOCK, true},
		{"race:no\n" BLOCK("rfsup:Deadlock", "fun:take") "race:neither", RFS_SUPPRESSIBLE_DEADLOCK, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		cr_expect_eq(hides(rows[i].text, rows[i].kind), rows[i].hides, "%s", rows[i].text);
}

Test(suppressions, wrong_lines_are_named)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{"race", "f.supp:1: 'race' is neither '{' nor one of race,"},
		{"race:a\nrase:b\n", "f.supp:2: 'rase:b' is neither"},
		{"race:", "f.supp:1: nothing follows 'race:'"},
		{"\nfun:main\n", "f.supp:2: 'fun:main' is in no block"},
		{"}\n", "f.supp:1: '}' ends no block"},
		{"{\n", "f.supp:1: the file ends inside the block"},
		{"race:a\n{\nname\nrfsup:Race\nfun:a\n", "f.supp:2: the file ends inside the block"},
		{"{\nname\nrfsup:Race\nfun:a\n{\nname\n", "f.supp:1: the file ends inside the block"},
		{"{\n}\n", "f.supp:2: the block has neither name nor kind"},
		{BLOCK("Race", "fun:a"), "f.supp:3: 'Race' is no kind"},
		{BLOCK("Helgrind:Rice", "fun:a"), "f.supp:3: 'Helgrind:Rice' is unknown; kinds are"},
		{"{\nname\nrfsup:Race\n}\n", "f.supp:4: the block has no frames"},
		{BLOCK("rfsup:Race", "function:a"), "f.supp:4: 'function:a' is none of fun:"},
		{BLOCK("rfsup:Race", "fun:"), "f.supp:4: nothing follows 'fun:'"},
		{BLOCK("rfsup:Race", "fun:a\nwith:"), "f.supp:6: the block has no frames"},
		{BLOCK("rfsup:Race", "with:\nfun:a"), "f.supp:4: 'with:' divides"},
		{BLOCK("rfsup:Race", "fun:a\nvar:b\nvar:c"), "f.supp:6: 'var:c' is the second"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rfs_suppressions read;
		char why[512] = "";

		cr_expect_neq(read_text(rows[i].text, &read, why, sizeof(why)), 0, "%s", rows[i].text);
		cr_expect_eq(strncmp(why, rows[i].says, strlen(rows[i].says)), 0, "%s\n%s", rows[i].text, why);
		rfs_suppressions_release(&read);
	}
}

Test(suppressions, useless_ones_are_said)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{"# only a comment\n", "f.supp: this file has no suppression"},
		{"", "f.supp: this file has no suppression"},
		{BLOCK("Memcheck:Leak", "fun:*"), "f.supp: this file has no suppression"},
		{"race:*", "f.supp:1: this line matches everything"},
		{"race:^*$", "f.supp:1: this line matches everything"},
		{BLOCK("rfsup:Race", "..."), "f.supp:1: this block matches everything"},
		{BLOCK("rfsup:Race", "fun:*\nobj:*"), "f.supp:1: this block matches everything"},
		{"race:a", NULL},
		{BLOCK("rfsup:Race", "fun:*\nvar:a"), NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rfs_suppressions read;
		char why[512] = "";

		cr_expect_eq(read_text(rows[i].text, &read, why, sizeof(why)), 0, "%s", why);
		cr_expect_eq(read.n_notes, rows[i].says != NULL, "%s", rows[i].text);
		if (read.n_notes && rows[i].says)
			cr_expect_eq(strncmp(read.notes[0], rows[i].says, strlen(rows[i].says)), 0, "%s",
				     read.notes[0]);
		rfs_suppressions_release(&read);
	}
}

Test(suppressions, the_first_one_counts)
{
	struct rfs_suppressible what = subject(RFS_SUPPRESSIBLE_RACE);
	struct rfs_suppressions read;
	char why[512];

	cr_assert_eq(read_text("race:no\nrace:take\nrace:take\n", &read, why, sizeof(why)), 0);
	cr_expect_eq(rfs_suppressions_find(&read, &what), 1);
	cr_expect_eq(rfs_suppression_line(read.list[1]), 2);
	cr_expect_str_eq(rfs_suppression_name(read.list[1]), "race:take");
	rfs_suppressions_release(&read);
}

Test(suppressions, globs)
{
	cr_expect(rfs_suppression_glob("a*b*c", "axxbyyc", true));
	cr_expect(rfs_suppression_glob("*", "", true));
	cr_expect(rfs_suppression_glob("**a", "ba", true));
	cr_expect(rfs_suppression_glob("*ab", "aab", true));
	cr_expect_not(rfs_suppression_glob("", "a", true));
	cr_expect_not(rfs_suppression_glob("a", "", true));
	cr_expect_not(rfs_suppression_glob("a?", "a", true));
	cr_expect_not(rfs_suppression_glob("[ab]", "a", true), "brackets are in the names of C++ functions");
}

static void read_and_release(void)
{
	struct rfs_suppressions suppressions;
	char why[256];

	cr_assert_eq(read_text("race:put\nrace:*\ndeadlock:*\n", &suppressions, why, sizeof(why)), 0, "%s", why);
	rfs_suppressions_release(&suppressions);
}

Test(suppressions, are_freed_with_their_notes)
{
	cr_expect_lt(heap_growth(read_and_release), 24);
}
