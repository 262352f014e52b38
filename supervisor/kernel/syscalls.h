#ifndef RFS_SYSCALLS_H
#define RFS_SYSCALLS_H

#include <stdbool.h>

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_stop;
struct rfs_task;

extern const int rfs_syscalls_traced[], rfs_syscalls_enosys[], rfs_syscalls_eperm[];
enum rfs_then rfs_syscall_enter(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop);
/* Before a call enters the kernel: the kernel's ids and ports stand in it for those that the target sees. True where it
 * must stop at its exit. */
bool rfs_syscall_translate(struct rfs_run *run, struct rfs_task *task, long number, const unsigned long *args);
/* Answers getrandom, or a read of /dev/urandom, from the seed. */
enum rfs_then rfs_answer_random(struct rfs_run *run, struct rfs_thread *thread);
/* Answers the rdtsc or rdtscp that the task stands at from virtual time; the caller resumes. thread NULL: none of ours.
 */
void rfs_rdtsc(struct rfs_run *run, struct rfs_task *task, const struct rfs_thread *thread);
/* The run begins: its clock does, too. */
void rfs_clock_begin(struct rfs_run *run);
enum rfs_then rfs_go_interrupt(struct rfs_run *run, struct rfs_thread *thread);

#endif
