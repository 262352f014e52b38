/* input_fd.h - which descriptors lead out of the target. */
#ifndef RFS_INPUT_FD_H
#define RFS_INPUT_FD_H

#include <stdbool.h>

struct rfs_run;

/* A descriptor of ours: a FIFO that has a name. */
bool rfs_fd_is_fifo(int fd);
/* A descriptor of ours: a socket, a FIFO that has a name, or a terminal. */
bool rfs_fd_is_outside(int fd);
/*
 * A connection was made, of which fd (ours) is the target's end: true where the target does not have the other end as
 * well.
 */
bool rfs_fd_peer_is_outside(struct rfs_run *run, int fd);

#endif
