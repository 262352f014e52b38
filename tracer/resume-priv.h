/* resume-priv.h - the one place where a task is let go. Only a program that has not begun yet is let go elsewhere
 * (launch.c), and those that are watched but not controlled (onlooker.c). */
#ifndef RFS_TRACER_RESUME_PRIV_H
#define RFS_TRACER_RESUME_PRIV_H

struct rfs_task;

/* Writes changed registers; request: as of ptrace(2). 0, -ESRCH. */
int rfs_task_continue(struct rfs_task *task, int request, int signo) __attribute__((warn_unused_result));
/* The same where it does not matter whether it is still there: its end is reported anyway. */
void rfs_task_let_go(struct rfs_task *task, int request);

#endif
