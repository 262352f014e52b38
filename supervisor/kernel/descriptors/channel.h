/*
 * channel.h - channels: how threads of the target send messages to each other through the kernel.
 *
 * Channels are pipes, socket pairs, loopback connections, eventfds, epoll instances and signals. What a thread did
 * before a write happens before what another thread does after it has read.
 *
 * As in ThreadSanitizer (compiler-rt, tsan_fd.cpp), a channel is one message: a reader receives from all earlier
 * writers, even from those whose bytes are still unread. Child processes, splice(2) and MSG_PEEK make it impossible to
 * know which byte came from which thread. An extra happens-before edge hides a race in one schedule only. A missing
 * edge would report a false race.
 */
#ifndef RFS_CHANNEL_H
#define RFS_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The channel that a write to fd goes to, or that a read from fd comes from. fd is our duplicate of a descriptor of the
 * target. 0: fd is not the end of a channel.
 */
uint64_t rfs_channel_of(int fd, bool write);

/*
 * The one channel of all opens of FIFOs. rfsup cannot find out which opens belong to the same FIFO before both ends are
 * open. So each open counts as related to all others.
 */
uint64_t rfs_channel_of_opens(void);

/*
 * The channel of an epoll instance. It depends on the number of the target's descriptor, because fstat() shows nothing
 * that is unique for an epoll instance.
 */
uint64_t rfs_channel_by_number(int target_fd);

#endif
