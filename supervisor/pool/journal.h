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
 */
#ifndef RFS_JOURNAL_H
#define RFS_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_journal;
struct rfs_lessons;
struct rfs_reply;

/* Makes the file, which only the user can read. 0 and *out (rfs_journal_free()), or -errno. */
int rfs_journal_new(const char *path, char *const *strings, size_t n, struct rfs_journal **out)
	__attribute__((warn_unused_result));
/* Opens the file of an earlier campaign, and adds to it from then on. -EBUSY: that campaign still runs. -EBADMSG: the
 * file is no journal. */
int rfs_journal_open(const char *path, struct rfs_journal **out) __attribute__((warn_unused_result));
/* The strings of the first block; ends with NULL. Borrowed. */
char **rfs_journal_strings(const struct rfs_journal *journal);
/* Takes the next result of this name. True: *reply and *used are filled, and are the caller's. */
bool rfs_journal_take(struct rfs_journal *journal, const char *name, struct rfs_lessons *used, struct rfs_reply *reply);
/* Adds a result, without the output of the target. 0 or -errno. */
int rfs_journal_add(struct rfs_journal *journal, const char *name, const struct rfs_lessons *used,
		    const struct rfs_reply *reply) __attribute__((warn_unused_result));
void rfs_journal_free(struct rfs_journal *journal);

#endif
