/* nondeterminism.h - notes input of a run that the seed does not determine. */
#ifndef RFS_NONDETERMINISM_H
#define RFS_NONDETERMINISM_H

#include <stdbool.h>
#include <sys/stat.h>

struct rfs_run;
struct rfs_syscall;
struct rfs_task;
struct rfs_thread;

/* Set up and free what the run notes. */
void rfs_nondet_init(struct rfs_run *run);
void rfs_nondet_release(struct rfs_run *run);
/* Called before a read from our duplicate fd. */
void rfs_nondet_read(struct rfs_run *run, int fd);
/* Called at the exit of accept, connect, calls that receive datagrams, waits for children, and msgrcv. */
void rfs_nondet_accepted(struct rfs_run *run, struct rfs_thread *thread, long result);
void rfs_nondet_connected(struct rfs_run *run, struct rfs_thread *thread, long result);
void rfs_nondet_received(struct rfs_run *run, struct rfs_thread *thread, long result);
void rfs_nondet_waited(struct rfs_run *run, struct rfs_thread *thread, long result);
void rfs_nondet_message(struct rfs_run *run, struct rfs_thread *thread, long result);
/* Called before mmap with MAP_SHARED, and before shmat. */
void rfs_nondet_map(struct rfs_run *run, struct rfs_thread *thread);
void rfs_nondet_attach(struct rfs_run *run, const struct rfs_thread *thread);
/* Called before an open that creates a file. If the run is made again, it meets what its first start has created. */
void rfs_nondet_create(struct rfs_run *run, const char *name);
/* Whether the run has created a file. */
bool rfs_nondet_created(const struct rfs_run *run);
/* Called before an open of a file that exists. */
void rfs_nondet_open(struct rfs_run *run, const char *name, unsigned long flags, const struct stat *st);
/*
 * Whether a task of a process that is not controlled gets something from outside by this call, in a run that records
 * its input or replays it.
 */
bool rfs_nondet_foreign(struct rfs_run *run, struct rfs_task *task, const struct rfs_syscall *row,
			const unsigned long *args);
/* Notes that such input is not recorded. */
void rfs_nondet_unrecorded(struct rfs_run *run);
void rfs_nondet_collect(struct rfs_run *run); /* fills result->nondet.files */

#endif
