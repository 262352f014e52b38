/* follow_end.h - how the wrapper of --follow ends. */
#ifndef RFS_FOLLOW_END_H
#define RFS_FOLLOW_END_H

struct rfs_run;

/*
 * Call this when the program has ended. If the program did not fail, waits for the end of the wrapper. If the wrapper
 * then fails, the run counts as failed in the same way. The same for the first process of the program, if another one
 * has taken its place (stops/processes.h).
 */
void rfs_follow_finish(struct rfs_run *run);
/*
 * Call this when the program has ended, after rfs_follow_finish(). Gives the processes that the program has left, such
 * as daemons, a moment to make threads; then as rfs_processes_end().
 */
void rfs_processes_finish(struct rfs_run *run);

#endif
