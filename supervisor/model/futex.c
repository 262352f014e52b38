/* In the model only a wake ends a sleep. A change of the word does not end it, so that a lost wake-up is found. */
#include "supervisor/model/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "supervisor/model/memory.h"
#include "supervisor/model/sync.h"

static bool futex_word_at(const struct rfs_model_memory *memory, rfs_addr address, unsigned *value)
{
	return rfs_model_read(memory, address, value, sizeof(*value));
}

long rfs_futex_sleep(struct rfs_sync *sync, struct rfs_sync_thread *thread, const struct rfs_model_memory *memory,
		     rfs_addr word, unsigned expected, unsigned bits)
{
	unsigned value;

	if (word % sizeof(value))
		return -EINVAL;
	if (!futex_word_at(memory, word, &value))
		return -EFAULT;
	if (value != expected)
		return -EAGAIN;
	thread->futex.awake = false;
	thread->futex.word = word;
	thread->futex.bits = bits;
	thread->futex.order = sync->next_order++;
	return 0;
}

static bool futex_sleeps_on(const struct rfs_sync_thread *thread, rfs_addr word)
{
	return thread->wait.kind == RFS_WAIT_FUTEX && !thread->futex.awake && thread->futex.word == word;
}

long rfs_futex_wake(struct rfs_sync *sync, rfs_addr word, long n, unsigned bits, int chosen)
{
	long woken = 0;

	while (woken < n) {
		struct rfs_sync_thread *next = NULL;

		for (size_t i = 0; i < sync->n_threads; i++) {
			struct rfs_sync_thread *t = sync->threads[i];

			if (!futex_sleeps_on(t, word) || !(t->futex.bits & bits))
				continue;
			if ((int)i == chosen) {
				next = t;
				break;
			}
			if (!next || t->futex.order < next->futex.order)
				next = t;
		}
		if (!next)
			break;
		next->futex.awake = true;
		chosen = -1;
		woken++;
	}
	return woken;
}

static long requeue(struct rfs_sync *sync, rfs_addr from, rfs_addr to, long n)
{
	long moved = 0;

	for (size_t i = 0; i < sync->n_threads && moved < n; i++)
		if (futex_sleeps_on(sync->threads[i], from)) {
			sync->threads[i]->futex.word = to;
			moved++;
		}
	return moved;
}

static bool compares(int comparison, int old, int argument)
{
	switch (comparison) {
	case FUTEX_OP_CMP_EQ:
		return old == argument;
	case FUTEX_OP_CMP_NE:
		return old != argument;
	case FUTEX_OP_CMP_LT:
		return old < argument;
	case FUTEX_OP_CMP_LE:
		return old <= argument;
	case FUTEX_OP_CMP_GT:
		return old > argument;
	default:
		return old >= argument;
	}
}

/*
 * FUTEX_WAKE_OP: changes the second word and wakes sleepers on the first word. If the old value of the second word
 * passes the comparison, also wakes sleepers on the second word.
 */
static long wake_op(struct rfs_sync *sync, const struct rfs_model_memory *memory, const unsigned long args[6],
		    int chosen)
{
	unsigned encoded = (unsigned)args[5];
	int op = (int)(encoded >> 28 & 7), comparison = (int)(encoded >> 24 & 15);
	int argument = (int)(encoded << 8) >> 20, against = (int)(encoded << 20) >> 20;
	unsigned value;
	int old, fresh;
	long woken;

	if (!futex_word_at(memory, args[4], &value))
		return -EFAULT;
	old = (int)value;
	if (encoded >> 28 & FUTEX_OP_OPARG_SHIFT)
		argument = (int)(1u << (argument & 31));
	switch (op) {
	case FUTEX_OP_SET:
		fresh = argument;
		break;
	case FUTEX_OP_ADD:
		fresh = (int)((unsigned)old + (unsigned)argument);
		break;
	case FUTEX_OP_OR:
		fresh = old | argument;
		break;
	case FUTEX_OP_ANDN:
		fresh = old & ~argument;
		break;
	case FUTEX_OP_XOR:
		fresh = old ^ argument;
		break;
	default:
		return -ENOSYS;
	}
	if (!rfs_model_write(memory, args[4], &fresh, sizeof(fresh)))
		return -EFAULT;
	woken = rfs_futex_wake(sync, args[0], (int)args[2], FUTEX_BITSET_MATCH_ANY, chosen);
	if (compares(comparison, old, against))
		woken += rfs_futex_wake(sync, args[4], (int)args[3], FUTEX_BITSET_MATCH_ANY, -1);
	return woken;
}

long rfs_futex_wake_call(struct rfs_sync *sync, const struct rfs_model_memory *memory, const unsigned long args[6],
			 int chosen)
{
	int command = (int)args[1] & FUTEX_CMD_MASK;
	unsigned value;
	long woken, moved;

	switch (command) {
	case FUTEX_WAKE:
		return rfs_futex_wake(sync, args[0], (int)args[2], FUTEX_BITSET_MATCH_ANY, chosen);
	case FUTEX_WAKE_BITSET:
		return rfs_futex_wake(sync, args[0], (int)args[2], (unsigned)args[5], chosen);
	case FUTEX_WAKE_OP:
		return wake_op(sync, memory, args, chosen);
	case FUTEX_CMP_REQUEUE:
		if (!futex_word_at(memory, args[0], &value))
			return -EFAULT;
		if (value != (unsigned)args[5])
			return -EAGAIN;
		break;
	default:
		break;
	}
	woken = rfs_futex_wake(sync, args[0], (int)args[2], FUTEX_BITSET_MATCH_ANY, chosen);
	moved = requeue(sync, args[0], args[4], (int)args[3]);
	/*
	 * The kernel (futex_requeue()) returns woken and moved sleepers for both calls, although futex(2) says that
	 * FUTEX_REQUEUE returns only the woken ones.
	 */
	return woken + moved;
}

bool rfs_futex_pi_is_free(const struct rfs_model_memory *memory, rfs_addr word)
{
	unsigned value;

	return !futex_word_at(memory, word, &value) || (value & FUTEX_TID_MASK) == 0;
}

long rfs_futex_take_pi(const struct rfs_sync *sync, const struct rfs_sync_thread *thread,
		       const struct rfs_model_memory *memory, rfs_addr word)
{
	unsigned value;

	if (!futex_word_at(memory, word, &value))
		return -EFAULT;
	value = (value & FUTEX_OWNER_DIED) | (unsigned)thread->tid;
	for (size_t i = 0; i < sync->n_threads; i++) {
		const struct rfs_sync_thread *t = sync->threads[i];

		if (t != thread && t->wait.kind == RFS_WAIT_LOCK_PI && t->wait.object == word)
			value |= FUTEX_WAITERS;
	}
	return rfs_model_write(memory, word, &value, sizeof(value)) ? 0 : -EFAULT;
}

long rfs_futex_lock_pi(const struct rfs_sync *sync, const struct rfs_sync_thread *thread,
		       const struct rfs_model_memory *memory, rfs_addr word, bool attempt, bool *waits)
{
	unsigned value;

	*waits = false;
	if (!futex_word_at(memory, word, &value))
		return -EFAULT;
	if ((pid_t)(value & FUTEX_TID_MASK) == thread->tid)
		return -EDEADLK;
	if ((value & FUTEX_TID_MASK) == 0)
		return rfs_futex_take_pi(sync, thread, memory, word);
	if (attempt)
		return -EAGAIN;
	value |= FUTEX_WAITERS; /* makes the owner's unlock enter the kernel */
	(void)rfs_model_write(memory, word, &value, sizeof(value));
	*waits = true;
	return 0;
}

long rfs_futex_unlock_pi(const struct rfs_sync_thread *thread, const struct rfs_model_memory *memory, rfs_addr word)
{
	unsigned value, free_word = 0;

	if (!futex_word_at(memory, word, &value))
		return -EFAULT;
	if ((pid_t)(value & FUTEX_TID_MASK) != thread->tid)
		return -EPERM;
	return rfs_model_write(memory, word, &free_word, sizeof(free_word)) ? 0 : -EFAULT;
}

size_t rfs_futex_robust_words(const struct rfs_model_memory *memory, rfs_addr head, rfs_addr *out, size_t max)
{
	struct {
		uint64_t next;
		int64_t offset;
		uint64_t pending;
	} list;
	uint64_t entry;
	size_t n = 0;

	if (!rfs_model_read(memory, head, &list, sizeof(list)))
		return 0;
	for (entry = list.next; entry != head && n < max; n++) {
		out[n] = (entry & ~1ull) +
			 (uint64_t)list.offset; /* bit 0 of an entry is a flag: the mutex has priority inheritance */
		if (!rfs_model_read(memory, entry & ~1ull, &entry, sizeof(entry)))
			break;
	}
	return n;
}

void rfs_futex_mark_dead(const struct rfs_model_memory *memory, pid_t tid, rfs_addr word)
{
	unsigned value;

	if (!futex_word_at(memory, word, &value) || (pid_t)(value & FUTEX_TID_MASK) != tid)
		return;
	value = (value & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
	(void)rfs_model_write(memory, word, &value, sizeof(value));
}
