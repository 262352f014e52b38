/* access_release.h - frees what the room access keeps of a run. */
#ifndef RFS_ACCESS_RELEASE_H
#define RFS_ACCESS_RELEASE_H

struct rfs_run;

/* Does not touch the target, which may have ended. */
void rfs_access_release(struct rfs_run *run);

#endif
