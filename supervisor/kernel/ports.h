/*
 * ports.h - ports that the kernel picks, as the target sees them.
 *
 * A socket that is bound to port 0, or not at all before it sends, connects or listens, gets a port by chance, and two
 * runs never the same. The target sees ports that we count out instead, in the order in which its sockets get theirs,
 * and calls that take one get the kernel's for the time of the call, in the target and in its children. They are
 * counted from the end of the range, which nobody gives to a service; those that the target names outright stay as they
 * are.
 *
 * Where somebody outside is expected (an input file: --drive), who has to find the ports, they are shown as they are,
 * and what the target was told of them is recorded.
 */
#ifndef RFS_SUPERVISOR_PORTS_H
#define RFS_SUPERVISOR_PORTS_H

#include <stdbool.h>

struct rfs_run;
struct rfs_syscall;
struct rfs_task;

/* The task goes into this call. True where it must stop at its exit, for rfs_ports_end(). */
bool rfs_ports_begin(struct rfs_run *run, struct rfs_task *task, const struct rfs_syscall *row,
		     const unsigned long *args);
void rfs_ports_end(struct rfs_run *run, struct rfs_task *task);
void rfs_ports_release(struct rfs_run *run);

#endif
