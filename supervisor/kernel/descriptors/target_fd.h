/* target_fd.h - our duplicates of the target's descriptors. */
#ifndef RFS_TARGET_FD_H
#define RFS_TARGET_FD_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct rfs_run;

/*
 * Duplicates a descriptor of the process whose memory is read and written (rfs_family_turn()) into this process.
 * Returns -1 on error. The caller closes the duplicate.
 */
int rfs_fd_duplicate(struct rfs_run *run, int fd);
/* The same of another process. */
int rfs_fd_duplicate_from(pid_t pid, int fd);
/* The process that rfs_fd_duplicate() takes descriptors from. */
pid_t rfs_fd_owner(const struct rfs_run *run);
/* Like rfs_fd_duplicate(), but returns -1 if operations on the descriptor never wait, as on regular files. */
int rfs_fd_duplicate_waiting(struct rfs_run *run, int fd);
/* Closes the pidfds that rfs_fd_duplicate() has opened. */
void rfs_target_fd_release(struct rfs_run *run);
/* Whether our descriptor has no file behind it, and is of this kind: "eventfd", "signalfd", "timerfd". */
bool rfs_fd_is_anonymous(int fd, const char *kind);
/* What the kernel tells of our descriptor (proc(5), fdinfo). The caller closes it. NULL: it cannot be opened. */
FILE *rfs_fd_info(int fd);
/* Whether a poll of our descriptor finds one of these events, or an error. */
bool rfs_fd_polls(int fd, short events);
bool rfs_fd_readable(int fd);

#endif
