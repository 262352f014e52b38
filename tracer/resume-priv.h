/* resume-priv.h - the only place that resumes a task. Two kinds are resumed elsewhere: a program that has not begun yet
 * (launch.c), and programs that are watched but not controlled (onlooker.c). */
#ifndef RFS_TRACER_RESUME_PRIV_H
#define RFS_TRACER_RESUME_PRIV_H

struct rfs_task;

/* Writes changed registers; request: as of ptrace(2). 0, -ESRCH. */
int rfs_task_continue(struct rfs_task *task, int request, int signo) __attribute__((warn_unused_result));
/* The same if it does not matter whether the task is gone, because its end is reported anyway. */
void rfs_task_let_go(struct rfs_task *task, int request);

#endif
