/*
 * resume.h - --continue: what an interrupted campaign needs to continue. Its journal (pool/journal.h) begins with the
 * version of rfsup, the program, the working directory, the command line and the environment.
 */
#ifndef RFS_RESUME_H
#define RFS_RESUME_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_journal;
struct rfs_output;
struct rfs_program;

/* A campaign that continues. Zeroed: a new campaign. */
struct rfs_resumed {
	struct rfs_journal *journal;
	const char *directory; /* the output directory; borrowed from the journal, as are the words */
	char **argv;	       /* owned; ends with NULL */
	int argc;
	bool keep; /* the journal stays, so that the campaign can continue with more time */
};

/* The name of the journal of a campaign that can continue. */
#define RFS_JOURNAL_FILE "journal"

/* Makes the journal of a new campaign in its output folder. name: of the file. *out: rfs_resume_end(). 0, or -errno and
 * a line in why. */
int rfs_resume_begin(const struct rfs_output *output, const char *name, char **command,
		     const struct rfs_program *program, struct rfs_journal **out, char *why, size_t n)
	__attribute__((warn_unused_result));
/* Reads the journal in an output folder, and restores working directory and environment of that campaign. 0, or -errno
 * and a line in why. */
int rfs_resume_load(const char *directory, struct rfs_resumed *out, char *why, size_t n)
	__attribute__((warn_unused_result));
/*
 * Reads the plan (campaign/phases/plan_items.h) in a folder, and checks that this rfsup can carry it out. Changes
 * nothing; then rfs_resume_enter() restores working directory and environment. Both: 0, or -errno and a line in why.
 */
int rfs_resume_load_plan(const char *directory, struct rfs_resumed *out, char *why, size_t n)
	__attribute__((warn_unused_result));
int rfs_resume_enter(const struct rfs_resumed *resumed, char *why, size_t n) __attribute__((warn_unused_result));
/* 0 if the program is the one of that campaign, otherwise -errno and a line in why. */
int rfs_resume_check(const struct rfs_resumed *resumed, const struct rfs_program *program, char *why, size_t n)
	__attribute__((warn_unused_result));
/* Closes the journal. keep: the campaign can continue later; otherwise removes the file. */
void rfs_resume_end(const struct rfs_output *output, struct rfs_journal *journal, bool keep);

#endif
