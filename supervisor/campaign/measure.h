/* measure.h - one controlled run before the first phase, which tells how many operations a run has (limits.h). */
#ifndef RFS_MEASURE_H
#define RFS_MEASURE_H

struct rfs_campaign;

/* Makes it, unless no plain run came to an end; it belongs to no phase. Sets the limits of what follows. */
void rfs_measure(struct rfs_campaign *c);

#endif
