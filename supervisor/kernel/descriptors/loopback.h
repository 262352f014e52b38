/*
 * loopback.h - makes sure that packets that the target's threads send over the loopback device arrive before the next
 * choice.
 *
 * A packet to this machine's own addresses is put into a queue of the core that sends it, and a softirq takes it from
 * the queue. The softirq usually runs before the sender's call returns. On a busy core it runs later, in ksoftirqd.
 * Without this file, real time would then decide whether a connection is ready, or whether a thread returns from
 * connect().
 *
 * The queue is first in, first out. So rfsup sends its own packet from the same core and waits for it: everything that
 * was sent earlier has then arrived. But replies to these packets may be in the queue behind our packet. So rfsup sends
 * further packets until the device has counted no packets but ours.
 */
#ifndef RFS_LOOPBACK_H
#define RFS_LOOPBACK_H

#include <stdbool.h>

struct rfs_run;

/*
 * Called before the target sends on fd (our duplicate; -1: none). True if fd is a socket whose packets may use the
 * device. The first time, it opens rfsup's own socket and begins to watch the device.
 */
bool rfs_loopback_sends(struct rfs_run *run, int fd);
/* Whether the target has used such a socket, and rfsup can watch the device. */
bool rfs_loopback_in_use(const struct rfs_run *run);
/*
 * True if packets other than our own were sent since the last call. These packets have arrived now. Replies to them may
 * not have arrived, and threads that they woke may still run. False if there were no such packets, or if other programs
 * use the device all the time.
 */
bool rfs_loopback_arrive(struct rfs_run *run);
/* Closes our socket and frees the state. */
void rfs_loopback_release(struct rfs_run *run);

/* Whether the descriptor is a socket whose packets may use the device. */
bool rfs_loopback_carries(int fd);
/*
 * Makes the kernel send now what was written to a TCP socket. Nagle's algorithm (RFC 896) would delay a small segment
 * until the previous one is acknowledged. The delay depends on the clock, because acknowledgements are delayed for up
 * to 40 ms. A socket with TCP_CORK is left alone, because the application asked for the delay.
 */
void rfs_loopback_push(int fd);

#endif
