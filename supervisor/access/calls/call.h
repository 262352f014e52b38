/* call.h - functions that are intercepted at their entry and at their return. */
#ifndef RFS_CALL_H
#define RFS_CALL_H

#include <stdint.h>

#include "disasm/addr.h"
#include "supervisor/state/core/thread.h"

struct rfs_hook;
struct rfs_run;
struct rfs_task;
struct rfs_thread;

/* An intercepted function: a row of the table `calls` in sync/pthread_calls.c. */
struct rfs_call {
	const char *name;
	enum rfs_then (*enter)(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
	int param;
	unsigned flags; /* enum rfs_call_flags */
};

enum rfs_call_flags {
	RFS_CALL_INTERNAL = 1, /* call enter() also if the C library calls the function for itself */
	RFS_CALL_HEAP = 2,     /* intercept the function only if the run tracks the heap, or lets it fail (ALLOCATES) */
	RFS_CALL_LOOKS = 4,    /* its handler reads the object at the first argument, such as a mutex */
	RFS_CALL_ALLOCATES = 16,
	RFS_CALL_MAPS = 32,	 /* intercept the function only if the run lets mmap fail */
	RFS_CALL_PREDICTS = 64,	 /* intercept the function only in runs with a detector */
	RFS_CALL_SHARES = 128,	 /* intercept the function only in runs that note what threads share */
	RFS_CALL_HANDLERS = 256, /* intercept the function only in runs that note calls of signal handlers */
	RFS_CALL_OPENMP = 8,	 /* do not call enter() if libgomp calls the function for itself */
};

/*
 * The address to which a function will return. Call this when the thread is at the function's entry. 0: the address
 * cannot be read.
 */
rfs_addr rfs_call_back(const struct rfs_run *run, struct rfs_thread *thread);
/*
 * The argument of that function with this number, 0 or 1, which is the address of an object: its name, if it is in the
 * memory of a process that has a name (family.h).
 */
rfs_addr rfs_call_object(const struct rfs_run *run, const struct rfs_thread *thread, int argument);
/* The thread is at the entry of a function. Makes that function return this value without being executed. */
enum rfs_then rfs_call_answer(struct rfs_run *run, struct rfs_thread *thread, uint64_t value);
/*
 * The hook of an instruction at which each execution has to stop from now on: the caller says why in the hook. NULL: no
 * breakpoint can be there.
 */
struct rfs_hook *rfs_call_hook(struct rfs_run *run, struct rfs_task *task, rfs_addr address);
/* The thread is at a function's entry. When the function returns, the thread stops and `returned` is called. */
void rfs_call_on_return(struct rfs_run *run, struct rfs_thread *thread, rfs_return_fn returned, uint64_t arg);
/*
 * The same for a call that the thread has begun earlier, for the sake of an object in its frame. cfa: the canonical
 * frame address. arg: only the first one for a call counts.
 */
void rfs_call_on_frame_return(struct rfs_run *run, struct rfs_thread *thread, rfs_addr cfa, rfs_addr object,
			      rfs_return_fn returned, uint64_t arg);
/* The thread leaves functions by a jump or an exception, nobody knows which: their frames count as unknown. */
void rfs_call_frames_left(struct rfs_thread *thread);
/* The thread has stopped at a return address: calls the `returned` function of the call that has returned. */
void rfs_call_returned(struct rfs_run *run, struct rfs_thread *thread);
/*
 * These two functions replace the last two if stubs record the entry and the return of a function, because the thread
 * then does not stop there (heap.c). rfs_call_entered(): the function will return to `back`, with stack pointer `rsp`.
 * rfs_call_left(): the function has returned `value`.
 */
void rfs_call_entered(struct rfs_thread *thread, rfs_addr back, rfs_addr rsp, rfs_return_fn returned, uint64_t arg);
void rfs_call_left(struct rfs_run *run, struct rfs_thread *thread, rfs_addr rsp, rfs_return_fn returned,
		   uint64_t value);

#endif
