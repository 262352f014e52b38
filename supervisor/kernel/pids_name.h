/* pids_name.h - file names that contain process or thread ids. */
#ifndef RFS_PIDS_NAME_H
#define RFS_PIDS_NAME_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"

struct rfs_task;
struct rfs_run;

/* Reads a string of the target. False: it is too long, or no string. */
bool rfs_name_read(struct rfs_task *task, rfs_addr address, char name[PATH_MAX]);
/* Whether our descriptor is in /proc. */
bool rfs_fd_is_proc(int fd);
/*
 * True if a name, looked up from this folder of the task, contains ids that the target was shown. out then has the
 * kernel's ids.
 */
bool rfs_pids_name(const struct rfs_run *run, struct rfs_task *task, int folder, const char *name, char out[PATH_MAX]);
/* The same for a name in the target's memory. True if *address is another name now, valid until the call returns. */
bool rfs_pids_put_name(const struct rfs_run *run, struct rfs_task *task, int folder, rfs_addr *address);
/* Whether the name is one of the links in /proc that stand for the reader. */
bool rfs_pids_is_own_link(struct rfs_task *task, rfs_addr address);
/* Corrects what readlink returned for such a link: `got` bytes. Returns the new result. */
long rfs_pids_put_link(const struct rfs_run *run, struct rfs_task *task, rfs_addr to, size_t room, long got);

#endif
