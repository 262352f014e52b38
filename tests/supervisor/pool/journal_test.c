/* The journal of a campaign: what was added is there in another process, and a damaged end is left out. */
#include "supervisor/pool/journal.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/base/siteset.h"
#include "supervisor/pool/wire.h"
#include "supervisor/record/lessons.h"
#include "supervisor/record/run_result.h"
#include "tests/supervisor/scratch.h"

TestSuite(journal, .timeout = 20);

static void add(struct rfs_journal *journal, const char *name, uint64_t steps)
{
	const struct rfs_reply reply = {.result = {.end = RFS_END_SIGNAL, .detail = 6, .counts.steps = steps}};
	struct rfs_lessons used = {.traps_rdtsc = steps % 2};

	rfs_site_set_add(&used.spin, "module", steps);
	cr_assert_eq(rfs_journal_add(journal, name, &used, &reply), 0);
	rfs_lessons_release(&used);
}

/* The steps of the next result of this name, or 0 if there is none. */
static uint64_t take(struct rfs_journal *journal, const char *name)
{
	struct rfs_lessons used = {0};
	struct rfs_reply reply = {0};
	uint64_t steps = 0;

	if (rfs_journal_take(journal, name, &used, &reply)) {
		steps = reply.result.counts.steps;
		cr_expect_eq(reply.result.end, RFS_END_SIGNAL);
		cr_expect_eq(used.traps_rdtsc, steps % 2);
		cr_expect_eq(used.spin.n, 1);
		cr_expect(rfs_site_set_has(&used.spin, "module", steps));
	}
	rfs_lessons_release(&used);
	rfs_reply_release(&reply);
	return steps;
}

Test(journal, is_read_back)
{
	char *scratch = scratch_enter(), one[] = "one", two[] = "", three[] = "three", *strings[] = {one, two, three};
	struct rfs_journal *journal, *other;
	struct stat st;
	off_t whole;

	cr_assert_eq(rfs_journal_new("journal", strings, 3, &journal), 0);
	cr_assert_eq(stat("journal", &st), 0);
	cr_expect_eq(st.st_mode & 0777, 0600, "it holds the environment");
	add(journal, "a", 1);
	add(journal, "b", 2);
	add(journal, "a", 3);
	cr_expect_eq(rfs_journal_open("journal", &other), -EBUSY);
	rfs_journal_free(journal);
	cr_expect_eq(rfs_journal_new("journal", strings, 3, &journal), -EEXIST);

	cr_assert_eq(rfs_journal_open("journal", &journal), 0);
	for (int i = 0; i < 3; i++)
		cr_expect_str_eq(rfs_journal_strings(journal)[i], strings[i]);
	cr_expect_null(rfs_journal_strings(journal)[3]);
	cr_expect_eq(take(journal, "b"), 2);
	cr_expect_eq(take(journal, "a"), 1);
	cr_expect_eq(take(journal, "a"), 3);
	cr_expect_eq(take(journal, "a"), 0);
	cr_expect_eq(take(journal, "c"), 0);
	/* it goes on */
	cr_assert_eq(stat("journal", &st), 0);
	whole = st.st_size;
	add(journal, "c", 4);
	rfs_journal_free(journal);

	/* the last entry was being written when the campaign was killed */
	cr_assert_eq(stat("journal", &st), 0);
	cr_assert_eq(truncate("journal", st.st_size - 1), 0);
	cr_assert_eq(rfs_journal_open("journal", &journal), 0);
	cr_assert_eq(stat("journal", &st), 0);
	cr_expect_eq(st.st_size, whole);
	cr_expect_eq(take(journal, "c"), 0);
	cr_expect_eq(take(journal, "a"), 1);
	rfs_journal_free(journal);
	cr_assert_eq(truncate("journal", 5), 0);
	cr_expect_eq(rfs_journal_open("journal", &journal), -EBADMSG);
	cr_expect_eq(rfs_journal_open("missing", &journal), -ENOENT);
	scratch_leave(scratch);
}
