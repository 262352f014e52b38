/* serve.h - the driver's verb "serve": executes tests without concurrency (main.c says the protocol). */
#ifndef RFS_DRIVER_SERVE_H
#define RFS_DRIVER_SERVE_H

#include <stdbool.h>

/* Reads tests from RFS_DRIVER_TESTS until there are no more. private_network: as in contain.h. Returns the exit status.
 */
int rfs_driver_serve(bool private_network);

#endif
