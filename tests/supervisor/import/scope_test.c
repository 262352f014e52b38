/* scope_test.c - patterns of --only and --skip, and which predictions they leave out. */
#include "supervisor/import/scope.h"

#include <criterion/criterion.h>

#include "supervisor/import/suppressions.h"

TestSuite(scope, .timeout = 20);

/* put is inlined into push; the other thread is in take. */
static struct rfs_suppressible_frame first_frames[] = {
	{.function = "queue<int>::put(int)",
	 .bare = "queue::put",
	 .file = "/usr/src/queue.h",
	 .module = "/bin/x",
	 .line = 7},
	{.function = "queue<int>::push(int)",
	 .bare = "queue::push",
	 .symbol = "_ZN5queueIiE4pushEi",
	 .file = "/usr/src/queue.h",
	 .module = "/bin/x",
	 .line = 30},
};
static struct rfs_suppressible_frame second_frames[] = {
	{.function = "take",
	 .bare = "take",
	 .symbol = "take",
	 .file = "/usr/src/main.c",
	 .module = "/lib/liby.so.1",
	 .line = 9},
};
static struct rfs_suppressible_stack stacks[] = {{first_frames, 2, true}, {second_frames, 1, true}};
static const struct rfs_suppressible subject = {
	.kind = RFS_SUPPRESSIBLE_RACE, .stacks = stacks, .n_stacks = 2, .variable = "jobs.size"};

static bool fits(const char *pattern)
{
	struct rfs_scope only = {0}, skip = {0};
	char why[256] = "";
	size_t left_out, skipped;

	cr_assert_eq(rfs_scope_add_only(&only, pattern, why, sizeof(why)), 0, "%s", why);
	cr_assert_eq(rfs_scope_add_skip(&skip, "nothing", why, sizeof(why)), 0, "%s", why);
	cr_assert_eq(rfs_scope_add_skip(&skip, pattern, why, sizeof(why)), 0, "%s", why);
	left_out = rfs_scope_leaves_out(&only, &subject);
	skipped = rfs_scope_leaves_out(&skip, &subject);
	cr_expect_eq(left_out, skipped ? 0 : RFS_SCOPE_ONLY, "%s", pattern);
	cr_expect(skipped == 0 || skipped == RFS_SCOPE_ONLY + 2, "%s", pattern);
	rfs_scope_release(&only);
	rfs_scope_release(&skip);
	return skipped != 0;
}

Test(scope, patterns)
{
	static const struct {
		const char *pattern;
		bool fits;
	} rows[] = {
		{"take", true},		 {"queue::put", true}, {"queue::*", true},    {"_ZN5queue*", true},
		{"tak", false},		 {"tak?", true},       {"queue.h", true},     {"src/queue.h", true},
		{"rc/queue.h", false},	 {"/usr/src/*", true}, {"*.h", true},	      {"liby.so.1", true},
		{"liby*", true},	 {"jobs.size", true},  {"jobs*", true},	      {"jobs", false},
		{"queue.h:7", true},	 {"queue.h:30", true}, {"queue.h:8", false},  {"queue.h:1-7", true},
		{"queue.h:8-29", false}, {"main.c:9-9", true}, {"*:9", true},	      {"take:9", false},
		{"queue.h:", false},	 {"main.c:x", false},  {"queue::push", true}, {"main.c:7", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		cr_expect_eq(fits(rows[i].pattern), rows[i].fits, "%s", rows[i].pattern);
}

Test(scope, skip_wins_and_nothing_leaves_nothing_out)
{
	struct rfs_scope scope = {0};
	char why[256] = "";

	cr_expect_eq(rfs_scope_leaves_out(&scope, &subject), 0);
	cr_assert_eq(rfs_scope_add_only(&scope, "other", why, sizeof(why)), 0);
	cr_expect_eq(rfs_scope_leaves_out(&scope, &subject), RFS_SCOPE_ONLY);
	rfs_scope_add_lines(&scope, "src/main.c", 1, 20);
	cr_expect_eq(rfs_scope_leaves_out(&scope, &subject), 0, "one of several patterns is enough");
	cr_assert_eq(rfs_scope_add_skip(&scope, "take", why, sizeof(why)), 0);
	cr_expect_eq(rfs_scope_leaves_out(&scope, &subject), RFS_SCOPE_ONLY + 1);
	rfs_scope_release(&scope);
}

Test(scope, lines_in_the_wrong_order)
{
	struct rfs_scope scope = {0};
	char why[256] = "";

	cr_expect_lt(rfs_scope_add_only(&scope, "a.c:9-3", why, sizeof(why)), 0);
	cr_expect_str_eq(why, "'a.c:9-3': line 3 is before line 9; write FILE:FIRST-LAST");
	rfs_scope_release(&scope);
}
