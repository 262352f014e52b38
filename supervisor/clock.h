/* clock.h - the one clock that limits and reports go by. */
#ifndef RFS_CLOCK_H
#define RFS_CLOCK_H

/* CLOCK_MONOTONIC in seconds. */
double rfs_clock(void);

#endif
