/* measure.h - makes one controlled run before the first phase, to count the operations of a run (limits.h). */
#ifndef RFS_MEASURE_H
#define RFS_MEASURE_H

struct rfs_campaign;

/* Makes the run, unless no baseline run ended. No phase counts it. Sets the limits of the phases after it. */
void rfs_measure(struct rfs_campaign *c);

#endif
