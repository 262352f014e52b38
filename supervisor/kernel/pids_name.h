#ifndef RFS_PIDS_NAME_H
#define RFS_PIDS_NAME_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"

struct rfs_task;
struct rfs_run;

/* pids_name.c: names of files in which ids stand */
/* A string of the target's. False: too long, or no string. */
bool rfs_name_read(struct rfs_task *task, rfs_addr address, char name[PATH_MAX]);
bool rfs_fd_is_proc(int fd);
/* True where a name, looked up from this folder of the task's, holds ids that the target was shown: out has the
 * kernel's. */
bool rfs_pids_name(const struct rfs_run *run, struct rfs_task *task, int folder, const char *name, char out[PATH_MAX]);
/* The same for a name in the target: true where *address is another one now, until the task goes on from its call. */
bool rfs_pids_put_name(const struct rfs_run *run, struct rfs_task *task, int folder, rfs_addr *address);
/* The name is one of the links in /proc that say who asks. */
bool rfs_pids_is_own_link(struct rfs_task *task, rfs_addr address);
/* What readlink said of such a link, `got` bytes of it. Returns its new result. */
long rfs_pids_put_link(const struct rfs_run *run, struct rfs_task *task, rfs_addr to, size_t room, long got);

#endif
