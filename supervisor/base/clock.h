/* clock.h - real time and CPU time, for the limits and reports of rfsup itself. The target sees virtual time. */
#ifndef RFS_CLOCK_H
#define RFS_CLOCK_H

/* CLOCK_MONOTONIC in seconds. */
double rfs_clock(void);
/* CPU seconds used by all threads of this process. */
double rfs_clock_cpu(void);

#endif
