/*
 * results.h - what a run of a policy leaves: bytes for the next run, and counters.
 *
 * policy.h includes this file, so the author of a policy does not include it.
 */
#ifndef RFS_RESULTS_H
#define RFS_RESULTS_H
#include <stddef.h>

/* Bytes that one run of a policy saves for the next one. data comes from malloc(); the owner of the struct frees it. */
struct rfs_blob {
	void *data;
	size_t size;
};

/* Counters of a policy that rfsup itself reads. Their keys mean the same in every policy. */
enum rfs_policy_counter {
	RFS_COUNTER_RACES,     /* created and resolved races of the pair under test */
	RFS_COUNTER_LIVELOCKS, /* threads let go because they were postponed for too long */
	RFS_COUNTER_COUNT
};

const char *rfs_policy_counter_key(enum rfs_policy_counter counter); /* such as "races"; never freed */

#endif
