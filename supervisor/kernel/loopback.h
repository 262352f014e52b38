/*
 * loopback.h - what the target's threads say to each other over the loopback device has arrived before a choice.
 *
 * A packet that is sent to this machine's own addresses is queued for the core that sent it and is taken from there in
 * a softirq: mostly before the sender's call returns, but on a busy core only once ksoftirqd gets its turn. Whether a
 * connection is ready, or a thread back from connect(), would then be a matter of the clock.
 *
 * The queue is first in, first out. So we send a packet of our own, from the same core, and wait for it: whatever was
 * sent before has been taken by then. What it caused (an answer to a SYN, an acknowledgement) may stand behind ours,
 * so this is done again until the device counts no other packet any more.
 */
#ifndef RFS_LOOPBACK_H
#define RFS_LOOPBACK_H

#include <stdbool.h>

struct rfs_run;

/* The target is about to send by fd (ours; -1: by none): true if that is a socket whose packets may go over the device,
 * which we watch from now on. */
bool rfs_loopback_sends(struct rfs_run *run, int fd);
/* Something was sent that way, and we can use the device. */
bool rfs_loopback_in_use(const struct rfs_run *run);
/*
 * True if packets were under way since the last call: they have arrived, what they caused may not have, and whom they
 * woke is not at rest. False: nothing was, or others use the device all the time and nobody can tell.
 */
bool rfs_loopback_arrive(struct rfs_run *run);
void rfs_loopback_release(struct rfs_run *run);

/* The descriptor is a socket whose packets may go over the device. */
bool rfs_loopback_carries(int fd);
/*
 * What was written to a TCP socket is sent now. Nagle's algorithm (RFC 896) would keep a small segment back until the
 * one before is acknowledged, and that is a matter of the clock (delayed for up to 40 ms). An application that asked
 * for delay (TCP_CORK) gets it.
 */
void rfs_loopback_push(int fd);

#endif
