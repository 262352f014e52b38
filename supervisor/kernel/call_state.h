/* call_state.h - what kernel/ stores about a thread and the system call that it is in. */
#ifndef RFS_CALL_STATE_H
#define RFS_CALL_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct rfs_syscall;

struct rfs_call_state {
	const struct rfs_syscall *row; /* the row of the call, from its entry on; NULL before the first call */
	int fd, fd_out; /* our duplicates of the descriptors that it waits for (fd_out: splice writes to it); -1: none
			 */
	uint64_t channel, channel_out; /* the channels that it reads from and writes to (channel.h); 0: unknown */
	bool inet;		       /* it writes to a socket whose packets may use the loopback device */
	bool retry;		       /* a poll that finds nothing is made again */
	bool from_outside;	       /* the result is recorded, or comes from the recorded input (input.c) */
	bool ready_now, ready_known;   /* whether the call would not wait: as seen last; as recorded last */
	bool held_back;		       /* waits for its recorded return, as if in the kernel */
	long stands_in;		       /* the descriptor that a recorded call must return; -1: any */
	unsigned long affinity;	       /* of the thread: the cores that it asked for; 0: it did not ask */
};

#endif
