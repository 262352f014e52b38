/*
 * signal_fd.h - descriptors of signalfd(2): whether a read from one would return at once.
 *
 * A poll of a signalfd looks at the signals of the process that polls. A poll of our duplicate would therefore report
 * rfsup's own signals. If an epoll instance contains a signalfd, a poll of the epoll instance by rfsup even removes the
 * signalfd from the ready list. So rfsup compares the signals that are pending for the target's thread with the mask of
 * the signalfd.
 */
#ifndef RFS_SIGNAL_FD_H
#define RFS_SIGNAL_FD_H

#include <stdbool.h>

struct rfs_run;
struct rfs_thread;

/* Whether a poll by the thread would find one of these events. fd: our duplicate, which may be a signalfd. */
bool rfs_fd_finds(const struct rfs_run *run, struct rfs_thread *thread, int fd, short events);
/*
 * Whether our duplicate fd is an epoll instance that waits for input from a signalfd, and a signal that the signalfd
 * accepts is pending for the thread.
 */
bool rfs_signal_fd_in_epoll(struct rfs_run *run, struct rfs_thread *thread, int fd);
/*
 * Called when the thread returns from read(2) with this many bytes. If the bytes came from a signalfd, translates the
 * senders' ids in them.
 */
void rfs_signal_fd_read(struct rfs_run *run, struct rfs_thread *thread, long bytes);

#endif
