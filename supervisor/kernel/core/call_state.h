/* call_state.h - what kernel/ stores about a thread and the system call that it is in. */
#ifndef RFS_CALL_STATE_H
#define RFS_CALL_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct rfs_syscall;
struct rfs_thread;

/* Of a wait at an epoll instance: the signals that signalfds in it accept (signal_fd.c). */
struct rfs_awaited_signals {
	bool known;	    /* mask is valid */
	unsigned long mask; /* bit signo - 1 */
	uint64_t quiet;	    /* `quiet` of struct rfs_kernel, when `found` was computed */
	bool found;	    /* one of them was queued */
};

struct rfs_call_state {
	const struct rfs_syscall *row; /* the call's row in the table, set at its entry; NULL: no call yet */
	int fd, fd_out; /* our duplicates of the call's descriptors; fd_out: where splice(2) writes; -1: none */
	uint64_t channel, channel_out; /* the channels that the call reads from and writes to (channel.h); 0: unknown */
	struct rfs_awaited_signals awaited;
	bool in_family; /* the call may tell other processes something, or hear it (kernel_hb.c) */
	bool inet;	/* the call writes to a socket whose packets may use the loopback device */
	bool retry;	/* a poll that found nothing is being repeated; if a signal interrupts it, it is not restarted
			   (rfs_go_interrupt()) */
	bool from_outside;	     /* the result is recorded, or comes from the recorded input (input.c) */
	bool ready_now, ready_known; /* whether the call would return at once. ready_now: as last seen; ready_known: as
					last recorded */
	bool held_back; /* in a replay: the thread waits for its recorded return and does not make the call */
	long stands_in; /* replay of accept: the number that the substitute socket must get; -1: no substitute */
	unsigned long shortened; /* the size in the program's call, if a fault has made it smaller; otherwise 0 */
	uint64_t due;		 /* of a poll: virtual time at which it times out; RFS_NEVER: it does not */
	unsigned in_a_row;	 /* calls of the thread since its last visible operation */
	uint64_t operations;	 /* the thread's number of visible operations at the last of these calls */
	unsigned long affinity;	 /* the cores that the thread asked for, in sched_setaffinity(2); 0: it did not ask */
};

/* Closes our duplicates of the descriptors of the thread's call. */
void rfs_call_drop_fds(struct rfs_thread *thread);
/*
 * The call has returned, or its recorded result is used: the register with its size has the program's value again. A
 * fault may have changed it (call_faults.h).
 */
void rfs_call_restore_size(struct rfs_thread *thread);

#endif
