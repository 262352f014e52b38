/* pids_name.h - file names that contain process or thread ids. */
#ifndef RFS_PIDS_NAME_H
#define RFS_PIDS_NAME_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"

struct rfs_task;
struct rfs_run;

/* Reads a string of the target. False: the string is too long or cannot be read. */
bool rfs_name_read(struct rfs_task *task, rfs_addr address, char name[PATH_MAX]);
/*
 * Stores a name for the call that the task is about to make. *address is then the address of the name, which is valid
 * until the call returns.
 */
bool rfs_name_put(struct rfs_task *task, const char *name, rfs_addr *address);
/* Whether our descriptor is in /proc. */
bool rfs_fd_is_proc(int fd);
/*
 * True if the name contains ids that the target was shown. Then fills `out` with the name in which the kernel's ids
 * replace them. folder: the descriptor from which the task looks up the name, or AT_FDCWD.
 */
bool rfs_pids_name(const struct rfs_run *run, struct rfs_task *task, int folder, const char *name, char out[PATH_MAX]);
/*
 * Does what rfs_pids_name() does, for a name in the target's memory. If the function returns true, *address is the
 * address of the new name, which is valid until the call returns.
 */
bool rfs_pids_put_name(const struct rfs_run *run, struct rfs_task *task, int folder, rfs_addr *address);
/*
 * Whether the name at this address is /proc/self or /proc/thread-self. These are links to the folder of the task that
 * reads the link.
 */
bool rfs_pids_is_own_link(struct rfs_task *task, rfs_addr address);
/*
 * Corrects the ids in the text (`got` bytes) that readlink stored at `to` for /proc/self or /proc/thread-self. room:
 * the size of the buffer. Returns the new result.
 */
long rfs_pids_put_link(const struct rfs_run *run, struct rfs_task *task, rfs_addr to, size_t room, long got);

#endif
