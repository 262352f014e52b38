/*
 * signal_mask.h - to a detector, a signal that a thread blocks is a lock that the thread holds.
 *
 * The handler of the signal holds the lock while it runs on the thread. So what the thread does while it blocks the
 * signal does not race with the handler. The addresses of these locks are outside of the target's memory, and outside
 * of those of kernel objects (kernel_objects.h).
 */
#ifndef RFS_SIGNAL_MASK_H
#define RFS_SIGNAL_MASK_H

#include <stdbool.h>

#include "disasm/addr.h"

#define RFS_SIGNAL_MASKS UINT64_C(0xfffe000000000000)

static inline rfs_addr rfs_signal_mask_lock(int thread, int signo)
{
	return RFS_SIGNAL_MASKS + ((uint64_t)thread << 10) + (uint64_t)signo * 8;
}

static inline bool rfs_is_signal_mask(rfs_addr lock)
{
	return lock >= RFS_SIGNAL_MASKS;
}

#endif
