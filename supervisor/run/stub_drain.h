#ifndef RFS_STUB_DRAIN_H
#define RFS_STUB_DRAIN_H

#include <stddef.h>

struct rfs_run;
struct rfs_task;
struct rfs_thread;
struct rfs_stub_record;

/* Takes what a stopped task recorded, and tells the detector; thread NULL: none of ours, it is dropped. Returns how
 * many records, which stay at *out until somebody runs. */
size_t rfs_stub_drain(struct rfs_run *run, struct rfs_task *task, struct rfs_thread *thread,
		      const struct rfs_stub_record **out);

#endif
