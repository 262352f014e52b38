/*
 * process.h - the process of a test. It executes the calls of the text in shared memory, and then it stops itself. When
 * it continues, the text is longer. It executes the rest, or a copy of it does.
 */
#ifndef RFS_DRIVER_PROCESS_H
#define RFS_DRIVER_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "supervisor/generate/driver/progress.h"

#define RFS_DRIVER_STATUS_NO_TEST 2 /* exit status of a process that cannot execute its test */

/* Finds the functions of the guard heap, if there is one. Before the process of the first test exists. */
void rfs_driver_process_prepare(void);

/*
 * What the process does; it is a new copy of the driver, whose number is `driver`. private_network: as in contain.h.
 * file_rules: as in files.h.
 */
void rfs_driver_process_main(struct rfs_driver_progress *progress, pid_t driver, bool private_network, int file_rules)
	__attribute__((noreturn));

#endif
