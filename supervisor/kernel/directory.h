#ifndef RFS_DIRECTORY_H
#define RFS_DIRECTORY_H

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;

/* At the entry of getdents64. RFS_THEN_UNDECIDED: no directory, so that the kernel says what is wrong. */
enum rfs_then rfs_directory_call(struct rfs_run *run, struct rfs_thread *thread);
void rfs_directories_release(struct rfs_run *run);

#endif
