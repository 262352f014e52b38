/* task_life-priv.h - makes tasks, gives them an address space, and frees them. */
#ifndef RFS_TRACER_TASK_LIFE_PRIV_H
#define RFS_TRACER_TASK_LIFE_PRIV_H

#include <sys/types.h>

struct rfs_space;
struct rfs_task;
struct rfs_tracer;

struct rfs_task *rfs_task_new(struct rfs_tracer *tracer, pid_t tid); /* NULL: no memory */
void rfs_task_join_space(struct rfs_task *task, struct rfs_space *space);
void rfs_task_leave_space(struct rfs_task *task);
/* Call it when the kernel has removed the task: takes it out of the look-up tables. The object stays valid until
 * rfs_task_forget(). */
void rfs_task_retire(struct rfs_task *task);

#endif
