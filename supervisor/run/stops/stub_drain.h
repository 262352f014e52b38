/* stub_drain.h - hands the records of the stubs to the detector. */
#ifndef RFS_STUB_DRAIN_H
#define RFS_STUB_DRAIN_H

#include <stddef.h>

struct rfs_run;
struct rfs_task;
struct rfs_thread;
struct rfs_stub_record;

/*
 * Takes the stub records of a stopped task and hands them to the detector. thread: the task's thread. If it is NULL,
 * the task is foreign and its records are dropped. Returns the number of records; *out points to them and is valid
 * until any thread runs.
 */
size_t rfs_stub_drain(struct rfs_run *run, struct rfs_task *task, struct rfs_thread *thread,
		      const struct rfs_stub_record **out);

#endif
