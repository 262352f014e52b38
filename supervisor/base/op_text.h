/* op_text.h - the words for operations and accesses in all reports. */
#ifndef RFS_OP_TEXT_H
#define RFS_OP_TEXT_H

#include "policy/policy.h"

enum rfs_access_form {
	RFS_ACCESS_NOUN,    /* "atomic write": as in the JSON report */
	RFS_ACCESS_VERB,    /* "atomically writes": for what a thread does in a finding */
	RFS_ACCESS_STEP,    /* the same for one step of a schedule, in which a free counts as a write */
	RFS_ACCESS_COMMAND, /* "write": the short form */
};

/* Words for flags of enum rfs_access_flags. The string is static. */
const char *rfs_access_text(unsigned access, enum rfs_access_form form);

/* "lock L", "exit". object: NULL or "" for no object. Caller frees. */
char *rfs_op_text(enum rfs_op_kind kind, const char *object);

#endif
