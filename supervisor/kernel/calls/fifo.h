/* fifo.h - whether an open of the target is for a FIFO. */
#ifndef RFS_FIFO_H
#define RFS_FIFO_H

#include <stdbool.h>

struct rfs_run;
struct rfs_thread;

/*
 * The thread is at the entry of open, openat, openat2 or creat. True if the file is a FIFO; *flags then has the O_*
 * flags of the call.
 */
bool rfs_opens_fifo(struct rfs_run *run, const struct rfs_thread *thread, unsigned long *flags);

#endif
