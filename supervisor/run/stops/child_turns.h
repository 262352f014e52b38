/*
 * child_turns.h - child processes take turns.
 *
 * What one child does may depend on how far another one is: whether it has ended, or has taken a token from a pipe. So
 * one task of a child runs at a time, until it sleeps or has ended; then the next one has its turn. All others wait at
 * their next stop. No turn begins while a controlled thread runs.
 *
 * The order of the turns follows from the ids that the target sees. It does not depend on the kernel's scheduler, as
 * long as tasks reach each other only by system calls that stop, and no turn takes longer than the limit in
 * child_turns.c. Tasks may then run at the same time, so that one that spins until another one acts goes on.
 */
#ifndef RFS_CHILD_TURNS_H
#define RFS_CHILD_TURNS_H

#include <stdbool.h>

#include "tracer/tracer.h"

struct rfs_run;

/* Resumes the stopped task of a child if it has the turn, or else keeps it until then. */
void rfs_child_turns_resume(struct rfs_run *run, struct rfs_task *task, enum rfs_resume how, int signo);
/* Whether a task waits for its turn. */
bool rfs_child_turns_wait(const struct rfs_run *run);
/*
 * Call this again and again while the run waits for the target to become quiescent. If nobody is at work, the turn
 * passes to the next task that waits for it.
 */
void rfs_child_turns_pass(struct rfs_run *run);
/* Resumes all tasks that wait for their turns: the run does not wait for them any more. */
void rfs_child_turns_free(struct rfs_run *run);

#endif
