/* input_fd.h - which descriptors lead out of the target. */
#ifndef RFS_INPUT_FD_H
#define RFS_INPUT_FD_H

#include <stdbool.h>
#include <sys/socket.h>

struct rfs_run;

/* A descriptor of ours: a FIFO that has a name. */
bool rfs_fd_is_fifo(int fd);
/* A descriptor of ours: a device that gives what nobody knows before; no terminal, and none of /dev/null, zero, full,
 * random and urandom. */
bool rfs_fd_is_device(int fd);
/* A descriptor of ours: a socket, a FIFO that has a name, a terminal, or another device. */
bool rfs_fd_is_outside(int fd);
/*
 * A connection was made, of which fd (ours) is the target's end: true where the target does not have the other end as
 * well.
 */
bool rfs_fd_peer_is_outside(struct rfs_run *run, int fd);
/* fd (ours) has received: true where that was a datagram that the target did not send itself, as far as can be told;
 * from: the sender, of family 0 where it is not known. */
bool rfs_fd_datagram_is_outside(struct rfs_run *run, int fd, const struct sockaddr_storage *from);

#endif
