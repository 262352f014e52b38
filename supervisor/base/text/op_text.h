/* op_text.h - how all reports describe operations and accesses in words. */
#ifndef RFS_OP_TEXT_H
#define RFS_OP_TEXT_H

#include "policy/operations.h"

enum rfs_access_form {
	RFS_ACCESS_NOUN,    /* "atomic write": a noun, for the JSON report */
	RFS_ACCESS_VERB,    /* "atomically writes": a verb, for what a thread does in a finding */
	RFS_ACCESS_STEP,    /* "atomically writes": a verb, for a step of a schedule */
	RFS_ACCESS_COMMAND, /* "write": an imperative, without "atomic" */
};

/* The words for an access. access: flags of enum rfs_access_flags. The string is static. */
const char *rfs_access_text(unsigned access, enum rfs_access_form form);

/*
 * The words for an operation: "lock L", "exit". access: that of the operation; 0: not known. object: its name; NULL or
 * "": the operation has none. Caller frees.
 */
char *rfs_op_text(enum rfs_op_kind kind, unsigned access, const char *object);

/* What reports call a thread: "thread 1". signo: it is the handler of this signal: "handler of SIGALRM". Caller frees.
 */
char *rfs_thread_text(int thread, int signo);

#endif
