/*
 * channel.h - what threads of the target tell each other through the kernel: pipes, socket pairs, loopback connections,
 * eventfds, epoll instances and signals. All that a thread did before it wrote happens before what another does after
 * it read from the same.
 *
 * As in ThreadSanitizer (compiler-rt, tsan_fd.cpp) a channel is one message: who reads receives from all who wrote
 * before, also where their bytes are still unread. Which byte came from whom cannot be known once a child process,
 * splice(2) or a peek is at work, and an edge too many hides a race in one schedule only; an edge too few would report
 * one that is none.
 */
#ifndef RFS_CHANNEL_H
#define RFS_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

/* The number of what a write to this descriptor of ours goes into, or a read from it comes from; 0: nothing that a
 * thread could be at the other end of. */
uint64_t rfs_channel_of(int fd, bool write);

/* The number for all who open FIFOs: whose, is not known before both are there. */
uint64_t rfs_channel_of_opens(void);

/* The number of what the target knows by this descriptor, where the file itself has no name. */
uint64_t rfs_channel_by_number(int target_fd);

#endif
