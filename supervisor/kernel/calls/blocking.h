/* blocking.h - system calls that may wait for another thread or for the outside world. */
#ifndef RFS_BLOCKING_H
#define RFS_BLOCKING_H

#include <stdbool.h>

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_choice;

/*
 * Go handler for a system call that returns at once. Either rfsup answers the call, or the kernel executes it and the
 * thread stops at the exit.
 */
enum rfs_then rfs_go_syscall(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice);
/* Go handler for a system call that may block in the kernel. */
enum rfs_then rfs_go_kernel(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice);

/*
 * Called at the exit of a call that wrote to an internet socket. Makes the kernel send the data now;
 * rfs_loopback_push() says why.
 */
void rfs_blocking_push(struct rfs_run *run, const struct rfs_thread *thread);

/*
 * Waits at most ms milliseconds of real time for the outside world to enable a parked thread. True if a thread is
 * enabled.
 */
bool rfs_blocking_idle(struct rfs_run *run, int ms);
/* Whether any thread is parked at a system call. */
bool rfs_blocking_any(const struct rfs_run *run);

/*
 * Enter handlers. The calls may wait for something that poll(2) cannot report, such as a file lock, a child process or
 * the other end of a FIFO.
 */
enum rfs_then rfs_sys_block(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_connect(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_fcntl(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_open(struct rfs_run *run, struct rfs_thread *thread);

#endif
