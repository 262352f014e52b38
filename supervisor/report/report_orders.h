/* report_orders.h - the part of a report that says whether a failure depends on the order of a race. */
#ifndef RFS_REPORT_ORDERS_H
#define RFS_REPORT_ORDERS_H

#include <stdint.h>

/* How often a pair fails if a race of the failed run has the same order as there, [0], and the other order, [1]. */
struct rfs_report_orders {
	unsigned tests; /* how many races of the run were tested; 0: nothing is known */
	uint64_t race;	/* the race, from 1 */
	uint64_t runs[2], failed[2];
	double p, corrected; /* of Fisher's test; and for all tests of the campaign together */
};

#endif
