/* process_calls.h - handlers of system calls that change the target's memory or threads. */
#ifndef RFS_PROCESS_CALLS_H
#define RFS_PROCESS_CALLS_H

#include <stdbool.h>

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;

enum rfs_then rfs_sys_exit(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_yield(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_set_tid_address(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_arch_prctl(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_mmap(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_munmap(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_mprotect(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_mremap(struct rfs_run *run, struct rfs_thread *thread);
/* Whether rfs_sys_mremap() must see the call. */
bool rfs_sys_mremap_matters(struct rfs_run *run, struct rfs_thread *thread, const unsigned long *args);
/* Call at the exit of mmap, munmap, mprotect or mremap. */
void rfs_sys_memory_returned(struct rfs_run *run, struct rfs_thread *thread, long result);
enum rfs_then rfs_sys_shmat(struct rfs_run *run, struct rfs_thread *thread);

#endif
