/*
 * sleeping_forever.h - notices that processes will never end: all their threads sleep forever in futexes, or wait for
 * pipes, sockets and eventfds that only these processes have open.
 *
 * Each thread of each process below the caller waits in futex(2) without a timeout, in wait4(2) or waitid(2) for such a
 * process, or to read, write, poll, select or epoll a pipe, FIFO or eventfd that no other process has open, or a socket
 * that such a process made and connected (socketpair(2), unix(7), tcp(7) within this machine); not all of them for
 * processes. No process has a POSIX timer, catches the signal of an interval timer, or shares writable memory with
 * others, so nobody outside will wake a thread. What is not seen: a process outside may open a FIFO later, or may have
 * been sent the other end of a socket. Source: proc(5).
 */
#ifndef RFS_SLEEPING_FOREVER_H
#define RFS_SLEEPING_FOREVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Zeroed: not looked yet. */
struct rfs_asleep {
	uint64_t seen;	/* a hash of what each thread waits for and how often it ran */
	unsigned looks; /* how many looks in a row saw the same */
};

/*
 * How far apart the looks at a program should be, and how many must see the same: together two seconds, in which a busy
 * machine lets every runnable thread run.
 */
#define RFS_SLEEPING_FOREVER_SECONDS 0.5
#define RFS_SLEEPING_FOREVER_LOOKS 5
/*
 * True if this look and enough looks before it found only threads that sleep forever, with no CPU time between them.
 * known (0: none): a process whose threads wait for others, as the caller knows. Then only the processes below it are
 * looked at.
 */
bool rfs_sleeping_forever(struct rfs_asleep *asleep, unsigned looks, pid_t known);

#endif
