/* process.h - what /proc says of a process. */
#ifndef RFS_PROCESS_H
#define RFS_PROCESS_H

#include <sys/types.h>

/* The parent of the process; 0 if the process is gone. */
pid_t rfs_process_parent(pid_t pid);

#endif
