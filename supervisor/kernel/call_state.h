/* call_state.h - what the kernel's room keeps about a thread and the system call that it is in. */
#ifndef RFS_CALL_STATE_H
#define RFS_CALL_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct rfs_syscall;

struct rfs_call_state {
	const struct rfs_syscall *row; /* of the call, from its entry on; NULL before the first */
	int fd, fd_out; /* our duplicates of the descriptors that it waits for (fd_out: splice writes to it), -1 */
	uint64_t channel, channel_out; /* what it reads from, and writes to (channel.h); 0: not known */
	bool inet;		       /* it writes to a socket whose packets may go over the loopback device */
	bool retry;		       /* a poll that comes back empty is made again */
	bool from_outside;	       /* the result is recorded, or comes from the record (input.c) */
	bool ready_now, ready_known;   /* … it would not wait: as last seen, as last recorded */
	bool held_back;		       /* … it waits for its recorded return, as if in the kernel */
	long stands_in;		       /* … the descriptor that it must get now; -1: any */
	unsigned long affinity;	       /* of the thread: the cores that it asked for, 0: it did not */
};

#endif
