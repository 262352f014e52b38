/* progress.h - the memory that the processes of tests share with the driver. A call of a test may write anything into
 * it. */
#ifndef RFS_DRIVER_PROGRESS_H
#define RFS_DRIVER_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/generate/driver/contain.h"
#include "supervisor/generate/driver/script.h"

/* What the process of a test has done. */
struct rfs_driver_done {
	uint64_t refused[RFS_DRIVER_N_REFUSED];
	char why[128];	  /* it is not a test; "": it is one */
	bool is_finished; /* all calls have returned */
	size_t n;	  /* calls that have returned */
	struct {
		uint64_t result;
		unsigned effects;
	} calls[RFS_DRIVER_SECTIONS * RFS_DRIVER_CALLS];
};

struct rfs_driver_progress {
	struct rfs_driver_done done;
	bool is_copied; /* the process that goes on makes a copy of itself, and the copy executes the rest */
	pid_t copy;	/* its number */
	size_t size;	/* of the text */
	char text[RFS_DRIVER_TEST_BYTES];
};

#endif
