/* serve.h - the driver's verb "serve": executes tests without concurrency (main.c says the protocol). */
#ifndef RFS_DRIVER_SERVE_H
#define RFS_DRIVER_SERVE_H

/* Reads tests from RFS_DRIVER_TESTS until there are no more. Returns the exit status. */
int rfs_driver_serve(void);

#endif
