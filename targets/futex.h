/*
 * The futex system call, raw (futex(2)): what targets use that keep the C library out of their waits.
 */
#ifndef TARGETS_FUTEX_H
#define TARGETS_FUTEX_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Sleeps while *word is `value`. Returns 0 when woken, -1 with errno EAGAIN or EINTR. */
static inline long futex_wait(_Atomic int *word, int value)
{
	return syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

/* Wakes up to `count` sleepers; returns how many there were. */
static inline long futex_wake(_Atomic int *word, int count)
{
	return syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

#endif
