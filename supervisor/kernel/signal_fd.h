/*
 * signal_fd.h - descriptors of signalfd(2).
 *
 * The kernel says of a signalfd whether a signal waits for the process that asks. A poll of our duplicate tells about
 * our own signals, and where an epoll holds one, such a poll even takes it off the list of those that are ready. So
 * whether one is readable is found out from the signals that are queued for the target's thread.
 */
#ifndef RFS_SIGNAL_FD_H
#define RFS_SIGNAL_FD_H

#include <stdbool.h>

struct rfs_run;
struct rfs_thread;

/* The thread would find one of these events at our duplicate fd, which may be a signalfd. */
bool rfs_fd_finds(const struct rfs_run *run, struct rfs_thread *thread, int fd, short events);
/* Our duplicate fd is an epoll that holds a signalfd for reading, and a signal that it takes waits for the thread. */
bool rfs_signal_fd_in_epoll(struct rfs_run *run, struct rfs_thread *thread, int fd);
/* The thread comes back from read(2) with this many bytes: in what a signalfd gave, the senders' ids are translated. */
void rfs_signal_fd_read(struct rfs_run *run, struct rfs_thread *thread, long bytes);

#endif
