#ifndef RFS_VIRTUAL_HARDWARE_H
#define RFS_VIRTUAL_HARDWARE_H

#include <stdbool.h>

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_task;

/* virtual_hardware.c: cores, memory, CPU time. True where it answered the call. */
enum rfs_then rfs_virtual_hardware_call(struct rfs_run *run, struct rfs_thread *thread);
/* Answers the cpuid that the task stands at; the caller resumes. */
void rfs_cpuid(struct rfs_task *task);

#endif
