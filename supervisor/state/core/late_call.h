/* late_call.h - calls that write to the caller's memory shortly before they return. */
#ifndef RFS_LATE_CALL_H
#define RFS_LATE_CALL_H

#include <stdint.h>
#include <sys/user.h>

struct rfs_site_hook;

/* A call whose late ranges are known when it returns (access/calls/range_call.h). */
struct rfs_late_call {
	uint64_t number; /* 0: unused */
	struct rfs_site_hook *site;
	struct user_regs_struct regs; /* at the call */
};
#define RFS_LATE_CALLS 4 /* calls that are nested, in signal handlers or because one was left by longjmp() */

#endif
