/* random_calls.c - random bytes, from a sequence that the seed determines. */
#include "supervisor/kernel/calls/random_calls.h"

#include <errno.h>
#include <sys/uio.h>
#include <xxhash.h>

#include "disasm/addr.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/park.h"

/* The next byte. The run's seed is used from main on. Before main, all runs get the same bytes (sync/before_main.h). */
static unsigned char next_byte(struct rfs_run *run)
{
	struct rfs_random *random = &run->kernel->random;

	if (run->main_reached && !random->seeded)
		*random = (struct rfs_random){.key = run->spec->seed, .state = run->spec->seed, .seeded = true};
	random->state = XXH64(&random->state, sizeof(random->state), random->key);
	return (unsigned char)random->state;
}

/* Fills a buffer of the target with random bytes. Returns the number of bytes, or -EFAULT. */
static long fill_random(struct rfs_run *run, rfs_addr to, size_t left)
{
	unsigned char buf[256];
	size_t done = 0;

	if (left > 1u << 25)
		left = (1u << 25) - 1; /* the most that getrandom(2) returns */
	while (done < left) {
		size_t n = left - done < sizeof(buf) ? left - done : sizeof(buf);

		for (size_t i = 0; i < n; i++)
			buf[i] = next_byte(run);
		if (!rfs_poke(run, to + done, buf, n))
			return done ? (long)done : -EFAULT;
		done += n;
	}
	return (long)done;
}

enum rfs_then rfs_sys_getrandom(struct rfs_run *run, struct rfs_thread *thread)
{
	return rfs_syscall_answer(thread, fill_random(run, thread->args[0], thread->args[1]));
}

static long fill_vector(struct rfs_run *run, rfs_addr vector, size_t n)
{
	struct iovec iov[16];
	long result = 0;

	if (n > sizeof(iov) / sizeof(*iov))
		n = sizeof(iov) / sizeof(*iov);
	if (!rfs_peek(run, vector, iov, n * sizeof(*iov)))
		return -EFAULT;
	for (size_t i = 0; i < n && result >= 0; i++) {
		long got = fill_random(run, (rfs_addr)(uintptr_t)iov[i].iov_base, iov[i].iov_len);

		result = got < 0 ? got : result + got;
	}
	return result;
}

enum rfs_then rfs_read_random(struct rfs_run *run, struct rfs_thread *thread)
{
	const unsigned long *args = thread->args;

	if (thread->call->row->data == RFS_DATA_VECTOR)
		return rfs_syscall_answer(thread, fill_vector(run, args[1], args[2]));
	return rfs_syscall_answer(thread, fill_random(run, args[1], args[2]));
}
