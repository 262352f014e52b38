/* pids.h - process and thread ids as the target sees them. */
#ifndef RFS_PIDS_H
#define RFS_PIDS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_task;
struct rfs_thread;

/* Set up and free the list of ids. */
void rfs_pids_init(struct rfs_run *run);
void rfs_pids_release(struct rfs_run *run);
/* How many ids were ever given out. */
size_t rfs_pids_count(const struct rfs_run *run);
/*
 * The kernel has given a task the id `real`: gives the task an id that the target sees, and returns this id. If the
 * task has such an id already, returns it.
 */
pid_t rfs_pids_add(struct rfs_run *run, pid_t real);
/* Whether a task of the target, or of its children, has this id of the kernel. */
bool rfs_pids_known(const struct rfs_run *run, pid_t real);
/* The same, or such a task had it and has ended. */
bool rfs_pids_was_known(const struct rfs_run *run, pid_t real);
/* Called when the task with this id of the kernel has ended. */
void rfs_pids_gone(struct rfs_run *run, pid_t real);
/* The id that the target sees for this id of the kernel. */
pid_t rfs_pids_shown(const struct rfs_run *run, pid_t real);
/* The kernel's id for an id that the target was shown. 0: the target was never shown this id. */
pid_t rfs_pids_real(const struct rfs_run *run, struct rfs_task *task, pid_t shown);
/* Whether this is the id under which the target sees processes that are not below rfsup, such as its parent. */
bool rfs_pids_is_outside(pid_t shown);
/* The same, but an id that the target was never shown stays as it is. A negative id names a process group. */
pid_t rfs_pids_kernel(const struct rfs_run *run, pid_t shown);
/* rfs_pids_shown(), for a value that may be the negative id of a process group. */
pid_t rfs_pids_told(const struct rfs_run *run, pid_t real);
/* True if the call only asks for an id; *result is then the answer. */
bool rfs_pids_answer(const struct rfs_run *run, struct rfs_task *task, unsigned ids, long *result);
/*
 * Called before a call enters the kernel: translates its ids. True if the call must stop at its exit, where
 * rfs_pids_end() translates the results.
 */
bool rfs_pids_begin(struct rfs_run *run, struct rfs_task *task, unsigned ids, const unsigned long *args);
void rfs_pids_end(struct rfs_run *run, struct rfs_task *task);
/* Whether the task is in a call that rfs_pids_begin() has translated. */
bool rfs_pids_in_call(const struct rfs_run *run, const struct rfs_task *task);
/*
 * Called at the ptrace event of clone and similar calls: gives the child an id. The maker's call must stop at its exit,
 * where its result is translated.
 */
void rfs_pids_born(struct rfs_run *run, struct rfs_task *maker, struct rfs_task *child);
/* Called at the first stop of a task: corrects the id that clone stored in the child's memory. */
void rfs_pids_started(struct rfs_run *run, struct rfs_task *task);
/* Whether si_pid of this information is the id of a process. */
bool rfs_pids_has_sender(const siginfo_t *info);
/* Called at the delivery of a signal: corrects the sender's id. */
void rfs_pids_signal(const struct rfs_run *run, struct rfs_task *task, const siginfo_t *info);
/* Enter handler of getpid and similar calls. */
enum rfs_then rfs_sys_getid(struct rfs_run *run, struct rfs_thread *thread);

#endif
