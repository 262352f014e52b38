/* counter.c - the keys of the policy counters that rfsup itself reads. */
#include "policy/policy.h"

const char *rfs_policy_counter_key(enum rfs_policy_counter counter)
{
	static const char *const keys[RFS_COUNTER_COUNT] = {
		[RFS_COUNTER_RACES] = "races",
		[RFS_COUNTER_LIVELOCKS] = "livelocks",
	};

	return keys[counter];
}
