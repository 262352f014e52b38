/*
 * ports.h - ports that the kernel picks, as the target sees them.
 *
 * A socket gets a random port if it is bound to port 0, or if it is not bound before it sends, connects or listens. The
 * random port differs between runs. So the target sees another number instead: rfsup counts these numbers, in the order
 * in which the sockets get their ports. If the target or a child passes such a number to a call, rfsup replaces it by
 * the kernel's port until the call returns. The numbers count down from 65535, a range that services do not use. Ports
 * that the target names itself stay as they are.
 *
 * With --drive, a program outside the target has to find the ports, so the target sees the kernel's ports. The calls
 * that return them are then part of the recorded input.
 */
#ifndef RFS_SUPERVISOR_PORTS_H
#define RFS_SUPERVISOR_PORTS_H

#include <stdbool.h>

struct rfs_run;
struct rfs_syscall;
struct rfs_task;

/*
 * Called when the task enters the call: replaces ports in its arguments. True if the call must stop at its exit, where
 * rfs_ports_end() is called.
 */
bool rfs_ports_begin(struct rfs_run *run, struct rfs_task *task, const struct rfs_syscall *row,
		     const unsigned long *args);
/* Called at the exit of the call: restores the arguments, and replaces the ports that the call returned. */
void rfs_ports_end(struct rfs_run *run, struct rfs_task *task);
/* Frees the run's ports. */
void rfs_ports_release(struct rfs_run *run);

#endif
