/*
 * The raw futex system call (futex(2)), for targets whose waits must not go through the C library.
 */
#ifndef TARGETS_FUTEX_H
#define TARGETS_FUTEX_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Sleeps if *word is `value`. Returns 0 after a wake, or -1 with errno EAGAIN or EINTR. */
static inline long futex_wait(_Atomic int *word, int value)
{
	return syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

/* Wakes up to `count` sleepers. Returns how many were woken. */
static inline long futex_wake(_Atomic int *word, int count)
{
	return syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

#endif
