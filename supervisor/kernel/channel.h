/*
 * channel.h - channels: how threads of the target send messages to each other through the kernel.
 *
 * Channels are pipes, socket pairs, loopback connections, eventfds, epoll instances and signals. What a thread did
 * before a write happens before what another thread does after its read.
 *
 * As in ThreadSanitizer (compiler-rt, tsan_fd.cpp), a channel is one message: a reader receives from all earlier
 * writers, even if their bytes are still unread. Child processes, splice(2) and peeks make it impossible to know which
 * byte came from which thread. An extra edge hides a race in one schedule only. A missing edge would report a false
 * race.
 */
#ifndef RFS_CHANNEL_H
#define RFS_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The channel that a write to our descriptor goes to, or that a read comes from. 0: no thread can be at the other end.
 */
uint64_t rfs_channel_of(int fd, bool write);

/* One channel for all threads that open FIFOs, because the other end is not known before both are open. */
uint64_t rfs_channel_of_opens(void);

/* The channel of a descriptor of the target whose file has no other name. */
uint64_t rfs_channel_by_number(int target_fd);

#endif
