/*
 * virtual_time.c - the target's clocks and deadlines.
 *
 * Time is virtual. It starts at a fixed date or at that of --date. In exploration, main begins at a later date from the
 * seed. Time passes a little with every operation and every read of a clock. It jumps when a sleep or a timeout is
 * chosen. The calls that read clocks are in kernel/calls/time_calls.c.
 */
#include "supervisor/state/core/virtual_time.h"

#include <errno.h>
#include <time.h>
#include <xxhash.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"

/*
 * A date from the seed is within five years after the fixed one, but within an hour after that of --date, because the
 * user wants this date. The machine is up for less than two days more. Both have odd nanoseconds.
 */
#define DATE_RANGE (5ull * 365 * 86400 * RFS_NANOS)
#define NEAR_RANGE (3600ull * RFS_NANOS)
#define UPTIME_RANGE (2ull * 86400 * RFS_NANOS)

/* What CLOCK_MONOTONIC shows at the start, as if the machine had been up for 1,000 seconds. */
#define START_MONOTONIC (1000ull * RFS_NANOS)

static uint64_t start_of_time(const struct rfs_run *run)
{
	return run->spec->date ? run->spec->date * RFS_NANOS : RFS_START_REALTIME;
}

uint64_t rfs_clock_now(const struct rfs_run *run, int clock)
{
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_TAI:
	case CLOCK_REALTIME_ALARM:
		return start_of_time(run) + run->time.start_date + run->time.now;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME:
	case CLOCK_BOOTTIME_ALARM:
		return START_MONOTONIC + run->time.start_uptime + run->time.now;
	default:
		return run->time.now - run->time.epoch; /* CPU-time clocks */
	}
}

uint64_t rfs_clock_real(clockid_t clock)
{
	struct timespec ts = {0};

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * RFS_NANOS + (uint64_t)ts.tv_nsec;
}

bool rfs_clock_of_child(const struct rfs_run *run, int clock, uint64_t *now)
{
	if (run->spec->clock_real)
		return false;
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_TAI:
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME:
		*now = rfs_clock_real(clock) + run->time.now;
		return true;
	default:
		return false;
	}
}

void rfs_clock_seed(struct rfs_run *run, uint64_t seed)
{
	run->time.start_date = XXH64("date", 4, seed) % (run->spec->date ? NEAR_RANGE : DATE_RANGE);
	run->time.start_uptime = XXH64("uptime", 6, seed) % UPTIME_RANGE;
}

void rfs_advance(struct rfs_run *run, uint64_t to)
{
	if (to > run->time.now)
		run->time.now = to;
}

uint64_t rfs_sleep_race(const struct rfs_run *run)
{
	return (uint64_t)(run->spec->sleep_race * (double)RFS_NANOS);
}

unsigned rfs_ready_timed(const struct rfs_run *run, bool available, uint64_t deadline)
{
	bool due = deadline != RFS_NEVER &&
		   (deadline <= run->time.now + rfs_sleep_race(run) || deadline <= run->time.horizon);

	if (available)
		return RFS_THREAD_ENABLED | (due ? RFS_THREAD_CAN_TIME_OUT | RFS_THREAD_READY : 0);
	return due ? RFS_THREAD_CAN_TIME_OUT : 0;
}

bool rfs_deadline_from(const struct rfs_run *run, rfs_addr timespec, int clock, uint64_t *deadline)
{
	struct timespec t;
	uint64_t now = rfs_clock_now(run, clock), at;

	*deadline = RFS_NEVER;
	if (!rfs_peek(run, timespec, &t, sizeof(t)) || t.tv_nsec < 0 || t.tv_nsec >= (long)RFS_NANOS)
		return false;
	if (t.tv_sec < 0)
		at = 0;
	else if ((uint64_t)t.tv_sec > UINT64_MAX / RFS_NANOS / 4)
		return true;
	else
		at = (uint64_t)t.tv_sec * RFS_NANOS + (uint64_t)t.tv_nsec;
	*deadline = at <= now ? run->time.now : run->time.now + (at - now);
	return true;
}

int rfs_deadline_after(const struct rfs_run *run, rfs_addr timespec, uint64_t *deadline)
{
	struct timespec t;

	*deadline = RFS_NEVER;
	if (!rfs_peek(run, timespec, &t, sizeof(t)))
		return -EFAULT;
	if (t.tv_sec < 0 || t.tv_nsec < 0 || t.tv_nsec >= (long)RFS_NANOS)
		return -EINVAL;
	if ((uint64_t)t.tv_sec < UINT64_MAX / RFS_NANOS / 4)
		*deadline = run->time.now + (uint64_t)t.tv_sec * RFS_NANOS + (uint64_t)t.tv_nsec;
	return 0;
}
