/*
 * forget.c - the limit of a history's memory. If more is in use, the oldest histories are forgotten, until three
 * quarters of the limit are in use. So this work is rare.
 *
 * The memory of a history is counted as its members allocate it. The order of what is forgotten is that of the last
 * accesses, for each region of shadow memory (1 MiB of the target's memory). So the same accesses always lead to the
 * same history. A race is only missed if one of its accesses, or an equal one before it, was forgotten before the other
 * one was made.
 *
 * What only makes lookups fast is forgotten first: the tables of other threads' descriptors, and states without
 * granules. No pair is lost by that.
 */
#include <stdlib.h>

#include "policy/shadow/history-priv.h"

#define PEAK_STEP 65536u /* the peak is updated when it has grown by this */

/* After this, the limit or a new peak needs attention next. */
static void set_watch(struct rfs_history *history)
{
	const uint64_t next = history->memory.peak + PEAK_STEP;

	history->watch = next < history->limit ? next : history->limit;
}

void rfs_history_limit(struct rfs_history *history, uint64_t bytes)
{
	history->limit = bytes ? bytes : UINT64_MAX;
	set_watch(history);
}

struct rfs_detector_memory rfs_history_memory(const struct rfs_history *history)
{
	return history->memory;
}

void rfs_history_ended(struct rfs_history *history, uint32_t thread)
{
	rfs_descriptors_drop_table(&history->stamps, thread);
}

static void forget_oldest(struct rfs_history *history, uint64_t most)
{
	size_t n;
	struct rfs_region **regions = rfs_shadow_by_age(&history->shadow, &n);

	for (size_t i = 0; i < n && history->bytes > most; i++) {
		/* drops the region, too */
		rfs_history_reset(history, regions[i]->number << RFS_REGION_SHIFT, UINT64_C(1) << RFS_REGION_SHIFT);
		rfs_cell_states_forget_unused(&history->states);
		history->memory.forgotten++;
	}
	free(regions);
}

void rfs_history_forget(struct rfs_history *history, uint32_t thread)
{
	const uint64_t most = history->limit - history->limit / 4;

	if (history->bytes > history->memory.peak)
		history->memory.peak = history->bytes;
	if (history->bytes > history->limit) {
		rfs_descriptors_drop_others(&history->stamps, thread);
		rfs_cell_states_forget_unused(&history->states);
		forget_oldest(history, most);
		/* what is left cannot be forgotten; without more room, each access would get here */
		if (history->bytes > most)
			history->limit = history->bytes + history->bytes / 4;
	}
	set_watch(history);
}
