/* report_orders.h - the parts of a report that say whether a failure, or the output, depends on the order of a race. */
#ifndef RFS_REPORT_ORDERS_H
#define RFS_REPORT_ORDERS_H

#include <stdint.h>

/* How often a pair fails if a race of the failed run has the same order as there, [0], and the other order, [1]. */
struct rfs_report_orders {
	unsigned tests; /* how many races of the run were tested; 0: nothing is known */
	uint64_t race;	/* the race, from 1 */
	int first;	/* the statement, 1 or 2, that goes first in the order [0]; 0: not known; not in the JSON */
	uint64_t runs[2], failed[2];
	double p, corrected; /* of Fisher's test; and for all tests of the campaign together */
};

/* What the program writes in the order of the recorded run, [0], and in the other order, [1]. */
struct rfs_report_output {
	uint64_t runs[2]; /* zero: the order does not change the output, or this is not known */
	char *line[2];	  /* the first line that differs; NULL: there is none */
};

#endif
