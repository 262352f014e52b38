/* load_driver.h - --drive CMD: runs a client or a load generator during an execution. */
#ifndef RFS_LOAD_DRIVER_H
#define RFS_LOAD_DRIVER_H

#include <sys/types.h>

struct rfs_run_process;

struct rfs_load_driver {
	int fd;	     /* becomes readable when the command has ended: its wait status, an int; -1: none was started */
	pid_t group; /* process group of the command's processes */
};

/*
 * Starts the shell command in the working directory and environment of spec. The command writes to the standard error
 * of spec. It is not a child of the caller, because ptrace's wait would report it. Returns 0 and *out, to be passed to
 * rfs_load_driver_end(), or -errno and a line in why.
 */
int rfs_load_driver_start(const char *command, const struct rfs_run_process *process, struct rfs_load_driver *out,
			  char *why, size_t n) __attribute__((warn_unused_result));
/* Kills the remaining processes of the command. */
void rfs_load_driver_end(struct rfs_load_driver *drive);

#endif
