/* state_release.h - frees what the room state keeps of a run, except for the threads and the trace. */
#ifndef RFS_STATE_RELEASE_H
#define RFS_STATE_RELEASE_H

struct rfs_run;

/* Call it when the detector has ended, because a detector may read the state. */
void rfs_state_release(struct rfs_run *run);

#endif
