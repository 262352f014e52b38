/* blocking.h - system calls that may wait for another thread or for the outside world. */
#ifndef RFS_BLOCKING_H
#define RFS_BLOCKING_H

#include <stdbool.h>

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_choice;

/*
 * Executes the system call that the thread is parked at, and that returns at once: it is answered, or runs with a stop
 * at its exit.
 */
enum rfs_then rfs_go_syscall(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice);
/* The same for a call that may block in the kernel. */
enum rfs_then rfs_go_kernel(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice);
/* Closes the duplicates that the thread's call needed. */
void rfs_blocking_drop(struct rfs_thread *thread);

/* At the exit of a call that wrote to a socket of the loopback device: makes the kernel send what was written. */
void rfs_blocking_push(struct rfs_run *run, const struct rfs_thread *thread);

/* Waits in real time, at most ms, for the outside world. True if something may have changed. */
bool rfs_blocking_idle(struct rfs_run *run, int ms);
/* Whether a thread is parked at a system call. */
bool rfs_blocking_any(const struct rfs_run *run);

/* Handlers at the entry of calls that may wait for something that no poll can describe. */
enum rfs_then rfs_sys_block(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_connect(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_fcntl(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_open(struct rfs_run *run, struct rfs_thread *thread);

#endif
