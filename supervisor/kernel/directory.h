#ifndef RFS_DIRECTORY_H
#define RFS_DIRECTORY_H

#include <stdbool.h>

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;

/* directory.c. False: no directory, the kernel says what is wrong. */
enum rfs_then rfs_directory_call(struct rfs_run *run, struct rfs_thread *thread);
void rfs_directories_release(struct rfs_run *run);

#endif
