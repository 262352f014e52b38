/*
 * signal_fd.h - descriptors of signalfd(2): whether one is readable for a thread.
 *
 * The kernel says whether a signal is pending for the process that asks. A poll of our duplicate would therefore report
 * our own signals. If an epoll contains a signalfd, such a poll even removes it from the ready list. So we look at the
 * signals that are pending for the target's thread.
 */
#ifndef RFS_SIGNAL_FD_H
#define RFS_SIGNAL_FD_H

#include <stdbool.h>

struct rfs_run;
struct rfs_thread;

/* Whether the thread would find one of these events at our duplicate fd, which may be a signalfd. */
bool rfs_fd_finds(const struct rfs_run *run, struct rfs_thread *thread, int fd, short events);
/*
 * Whether our duplicate fd is an epoll that contains a signalfd for reading, and a signal that it accepts is pending
 * for the thread.
 */
bool rfs_signal_fd_in_epoll(struct rfs_run *run, struct rfs_thread *thread, int fd);
/* The thread returns from read(2) with this many bytes. If they came from a signalfd, translates the senders' ids. */
void rfs_signal_fd_read(struct rfs_run *run, struct rfs_thread *thread, long bytes);

#endif
