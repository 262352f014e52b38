#ifndef RFS_MODEL_FUTEX_H
#define RFS_MODEL_FUTEX_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "policy/policy.h"

struct rfs_model_memory;
struct rfs_sync;
struct rfs_sync_thread;

/* Results are those of the system call: 0 or a count, or -errno. args: those of the call (futex(2)). */

/* 0: the thread sleeps now. -EAGAIN: the word has another value than expected. -EFAULT. */
long rfs_futex_sleep(struct rfs_sync *sync, struct rfs_sync_thread *thread, const struct rfs_model_memory *memory,
		     rfs_addr word, unsigned expected, unsigned bits);
/* Wakes up to n sleepers on a word whose bits match; returns how many. chosen: who first, -1: the longest asleep. */
long rfs_futex_wake(struct rfs_sync *sync, rfs_addr word, long n, unsigned bits, int chosen);
/* FUTEX_WAKE, _WAKE_BITSET, _WAKE_OP, _REQUEUE and _CMP_REQUEUE. */
long rfs_futex_wake_call(struct rfs_sync *sync, const struct rfs_model_memory *memory, const unsigned long args[6],
			 int chosen);

/* Nobody holds the priority-inheriting lock, or it cannot be read. */
bool rfs_futex_pi_is_free(const struct rfs_model_memory *memory, rfs_addr word);
/* Takes one that is free, as the kernel would: the owner's tid goes into the word. */
long rfs_futex_take_pi(const struct rfs_sync *sync, const struct rfs_sync_thread *thread,
		       const struct rfs_model_memory *memory, rfs_addr word);
/* FUTEX_LOCK_PI; attempt: FUTEX_TRYLOCK_PI. *waits: the thread has to wait, and the result is 0. */
long rfs_futex_lock_pi(const struct rfs_sync *sync, const struct rfs_sync_thread *thread,
		       const struct rfs_model_memory *memory, rfs_addr word, bool attempt, bool *waits);
long rfs_futex_unlock_pi(const struct rfs_sync_thread *thread, const struct rfs_model_memory *memory, rfs_addr word);

/* The words on a robust list that begins at head (get_robust_list(2)), at most max; returns how many. */
size_t rfs_futex_robust_words(const struct rfs_model_memory *memory, rfs_addr head, rfs_addr *out, size_t max);
/* A thread of this tid ends: a word that names it belongs to nobody and says OWNER_DIED. */
void rfs_futex_mark_dead(const struct rfs_model_memory *memory, pid_t tid, rfs_addr word);

#endif
