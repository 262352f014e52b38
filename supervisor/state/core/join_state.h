/* join_state.h - whether a thread can be joined, and was. */
#ifndef RFS_JOIN_STATE_H
#define RFS_JOIN_STATE_H

#include <stdbool.h>

#include "policy/operations.h"

struct rfs_join_state {
	bool joined, detached;
	/* where a thread called the function that created it; 0: not known, or it was created detached */
	rfs_site created_at;
	bool left; /* it has ended by itself, not because the process ends */
};

#endif
