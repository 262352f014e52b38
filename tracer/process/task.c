/* task.c - what callers may ask of a task. tasks/task_life.c makes and frees them. */
#include "tracer/process/task-priv.h"

#include <uthash.h>

#include "tracer/process/tracer-priv.h"

pid_t rfs_task_tid(const struct rfs_task *task)
{
	return task->tid;
}

pid_t rfs_task_pid(const struct rfs_task *task)
{
	return task->pid;
}

struct rfs_space *rfs_task_space(const struct rfs_task *task)
{
	return task->space;
}

struct rfs_task *rfs_tracer_task(const struct rfs_tracer *tracer, pid_t tid)
{
	struct rfs_task *task;

	HASH_FIND_INT(tracer->tasks, &tid, task);
	return task;
}

void rfs_task_set_data(struct rfs_task *task, void *data)
{
	task->data = data;
}

void *rfs_task_data(const struct rfs_task *task)
{
	return task->data;
}
