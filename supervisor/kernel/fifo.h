#ifndef RFS_FIFO_H
#define RFS_FIFO_H

#include <stdbool.h>

struct rfs_run;
struct rfs_thread;

/* fifo.c: the thread stands in an open, which means a FIFO; *flags: of open(2). */
bool rfs_opens_fifo(struct rfs_run *run, const struct rfs_thread *thread, unsigned long *flags);

#endif
