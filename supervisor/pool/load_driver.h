/* load_driver.h - --drive CMD: a client, or a load, that runs beside an execution. */
#ifndef RFS_DRIVE_H
#define RFS_DRIVE_H

#include <sys/types.h>

struct rfs_run_spec;

struct rfs_load_driver {
	int fd;	     /* readable once the command has ended; -1: none was started */
	pid_t group; /* of its processes */
};

/*
 * Starts the shell command in the folder and environment of spec, writing to its standard error. It is no child of the
 * caller's: ptrace's wait would meet it. 0 and *out (rfs_load_driver_end), or -errno and a line in why.
 */
int rfs_load_driver_start(const char *command, const struct rfs_run_spec *spec, struct rfs_load_driver *out, char *why,
			  size_t n) __attribute__((warn_unused_result));
/* Kills what is left of it. */
void rfs_load_driver_end(struct rfs_load_driver *drive);

#endif
