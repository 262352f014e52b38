/* clock.h - the clocks that limits and reports go by. */
#ifndef RFS_CLOCK_H
#define RFS_CLOCK_H

/* CLOCK_MONOTONIC in seconds. */
double rfs_clock(void);
/* CPU seconds that all threads of this process have taken. */
double rfs_clock_cpu(void);

#endif
