/*
 * futex.h - sleeping and waking as futex(2) defines them.
 *
 * Results are those of the system call: 0, a count, or -errno. args are the arguments of the call (futex(2)).
 */
#ifndef RFS_MODEL_FUTEX_H
#define RFS_MODEL_FUTEX_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "policy/operations.h"

struct rfs_model_memory;
struct rfs_sync;
struct rfs_sync_thread;

/* Returns 0 if the thread sleeps now, -EAGAIN if the word does not have the expected value, or -EFAULT. */
long rfs_futex_sleep(struct rfs_sync *sync, struct rfs_sync_thread *thread, const struct rfs_model_memory *memory,
		     rfs_addr word, unsigned expected, unsigned bits);
/*
 * Wakes up to n sleepers on the word, if their bits match. Returns how many threads woke. chosen: the number of the
 * thread that wakes first; -1: the thread that has slept longest.
 */
long rfs_futex_wake(struct rfs_sync *sync, rfs_addr word, long n, unsigned bits, int chosen);
/* Carries out FUTEX_WAKE, _WAKE_BITSET, _WAKE_OP, _REQUEUE or _CMP_REQUEUE. */
long rfs_futex_wake_call(struct rfs_sync *sync, const struct rfs_model_memory *memory, const unsigned long args[6],
			 int chosen);

/* Whether no thread holds the priority-inheriting lock. Also true if the word cannot be read. */
bool rfs_futex_pi_is_free(const struct rfs_model_memory *memory, rfs_addr word);
/* Takes a free lock for the thread, as the kernel would do: stores the thread's tid in the word. */
long rfs_futex_take_pi(const struct rfs_sync *sync, const struct rfs_sync_thread *thread,
		       const struct rfs_model_memory *memory, rfs_addr word);
/*
 * Carries out FUTEX_LOCK_PI, or FUTEX_TRYLOCK_PI if attempt is set. If the thread has to wait, *waits is true and the
 * result is 0.
 */
long rfs_futex_lock_pi(const struct rfs_sync *sync, const struct rfs_sync_thread *thread,
		       const struct rfs_model_memory *memory, rfs_addr word, bool attempt, bool *waits);
/* Carries out FUTEX_UNLOCK_PI. */
long rfs_futex_unlock_pi(const struct rfs_sync_thread *thread, const struct rfs_model_memory *memory, rfs_addr word);

/*
 * Finds the lock words in the robust list at head (get_robust_list(2)), and stores the addresses of at most max of them
 * in `out`. Returns how many it has stored.
 */
size_t rfs_futex_robust_words(const struct rfs_model_memory *memory, rfs_addr head, rfs_addr *out, size_t max);
/*
 * Called when the thread with this tid ends. If the word names that thread as owner, removes the owner and sets
 * FUTEX_OWNER_DIED.
 */
void rfs_futex_mark_dead(const struct rfs_model_memory *memory, pid_t tid, rfs_addr word);

#endif
