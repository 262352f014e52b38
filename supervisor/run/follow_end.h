/* follow_end.h - how the wrapper of --follow ends. */
#ifndef RFS_FOLLOW_END_H
#define RFS_FOLLOW_END_H

struct rfs_run;

/*
 * Call this when the program has ended. If the program did not fail, waits for the end of the wrapper. If the wrapper
 * then fails, the run counts as failed in the same way.
 */
void rfs_follow_finish(struct rfs_run *run);

#endif
