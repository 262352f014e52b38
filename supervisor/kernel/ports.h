/*
 * ports.h - ports that the kernel picks, as the target sees them.
 *
 * A socket gets a random port if it is bound to port 0, or if it is not bound before it sends, connects or listens. The
 * port differs between runs. The target sees ports that rfsup counts instead, in the order in which its sockets get
 * theirs. Calls that take a port get the kernel's for the duration of the call, in the target and in its children.
 * Ports are counted from the end of the range, which services do not use. Ports that the target names itself stay as
 * they are.
 *
 * If a program outside the target has to find the ports (an input file: --drive), they are shown as they are. What the
 * target was told of them is then recorded.
 */
#ifndef RFS_SUPERVISOR_PORTS_H
#define RFS_SUPERVISOR_PORTS_H

#include <stdbool.h>

struct rfs_run;
struct rfs_syscall;
struct rfs_task;

/* The task goes into this call. True if it must stop at its exit, for rfs_ports_end(). */
bool rfs_ports_begin(struct rfs_run *run, struct rfs_task *task, const struct rfs_syscall *row,
		     const unsigned long *args);
/* At the exit of the call: corrects the ports that it returned. */
void rfs_ports_end(struct rfs_run *run, struct rfs_task *task);
/* Frees the run's ports. */
void rfs_ports_release(struct rfs_run *run);

#endif
