/* op_text.h - operations and accesses in words, for all reports. */
#ifndef RFS_OP_TEXT_H
#define RFS_OP_TEXT_H

#include "policy/policy.h"

enum rfs_access_form {
	RFS_ACCESS_NOUN,    /* "atomic write": what the report's JSON calls it */
	RFS_ACCESS_VERB,    /* "atomically writes": what a thread does in a finding */
	RFS_ACCESS_STEP,    /* the same as one step of a schedule, in which a free is a write */
	RFS_ACCESS_COMMAND, /* "write": the same where there is no room for more */
};

/* enum rfs_access_flags in words. Borrowed for ever. */
const char *rfs_access_text(unsigned access, enum rfs_access_form form);

/* "lock L", "exit". object: NULL or "" for none. Caller frees. */
char *rfs_op_text(enum rfs_op_kind kind, const char *object);

#endif
