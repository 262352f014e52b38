/* fifo.h - whether an open of the target is for a FIFO. */
#ifndef RFS_FIFO_H
#define RFS_FIFO_H

#include <stdbool.h>

struct rfs_run;
struct rfs_thread;

/* The thread is in an open call. True if the file is a FIFO; *flags are then those of open(2). */
bool rfs_opens_fifo(struct rfs_run *run, const struct rfs_thread *thread, unsigned long *flags);

#endif
