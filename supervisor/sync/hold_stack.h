/* hold_stack.h - keeps the stack of a thread that has just acquired a lock, if the run needs it. */
#ifndef RFS_HOLD_STACK_H
#define RFS_HOLD_STACK_H

struct rfs_run;
struct rfs_thread;

/* Call this when the thread has acquired a lock with its operation `next`, before it runs again. */
void rfs_keep_hold_stack(struct rfs_run *run, struct rfs_thread *thread);

#endif
