/* virtual_hardware.h - the machine as the target sees it, the same in every run. */
#ifndef RFS_VIRTUAL_HARDWARE_H
#define RFS_VIRTUAL_HARDWARE_H

#include "supervisor/state/core/thread.h"

/* More than one, so that a program that starts a worker for each core has several workers. */
#define RFS_CORES 4
#define RFS_TICK_NANOS 10000000ull /* a tick of times(2): USER_HZ is 100 */
#define RFS_RESIDENT_KIB 8192	   /* the memory in use */

struct rfs_run;
struct rfs_thread;
struct rfs_task;

/* Enter handlers of calls about cores, memory and CPU time. */
enum rfs_then rfs_sys_sysinfo(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_getrusage(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_times(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_getcpu(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_getaffinity(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_setaffinity(struct rfs_run *run, struct rfs_thread *thread);
/* Answers the cpuid instruction that the task is at. The caller resumes the task. */
void rfs_cpuid(const struct rfs_run *run, struct rfs_task *task);

#endif
