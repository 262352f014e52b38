/* resume-priv.h - the only place that resumes tasks, with two exceptions: launch.c resumes a program that has not begun
 * yet, and onlooker.c resumes programs that are not controlled. */
#ifndef RFS_TRACER_RESUME_PRIV_H
#define RFS_TRACER_RESUME_PRIV_H

struct rfs_task;

/* Writes changed registers and resumes the task. request: PTRACE_CONT or another request of ptrace(2) that resumes.
 * Returns 0 or -ESRCH. */
int rfs_task_continue(struct rfs_task *task, int request, int signo) __attribute__((warn_unused_result));
/* The same for a caller that need not know whether the task is gone, because the task's end is reported anyway. */
void rfs_task_let_go(struct rfs_task *task, int request);

#endif
