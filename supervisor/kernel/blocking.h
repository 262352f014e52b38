#ifndef RFS_BLOCKING_H
#define RFS_BLOCKING_H

#include <stdbool.h>

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_choice;

/* Executes the system call that the thread is parked before, and that comes back at once: it runs with a stop at its
 * exit, or is answered. */
enum rfs_then rfs_go_syscall(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice);
/* The same for a call that may wait in the kernel. */
enum rfs_then rfs_go_kernel(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice);
/* Gives back the duplicates that the thread's call needed. */
void rfs_blocking_drop(struct rfs_thread *thread);

/* At the exit of a call that wrote to a socket of the loopback device: what was written is sent now. */
void rfs_blocking_push(struct rfs_run *run, const struct rfs_thread *thread);

/* Waits in real time for the outside: at most ms; true if something may have changed. */
bool rfs_blocking_idle(struct rfs_run *run, int ms);
bool rfs_blocking_any(const struct rfs_run *run);

/* At the entry of calls that wait for what no poll can tell. */
enum rfs_then rfs_sys_block(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_connect(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_fcntl(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_open(struct rfs_run *run, struct rfs_thread *thread);

#endif
