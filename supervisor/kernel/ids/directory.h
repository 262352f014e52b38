/* directory.h - lists the contents of a directory in the order of names. */
#ifndef RFS_DIRECTORY_H
#define RFS_DIRECTORY_H

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;

/*
 * Enter handler of getdents64. Returns RFS_THEN_UNDECIDED if the descriptor is not a directory; the kernel then returns
 * the error.
 */
enum rfs_then rfs_directory_call(struct rfs_run *run, struct rfs_thread *thread);
/* Frees the lists of all directories. */
void rfs_directories_release(struct rfs_run *run);

#endif
