/*
 * call_place.h - where in the program's code a system call is. The call itself is in the C library, which may have been
 * called by another library.
 */
#ifndef RFS_CALL_PLACE_H
#define RFS_CALL_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"

struct rfs_run;
struct rfs_thread;

/* The place of one call. Zeroed: not looked up yet. */
struct rfs_call_place {
	bool known;
	size_t depth;	  /* how many functions are between the call and the watched code, apart from the first one */
	rfs_addr address; /* where the call returns to in watched code; 0: nowhere */
};

/* Looks the place up, once: it takes an unwound stack. Returns its address. */
rfs_addr rfs_call_place(const struct rfs_run *run, const struct rfs_thread *thread, struct rfs_call_place *place);

#endif
