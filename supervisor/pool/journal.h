/*
 * journal.h - the results of a campaign's executions, in a file, so that an interrupted campaign can continue.
 *
 * What a campaign does next depends on the results so far. So it continues by running from the beginning, with results
 * from the journal in place of executions, until the journal has no more. An entry is added when its execution is
 * committed. It is found by the name of the execution; equal names are taken in their order.
 *
 * The file is a sequence of blocks: length (8 bytes), XXH64 of the bytes (8), bytes. The first block holds strings for
 * the caller; each other one a name, the lessons of the run, and its reply in the layout of wire.h. So only the rfsup
 * that wrote a journal can read it. A block that is cut short ends the journal.
 *
 * A journal that is whole, such as that of a plan (campaign/phases/plan_items.h), is only read: it must have each
 * result that is asked for. It may also have texts: blocks of a name and strings.
 */
#ifndef RFS_JOURNAL_H
#define RFS_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rfs_journal;
struct rfs_lessons;
struct rfs_reply;

/* Makes the file, which only the user can read. 0 and *out (rfs_journal_free()), or -errno. */
int rfs_journal_new(const char *path, char *const *strings, size_t n, struct rfs_journal **out)
	__attribute__((warn_unused_result));
/* Opens the file of an earlier campaign, and adds to it from then on. -EBUSY: that campaign still runs. -EBADMSG: the
 * file is no journal. */
int rfs_journal_open(const char *path, struct rfs_journal **out) __attribute__((warn_unused_result));
/* Opens a file of at most `max` bytes that is whole. -EBADMSG: it is none, or it is damaged. -EFBIG: it is larger. */
int rfs_journal_read(const char *path, uint64_t max, struct rfs_journal **out) __attribute__((warn_unused_result));
bool rfs_journal_is_whole(const struct rfs_journal *journal);
/* The strings of the first block; ends with NULL. Borrowed. */
char **rfs_journal_strings(const struct rfs_journal *journal);
/* Takes the next result of this name. True: *reply and *used are filled, and are the caller's. */
bool rfs_journal_take(struct rfs_journal *journal, const char *name, struct rfs_lessons *used, struct rfs_reply *reply);
/* Adds a result, without the output of the target. 0 or -errno. */
int rfs_journal_add(struct rfs_journal *journal, const char *name, const struct rfs_lessons *used,
		    const struct rfs_reply *reply) __attribute__((warn_unused_result));
/* Adds a text. The name is none of an execution. 0 or -errno. */
int rfs_journal_add_text(struct rfs_journal *journal, const char *name, char *const *strings, size_t n)
	__attribute__((warn_unused_result));
/* The strings of a text, *n of them; NULL: there is no such text. The strings are borrowed; caller frees the list. */
char **rfs_journal_text(const struct rfs_journal *journal, const char *name, size_t *n);
/* The name of the first execution whose results differ in more than times; NULL: there is none. Borrowed from `a`, or
 * from `b` if `a` has fewer. */
const char *rfs_journal_difference(const struct rfs_journal *a, const struct rfs_journal *b);
/* Makes sure that what was written is on the disk. 0 or -errno. */
int rfs_journal_sync(const struct rfs_journal *journal) __attribute__((warn_unused_result));
void rfs_journal_free(struct rfs_journal *journal);

#endif
