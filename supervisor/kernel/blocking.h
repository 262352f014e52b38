#ifndef RFS_BLOCKING_H
#define RFS_BLOCKING_H

#include <stdbool.h>

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_stop;

enum rfs_then rfs_syscall_exit(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop);
/* The arguments of a poll as the target gave them. */
void rfs_blocking_restore(struct rfs_thread *thread);
/* Our duplicate of the target's descriptor, or -1. */
int rfs_fd_duplicate(struct rfs_run *run, int fd);
bool rfs_fd_readable(int fd);
enum rfs_then rfs_blocking_call(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop);
/* Waits in real time for the outside: at most ms; true where something may have changed. */
bool rfs_blocking_idle(struct rfs_run *run, int ms);
bool rfs_blocking_any(const struct rfs_run *run);
/* Gives back the duplicates that the thread's call needed. */
void rfs_blocking_drop(struct rfs_thread *thread);

#endif
