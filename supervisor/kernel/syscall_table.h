/*
 * syscall_table.h - what rfsup knows of each system call: one row for each call, in syscall_table.def.
 *
 * The seccomp filter, the handlers, recorded input, the translation of ids and ports, the messages between threads and
 * the fork server's check all read this table. A new call needs a new row and, if no handler fits, a handler.
 */
#ifndef RFS_SYSCALL_TABLE_H
#define RFS_SYSCALL_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/state/thread.h"

/* What the seccomp filter does with the call. */
enum rfs_syscall_kind {
	RFS_SYSCALL_UNLISTED,
	RFS_SYSCALL_TRACED,
	RFS_SYSCALL_MAPPING,   /* traced for some arguments: special_maps of struct rfs_launch */
	RFS_SYSCALL_EVENT,     /* not traced: ptrace reports an event (clone) */
	RFS_SYSCALL_SERVER,    /* traced in programs that the fork server copies, where it is only noted */
	RFS_SYSCALL_UNKNOWN,   /* not traced: the filter answers ENOSYS */
	RFS_SYSCALL_FORBIDDEN, /* not traced: the filter answers EPERM */
};

/* What a call may wait for. */
enum rfs_syscall_waits {
	RFS_WAITS_NOT,
	RFS_WAITS_READ,	  /* until argument 0 can be read */
	RFS_WAITS_WRITE,  /* until argument 0 can be written, and inside the kernel if more is written than fits */
	RFS_WAITS_MOVE,	  /* until .from can be read and .to can be written */
	RFS_WAITS_POLL,	  /* until one of several descriptors is ready: struct pollfd, fd_set, epoll */
	RFS_WAITS_SELECT, /* the same */
	RFS_WAITS_EPOLL,  /* the same */
	RFS_WAITS_KERNEL, /* for what no poll can describe: a child, a file lock, a message */
	RFS_WAITS_LOCK,	  /* the same, for some commands (fcntl) */
	RFS_WAITS_OPEN,	  /* the same, if the file is a FIFO */
	RFS_WAITS_SIGNAL, /* for a signal, until a virtual time */
	RFS_WAITS_TIME,	  /* for a virtual time */
	RFS_WAITS_FUTEX,
};

/* Where the target's memory has the data: at argument 1, with a count in argument 2. */
enum rfs_syscall_data {
	RFS_DATA_NONE,
	RFS_DATA_BYTES,	   /* argument 2 bytes */
	RFS_DATA_VECTOR,   /* argument 2 struct iovec */
	RFS_DATA_MESSAGE,  /* a struct msghdr */
	RFS_DATA_MESSAGES, /* argument 2 struct mmsghdr */
};

/* How a call gets its timeout. */
enum rfs_syscall_timeout {
	RFS_TIMEOUT_MILLISECONDS, /* an int; negative: without limit */
	RFS_TIMEOUT_TIMESPEC,	  /* a pointer; NULL: without limit */
	RFS_TIMEOUT_TIMEVAL,
};

/* Process and thread ids, which the target does not see as the kernel does (pids.c). */
enum rfs_syscall_ids {
	RFS_ID_ARG0 = 1 << 0, /* the argument is an id */
	RFS_ID_ARG1 = 1 << 1,
	RFS_ID_RESULT = 1 << 2,
	RFS_ID_SIGINFO = 1 << 3, /* waitid: argument 2; argument 1 is an id if argument 0 says so */
	RFS_ID_NAME0 = 1 << 4,	 /* the argument is a file name, which may contain an id (pids_name.c) */
	RFS_ID_NAME1 = 1 << 5,	 /* the same, looked up from the folder that argument 0 is */
	RFS_ID_LINK = 1 << 6,	 /* the buffer after the name receives the contents of a link */
	RFS_ID_PROCESS = 1 << 7, /* the call only asks for this id, and rfsup answers it */
	RFS_ID_THREAD = 1 << 8,
	RFS_ID_PARENT = 1 << 9,
	RFS_ID_NAMES = RFS_ID_NAME0 | RFS_ID_NAME1,
	RFS_ID_ANSWERED = RFS_ID_PROCESS | RFS_ID_THREAD | RFS_ID_PARENT,
};

/* Ports that the kernel picks, which the target does not see as the kernel does (ports.c). */
enum rfs_syscall_ports {
	RFS_PORT_PICKED = 1 << 0, /* the kernel may pick a port for the socket, argument 0 */
	RFS_PORT_NAMED = 1 << 1,  /* unless the given address names a port */
	RFS_PORT_TOLD = 1 << 2,	  /* the call returns an address, in .counted or in messages */
};

enum rfs_syscall_flags {
	RFS_CALL_ACCEPTS = 1 << 0,	/* makes a descriptor for a connection that a client asked for */
	RFS_CALL_IS_REPEATED = 1 << 1,	/* a poll that finds nothing is made again */
	RFS_CALL_MEETS = 1 << 2,	/* threads that open both ends of a FIFO wait for each other there */
	RFS_CALL_MASK_IN_PAIR = 1 << 3, /* .mask is a pointer to a pointer and a size (pselect6) */
};

/* What rfsup knows of one call. */
struct rfs_syscall {
	enum rfs_syscall_kind kind;
	/* Called at the entry. If it is NULL or returns RFS_THEN_UNDECIDED, the call runs with ids and ports
	 * translated. */
	enum rfs_then (*enter)(struct rfs_run *run, struct rfs_thread *thread);
	/* Called at the exit, if the call stops there. result: as the target sees it. */
	void (*returned)(struct rfs_run *run, struct rfs_thread *thread, long result);
	enum rfs_syscall_waits waits;
	enum rfs_syscall_data data;
	enum rfs_syscall_timeout timeout_as;
	unsigned ids;	/* enum rfs_syscall_ids */
	unsigned ports; /* enum rfs_syscall_ports */
	unsigned flags; /* enum rfs_syscall_flags */
	/* Numbers of arguments; 0: none, or argument 0 for .from and .to. */
	unsigned char from, to; /* the descriptors that data is moved between */
	unsigned char how;	/* flags: MSG_*, SPLICE_F_*, O_* */
	unsigned char address;	/* a socket address that the target passes */
	unsigned char counted;	/* a buffer that the call fills; the next argument points to its size */
	unsigned char timeout;	/* see .timeout_as */
	unsigned char mask;	/* the signals that are blocked during the call only */
	/* What a copy of the program would not have if this is done before main. NULL: nothing. */
	const char *not_copied;
	bool (*not_copied_if)(const unsigned long *args); /* NULL: always, whatever the arguments */
};

/* The row of a call. Static; never NULL, because a call without a row gets one of zeros. */
const struct rfs_syscall *rfs_syscall_row(long number);

/* Numbers in the order of the filter. Each list ends with -1. The server's list contains all that are traced. */
extern const int rfs_syscalls_traced[], rfs_syscalls_server[], rfs_syscalls_enosys[], rfs_syscalls_eperm[];

#endif
