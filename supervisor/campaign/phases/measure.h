/* measure.h - makes one controlled run before the first phase, to count the operations of a run (limits.h). */
#ifndef RFS_MEASURE_H
#define RFS_MEASURE_H

struct rfs_campaign;

/*
 * Makes the run and sets the limits of the next phase. Does nothing if no baseline run ended. No phase counts the run.
 * If it shows that --only or --skip names nothing, the campaign ends with this error.
 */
void rfs_measure(struct rfs_campaign *c);

#endif
