/* input_fd.h - which descriptors connect the target with something outside it. */
#ifndef RFS_INPUT_FD_H
#define RFS_INPUT_FD_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

struct rfs_run;

/* Whether our descriptor is a FIFO that has a name. */
bool rfs_fd_is_fifo(int fd);
/*
 * Whether our descriptor is a device whose data is unpredictable. Terminals and /dev/null, zero, full, random and
 * urandom do not count.
 */
bool rfs_fd_is_device(int fd);
/* Whether our descriptor is a socket, a FIFO that has a name, a terminal, or another device. */
bool rfs_fd_is_outside(int fd);
/*
 * The process that made the other end of our local socket (unix(7)): that of socketpair(2), the one that connected, or
 * the one that listened. The process may have ended. 0: not a local socket, or not connected.
 */
pid_t rfs_fd_local_peer(int fd);
/*
 * fd is our duplicate of the target's end of a connection. True if the other end of the connection does not belong to
 * the target.
 */
bool rfs_fd_peer_is_outside(struct rfs_run *run, int fd);
/*
 * Called after a call received data from our fd. True if the data was a datagram, and rfsup does not know that the
 * target sent it. from: the sender's address; its family is 0 if the sender is unknown.
 */
bool rfs_fd_datagram_is_outside(struct rfs_run *run, int fd, const struct sockaddr_storage *from);

#endif
