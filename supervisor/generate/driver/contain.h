/*
 * contain.h - limits for generated tests: no other processes, no network but a private one, and a limit of memory. They
 * are needed because the arguments of calls are random.
 */
#ifndef RFS_DRIVER_CONTAIN_H
#define RFS_DRIVER_CONTAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What is refused. */
enum rfs_driver_refused { RFS_DRIVER_PROCESS, RFS_DRIVER_NETWORK, RFS_DRIVER_N_REFUSED };

/* Bytes of data that a test may have. */
#define RFS_DRIVER_MEMORY (160UL << 20)
/* Bytes that a file of a test may have. A call that writes more fails. */
#define RFS_DRIVER_FILE_BYTES (64UL << 20)

/*
 * From now on, system calls of this process that make processes or use the network fail with EPERM. private_network:
 * only local sockets are refused, because their other end may be any process of the machine. refused: a signal handler
 * counts them there, without a lock; NULL: they are not counted. The fork server can still copy the process.
 */
void rfs_driver_contain(bool private_network, uint64_t refused[RFS_DRIVER_N_REFUSED]);

/* Kills all children of this process but the n spared ones, and waits for them. Needs PR_SET_CHILD_SUBREAPER. */
void rfs_driver_end_orphans(const pid_t *spared, size_t n);

/* Removes the files in the working directory. */
void rfs_driver_clean(void);

#endif
