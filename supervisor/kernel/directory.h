/* directory.h - lists the contents of a directory in the order of names. */
#ifndef RFS_DIRECTORY_H
#define RFS_DIRECTORY_H

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;

/* At the entry of getdents64. RFS_THEN_UNDECIDED: it is not a directory, so the kernel returns the error. */
enum rfs_then rfs_directory_call(struct rfs_run *run, struct rfs_thread *thread);
/* Frees the lists of all directories. */
void rfs_directories_release(struct rfs_run *run);

#endif
