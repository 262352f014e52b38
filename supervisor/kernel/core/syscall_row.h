/* syscall_row.h - what a row of the table of system calls says (syscall_table.h). */
#ifndef RFS_SYSCALL_ROW_H
#define RFS_SYSCALL_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/state/core/thread.h"

/* What the seccomp filter does with the call. */
enum rfs_syscall_kind {
	RFS_SYSCALL_UNLISTED,
	RFS_SYSCALL_TRACED,
	RFS_SYSCALL_MAPPING,  /* traced for some arguments only (special_maps of struct rfs_launch) */
	RFS_SYSCALL_EVENT,    /* not traced: ptrace reports an event (clone, fork) */
	RFS_SYSCALL_FOLLOWED, /* traced only in runs that follow descriptors (fd_calls.h) */
	RFS_SYSCALL_SERVER,   /* traced in the processes of a fork server, which checks it before main (server/) */
	RFS_SYSCALL_UNKNOWN,  /* not traced: the filter makes the call fail with ENOSYS */
};

/* What a call may wait for. */
enum rfs_syscall_waits {
	RFS_WAITS_NOT,
	RFS_WAITS_READ,	  /* until argument 0 can be read */
	RFS_WAITS_WRITE,  /* until argument 0 can be written; a long write may then also wait inside the kernel */
	RFS_WAITS_MOVE,	  /* until descriptor .from can be read and descriptor .to can be written */
	RFS_WAITS_POLL,	  /* until one of the descriptors in an array of struct pollfd is ready */
	RFS_WAITS_SELECT, /* until one of the descriptors in several sets is ready */
	RFS_WAITS_EPOLL,  /* until an epoll instance has an event */
	RFS_WAITS_KERNEL, /* for what poll(2) cannot report: a child, a file lock, a message */
	RFS_WAITS_LOCK,	  /* for a file lock, with some commands of fcntl(2) */
	RFS_WAITS_OPEN,	  /* for the other end, if the file is a FIFO */
	RFS_WAITS_SIGNAL, /* for a signal, with a timeout in virtual time */
	RFS_WAITS_TIME,	  /* until a virtual time */
	RFS_WAITS_FUTEX,
};

/* In which form arguments 1 and 2 give the data of a call. */
enum rfs_syscall_data {
	RFS_DATA_NONE,
	RFS_DATA_BYTES,	   /* a buffer, and its size in bytes */
	RFS_DATA_VECTOR,   /* an array of struct iovec, and its length */
	RFS_DATA_MESSAGE,  /* a struct msghdr, and flags */
	RFS_DATA_MESSAGES, /* an array of struct mmsghdr, and its length */
};

/* In which form a call gets its timeout. */
enum rfs_syscall_timeout {
	RFS_TIMEOUT_MILLISECONDS, /* an int; negative: without limit */
	RFS_TIMEOUT_TIMESPEC,	  /* a pointer; NULL: without limit */
	RFS_TIMEOUT_TIMEVAL,
};

/* Where a call has process or thread ids. The ids that the target sees are not the kernel's (pids.c). */
enum rfs_syscall_ids {
	RFS_ID_ARG0 = 1 << 0, /* argument 0 is an id */
	RFS_ID_ARG1 = 1 << 1,
	RFS_ID_RESULT = 1 << 2,
	RFS_ID_SIGINFO =
		1 << 3,	       /* waitid: argument 0 says whether argument 1 is an id; argument 2 points to a siginfo */
	RFS_ID_NAME0 = 1 << 4, /* argument 0 is a file name that may contain an id (pids_name.c) */
	RFS_ID_NAME1 = 1 << 5, /* argument 1 is a file name; argument 0 is the folder's descriptor */
	RFS_ID_LINK = 1 << 6,  /* readlink: the call fills the buffer after the name with the target of a link */
	RFS_ID_PROCESS = 1 << 7, /* the call only asks for the process id; rfsup answers the call */
	RFS_ID_THREAD = 1 << 8,
	RFS_ID_PARENT = 1 << 9,
	RFS_ID_DATA = 1 << 10,	/* ids are in memory, or a command says where; pids_data.c knows this call */
	RFS_ID_OPENS = 1 << 11, /* the name may be a file of /proc whose text contains ids (proc_text.c) */
	RFS_ID_NAMES = RFS_ID_NAME0 | RFS_ID_NAME1,
	RFS_ID_ANSWERED = RFS_ID_PROCESS | RFS_ID_THREAD | RFS_ID_PARENT,
};

/* Where a call has ports. If the kernel picked a port, the target sees another number for it (ports.c). */
enum rfs_syscall_ports {
	RFS_PORT_PICKED = 1 << 0, /* the kernel may pick a port for the socket in argument 0 */
	RFS_PORT_NAMED = 1 << 1,  /* the kernel picks no port if the address in the arguments has one */
	RFS_PORT_TOLD =
		1 << 2, /* the call returns a socket address: in the buffer of argument .counted, or in messages */
};

/* Which arguments are descriptors. A negative one is none. Those of RFS_WAITS_POLL and _SELECT are in memory. */
enum rfs_syscall_fds {
	RFS_FD_ARG0 = 1 << 0, /* the call uses argument 0 */
	RFS_FD_ARG1 = 1 << 1,
	RFS_FD_ARG2 = 1 << 2,
	RFS_FD_CLOSES0 = 1 << 3, /* the call closes argument 0 */
	RFS_FD_CLOSES1 = 1 << 4,
	RFS_FD_CLOSES_RANGE = 1 << 5, /* it closes all from argument 0 to argument 1; argument 2: flags */
};

enum rfs_syscall_flags {
	RFS_CALL_ACCEPTS = 1 << 0,	/* returns a descriptor for a connection that a client requested */
	RFS_CALL_IS_REPEATED = 1 << 1,	/* a poll that finds nothing before its timeout is repeated */
	RFS_CALL_MEETS = 1 << 2,	/* threads that open the two ends of a FIFO wait for each other in this call */
	RFS_CALL_MASK_IN_PAIR = 1 << 3, /* .mask is a pointer to a pointer and a size (pselect6) */
	RFS_CALL_TIME_LEFT = 1 << 4,	/* the call stores in its timeout how much is left */
};

/* What rfsup knows of one call. */
struct rfs_syscall {
	enum rfs_syscall_kind kind;
	/*
	 * Called at the entry. If enter is NULL or returns RFS_THEN_UNDECIDED, the kernel executes the call, with ids
	 * and ports translated.
	 */
	enum rfs_then (*enter)(struct rfs_run *run, struct rfs_thread *thread);
	/* Called at the exit if the call stops there. result: the value that the target will see. */
	void (*returned)(struct rfs_run *run, struct rfs_thread *thread, long result);
	enum rfs_syscall_waits waits;
	enum rfs_syscall_data data;
	enum rfs_syscall_timeout timeout_as;
	unsigned ids;	/* enum rfs_syscall_ids */
	unsigned ports; /* enum rfs_syscall_ports */
	unsigned flags; /* enum rfs_syscall_flags */
	unsigned fds;	/* enum rfs_syscall_fds */
	/*
	 * Each of the next members is the number of an argument. 0: the call has no such argument. Exception: .from and
	 * .to may be argument 0.
	 */
	unsigned char from, to; /* the descriptors that data is moved between */
	unsigned char how;	/* the flags: MSG_*, SPLICE_F_* or O_* */
	unsigned char address;	/* a socket address that the target passes */
	unsigned char counted;	/* a buffer that the call fills; the next argument points to its size */
	unsigned char timeout;	/* the timeout, in the form that .timeout_as says */
	unsigned char mask;	/* the signal mask that replaces the thread's mask during the call */
	/* For the fork server: what a copy would lack if the program makes this call before main. NULL: nothing. */
	const char *not_copied;
	bool (*not_copied_if)(const unsigned long *args); /* NULL: not_copied holds for all arguments */
};

#endif
