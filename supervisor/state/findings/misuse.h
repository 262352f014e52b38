/*
 * misuse.h - notices wrong uses of the thread library: what the standard calls undefined, or an error.
 *
 * Each function is called when a thread is about to do something, before the model changes. It adds to the result of
 * the run what is wrong, each mistake once. It changes nothing else, so a run is the same with and without it.
 */
#ifndef RFS_STATE_MISUSE_H
#define RFS_STATE_MISUSE_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"
#include "policy/operations.h"
#include "supervisor/model/lock.h"
#include "supervisor/model/objects.h"
#include "supervisor/record/misuse.h"

struct rfs_run;
struct rfs_stack_frame;
struct rfs_thread;

/*
 * The thread unlocks. site: where it called the function, if a stub recorded the call; 0: the thread is at the entry of
 * the function.
 */
void rfs_misuse_unlock(struct rfs_run *run, struct rfs_thread *thread, enum rfs_lock_type type, rfs_addr lock,
		       rfs_site site);
/* The thread locks, or tries to, or waits at a condition variable with this mutex. */
void rfs_misuse_lock(struct rfs_run *run, struct rfs_thread *thread, enum rfs_lock_type type, rfs_addr lock);
/* The thread's call, on this object or (0) on none, fails with an errno, and the program ignores that. */
void rfs_misuse_error(struct rfs_run *run, struct rfs_thread *thread, rfs_addr object, int error);
/* The thread signals the condition variable. site: as for an unlock. */
void rfs_misuse_signal(struct rfs_run *run, struct rfs_thread *thread, rfs_addr cond, rfs_site site);
void rfs_misuse_wait(struct rfs_run *run, struct rfs_thread *thread, rfs_addr cond, rfs_addr mutex);
/*
 * The thread uses an object of this type in another way than those above, such as a semaphore. True if that is wrong.
 * site: as for an unlock.
 */
bool rfs_misuse_use(struct rfs_run *run, struct rfs_thread *thread, enum rfs_object_type type, rfs_addr object,
		    rfs_site site);
/* The thread has called a function that may wait for the object, but does not use it yet. */
void rfs_misuse_call(struct rfs_run *run, struct rfs_thread *thread, enum rfs_object_type type, rfs_addr object);
/* The thread destroys or initialises an object. site: where the program has called the function that initialises. */
void rfs_misuse_destroy(struct rfs_run *run, struct rfs_thread *thread, enum rfs_object_type type, rfs_addr object);
void rfs_misuse_init(struct rfs_run *run, struct rfs_thread *thread, enum rfs_object_type type, rfs_addr object,
		     rfs_site site);
/* The thread's call, which initialises the object or (BAD_ATTRIBUTE) changes it, has a wrong argument. */
void rfs_misuse_argument(struct rfs_run *run, struct rfs_thread *thread, enum rfs_misuse_kind kind, rfs_addr object);
/* The thread has returned from the function with this frame, whose objects begin at `low`. */
void rfs_misuse_leave(struct rfs_run *run, struct rfs_thread *thread, rfs_addr low,
		      const struct rfs_stack_frame *frame);
/*
 * The frame of `owner` that contains the object, which is on its stack. thread: the thread that has stopped. False if
 * it cannot be found.
 */
bool rfs_misuse_frame(const struct rfs_thread *thread, const struct rfs_thread *owner, rfs_addr object,
		      struct rfs_stack_frame *out);
/* The thread frees memory. site: as for an unlock. */
void rfs_misuse_free(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, uint64_t size, rfs_site site);
/* The thread ends, but the program continues. */
void rfs_misuse_exit(struct rfs_run *run, struct rfs_thread *thread);
/* The program ends without an error. */
void rfs_misuse_end(struct rfs_run *run);
void rfs_misuse_join(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_thread *peer);
void rfs_misuse_detach(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_thread *peer);

#endif
