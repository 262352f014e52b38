/* task_life.c - adds tasks to the tables of the tracer, and takes them out. */
#include "tracer/tasks/task_life-priv.h"

#include <stdlib.h>
#include <uthash.h>
#include <utlist.h>

#include "tracer/places/stub_buffer-priv.h"
#include "tracer/process/space-priv.h"
#include "tracer/process/task-priv.h"
#include "tracer/process/tracer-priv.h"
#include "tracer/tasks/space_life-priv.h"

/* A task and the parts of it that other layers keep. */
struct whole_task {
	struct rfs_task task;
	struct rfs_task_stub stub;
};

struct rfs_task *rfs_task_new(struct rfs_tracer *tracer, pid_t tid)
{
	struct whole_task *whole = calloc(1, sizeof(*whole));
	struct rfs_task *task;

	if (!whole)
		return NULL;
	task = &whole->task;
	task->stub = &whole->stub;
	task->tid = tid;
	task->pid = tid;
	task->tracer = tracer;
	HASH_ADD_INT(tracer->tasks, tid, task);
	return task;
}

void rfs_task_join_space(struct rfs_task *task, struct rfs_space *space)
{
	task->space = space;
	space->references++;
	DL_APPEND2(space->tasks, task, space_prev, space_next);
}

/* Removes the task from the list of tasks through which the memory can be accessed. The task's reference to the space
 * stays until the task is freed. */
static void leave_list(struct rfs_task *task)
{
	if (task->space && task->space_prev) {
		DL_DELETE2(task->space->tasks, task, space_prev, space_next);
		task->space_prev = NULL;
	}
}

void rfs_task_leave_space(struct rfs_task *task)
{
	leave_list(task);
	rfs_stub_buffer_part(task);
	if (task->space)
		rfs_space_put(task->space);
	task->space = NULL;
}

void rfs_task_retire(struct rfs_task *task)
{
	struct rfs_tracer *tracer = task->tracer;

	HASH_DEL(tracer->tasks, task);
	if (tracer->last == task)
		tracer->last = NULL;
	leave_list(task);
	rfs_stub_buffer_part(task);
	task->state = RFS_TASK_GONE;
	DL_APPEND(tracer->gone, task);
}

void rfs_task_forget(struct rfs_task *task)
{
	DL_DELETE(task->tracer->gone, task);
	rfs_task_leave_space(task);
	free(task->stub->left);
	free(task->xstate);
	free(task);
}
