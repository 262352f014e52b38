/*
 * hot_statements.h - executions of the pair's statements at which no thread parks, because the statement is hot.
 *
 * A statement that writes each byte of a file is executed millions of times. A stop at each execution would take
 * hundreds of times as long as the program. So only the first executions stop, as many as --stops-per-run says. Then
 * the statement is hot, and an execution stops only
 *
 *  - if a counter is 0. It is then drawn from the seed, on average twice as large after each eighth of the first stops;
 *  - or at memory that another thread is about to access, which is parked at a statement of the pair;
 *  - or at memory where earlier runs saw the accesses of the pair meet, if the spec names such memory.
 *
 * The last two cases create the race, so that they are worth more stops. But such memory may be accessed as often. So
 * they stop a few times only, until the counter is 0 the next time.
 *
 * This is decided here, whether the execution stops at a breakpoint or its stub has found that it must stop
 * (disasm/rewrite/stub_count.c). Both choose the same executions. A run that executes no statement so often is the same
 * as without a limit.
 */
#ifndef RFS_HOT_STATEMENTS_H
#define RFS_HOT_STATEMENTS_H

#include <stdbool.h>
#include <stdint.h>

struct rfs_run;
struct rfs_site_hook;
struct rfs_task;
struct rfs_thread;

/*
 * The thread is about to execute the instruction at the site; thread->access has the parts. Counts the execution. True
 * if the thread must not park there.
 */
bool rfs_hot_passes(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_site_hook *site);
/* The policy is about to choose between several threads: finds the memory that the spec names, if a statement is hot.
 */
void rfs_hot_choice(struct rfs_run *run);
/* How many executions of hot statements have cost a stop, but are no operations. */
uint64_t rfs_hot_trapped(const struct rfs_run *run);
/* The process has another image: its code has no stubs yet. */
void rfs_hot_exec(struct rfs_run *run);
/* The thread is about to run: tells its stubs which executions need not stop. */
void rfs_hot_lend(struct rfs_run *run, struct rfs_thread *thread);
/* The task has stopped, and what stubs left was taken: counts the executions that did not stop. */
void rfs_hot_taken(struct rfs_run *run, struct rfs_task *task);
/* Frees run->hot. */
void rfs_hot_release(struct rfs_run *run);

#endif
