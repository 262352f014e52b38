/* call.h - functions that are intercepted at their entry and at their return. */
#ifndef RFS_CALL_H
#define RFS_CALL_H

#include <stdint.h>

#include "disasm/addr.h"
#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;

/* An intercepted function: a row of the table in sync/pthread_calls.c. */
struct rfs_call {
	const char *name;
	enum rfs_then (*enter)(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
	int param;
	unsigned flags; /* enum rfs_call_flags */
};

enum rfs_call_flags {
	RFS_CALL_INTERNAL = 1, /* also if the C library calls it for itself */
	RFS_CALL_HEAP = 2,     /* only if the heap is tracked */
	RFS_CALL_LOOKS = 4,    /* depends on the object that its first argument points to */
};

/* The return address, at a function's entry. */
rfs_addr rfs_call_back(const struct rfs_run *run, struct rfs_thread *thread);
/* The thread is at a function's entry: `returned` is called when the function returns. */
void rfs_call_on_return(struct rfs_run *run, struct rfs_thread *thread, rfs_return_fn returned, uint64_t arg);
/* The thread is at a return address with a breakpoint: calls what waits for this return. */
void rfs_call_returned(struct rfs_run *run, struct rfs_thread *thread);
/* The same for a function that stubs record: it was entered and will return to `back`; and it has returned. */
void rfs_call_entered(struct rfs_thread *thread, rfs_addr back, rfs_addr rsp, rfs_return_fn returned, uint64_t arg);
void rfs_call_left(struct rfs_run *run, struct rfs_thread *thread, rfs_addr rsp, rfs_return_fn returned,
		   uint64_t value);

#endif
