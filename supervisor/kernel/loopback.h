/*
 * loopback.h - makes sure that what the target's threads send over the loopback device has arrived before a choice.
 *
 * A packet to this machine's own addresses is queued for the core that sent it, and a softirq takes it from there. This
 * mostly happens before the sender's call returns, but on a busy core only once ksoftirqd gets its turn. Whether a
 * connection is ready, or a thread returns from connect(), would then depend on the clock.
 *
 * The queue is first in, first out. So we send a packet of our own from the same core and wait for it: everything sent
 * earlier has been taken by then. What that caused (an answer to a SYN, an acknowledgement) may be behind our packet.
 * Therefore we repeat this until the device counts no other packet.
 */
#ifndef RFS_LOOPBACK_H
#define RFS_LOOPBACK_H

#include <stdbool.h>

struct rfs_run;

/*
 * The target is about to send on fd (our duplicate; -1: none). True if it is a socket whose packets may use the device;
 * we watch the device from now on.
 */
bool rfs_loopback_sends(struct rfs_run *run, int fd);
/* Whether something was sent that way, and we can use the device. */
bool rfs_loopback_in_use(const struct rfs_run *run);
/*
 * True if packets were under way since the last call. They have arrived, but what they caused may not have, and threads
 * that they woke may still be running. False if none were, or if other programs use the device all the time.
 */
bool rfs_loopback_arrive(struct rfs_run *run);
/* Closes our socket and frees the state. */
void rfs_loopback_release(struct rfs_run *run);

/* Whether the descriptor is a socket whose packets may use the device. */
bool rfs_loopback_carries(int fd);
/*
 * Makes the kernel send now what was written to a TCP socket. Nagle's algorithm (RFC 896) would delay a small segment
 * until the one before is acknowledged. That depends on the clock, because acknowledgements are delayed for up to 40
 * ms. An application that asked for delay (TCP_CORK) gets it.
 */
void rfs_loopback_push(int fd);

#endif
