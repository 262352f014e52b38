/* report_own.h - the failure of the program itself: it fails in every run without rfsup. */
#ifndef RFS_REPORT_OWN_H
#define RFS_REPORT_OWN_H

#include <stdbool.h>

/* The status with which a test says that it was skipped (Automake, CMake, Meson). */
#define RFS_STATUS_SKIP 77

/* Zeroed: the program does not fail by itself. */
struct rfs_report_own {
	bool failed; /* every uncontrolled run failed; the other members say how most of them did */
	bool signal; /* number is that of a signal; otherwise an exit status */
	int number;
};

#endif
