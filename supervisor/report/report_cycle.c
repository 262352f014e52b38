/* report_cycle.c - predicted deadlocks in a report, as data and as text. */
#include "supervisor/report/report_cycle.h"

#include <inttypes.h>
#include <stdlib.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/plural.h"
#include "supervisor/report/report.h"
#include "supervisor/report/report_text-priv.h"

struct rfs_report_cycle *rfs_report_add_cycle(struct rfs_report_cycles *cycles, size_t n_parts)
{
	struct rfs_report_cycle *added;

	cycles->list = xreallocarray(cycles->list, cycles->n + 1, sizeof(*cycles->list));
	added = &cycles->list[cycles->n++];
	*added = (struct rfs_report_cycle){.parts = xcalloc(n_parts, sizeof(*added->parts)), .n_parts = n_parts};
	return added;
}

static void report_cycle_release_lock(struct rfs_report_lock *lock)
{
	free(lock->name);
	if (lock->place)
		rfs_source_place_release(lock->place);
	free(lock->place);
	rfs_source_stack_release(&lock->stack);
}

void rfs_report_cycles_release(struct rfs_report_cycles *cycles)
{
	for (size_t i = 0; i < cycles->n; i++) {
		for (size_t k = 0; k < cycles->list[i].n_parts; k++) {
			report_cycle_release_lock(&cycles->list[i].parts[k].held);
			report_cycle_release_lock(&cycles->list[i].parts[k].wanted);
		}
		free(cycles->list[i].parts);
	}
	free(cycles->list);
	*cycles = (struct rfs_report_cycles){0};
}

uint64_t rfs_report_cycles_predicted(const struct rfs_report_cycles *cycles)
{
	uint64_t predicted = 0;

	for (size_t i = 0; i < cycles->n; i++)
		predicted += !cycles->list[i].one_thread && !cycles->list[i].suppressed;
	return predicted;
}

bool rfs_report_cycles_unconfirmed(const struct rfs_report_cycles *cycles)
{
	for (size_t i = 0; i < cycles->n; i++)
		if (!cycles->list[i].created && !cycles->list[i].suppressed)
			return true;
	return false;
}

uint64_t rfs_report_cycles_created(const struct rfs_report_cycles *cycles)
{
	uint64_t created = 0;

	for (size_t i = 0; i < cycles->n; i++)
		created += cycles->list[i].created > 0;
	return created;
}

uint64_t rfs_report_cycles_inversions(const struct rfs_report_cycles *cycles)
{
	uint64_t inversions = 0;

	for (size_t i = 0; i < cycles->n; i++)
		inversions += cycles->list[i].one_thread && !cycles->list[i].suppressed;
	return inversions;
}

/* ---- text ---- */

static void put_lock(struct rfs_text *text, const struct rfs_report_lock *lock, const char *verb)
{
	char *who;

	if (!lock->place) {
		rfs_text_put(text, "%s no lock", verb);
		return;
	}
	who = rfs_text_who(text, lock->place);
	rfs_text_put(text, "%s %s (%s)", verb, lock->name, who);
	free(who);
}

/* A wrapper function may acquire all locks of a program, so its callers count. */
static void put_lock_stack(struct rfs_text *text, const struct rfs_report_lock *lock)
{
	if (lock->stack.n_frames < 2)
		return;
	rfs_text_put(text, "      it acquires %s at\n", lock->name);
	rfs_text_put_stack(text, &lock->stack, "        ");
}

static void report_cycle_put_cycle(struct rfs_text *text, const struct rfs_report_cycle *cycle)
{
	rfs_text_put(text, "\n");
	rfs_text_colour(text, RFS_TEXT_DIM);
	if (cycle->one_thread)
		rfs_text_put(text, "INVERSION by one thread, no deadlock");
	else
		rfs_text_put(text, "PREDICTED DEADLOCK of %zu threads", cycle->n_parts);
	rfs_text_colour(text, RFS_TEXT_PLAIN);
	rfs_text_put(text, "\n");
	for (size_t i = 0; i < cycle->n_parts; i++) {
		const struct rfs_report_cycle_part *part = &cycle->parts[i];

		if (part->has_thread)
			rfs_text_put(text, "    thread %d ", part->thread);
		else
			rfs_text_put(text, "    a thread ");
		put_lock(text, &part->held, "holds");
		put_lock(text, &part->wanted, " and wants");
		rfs_text_put(text, "\n");
		put_lock_stack(text, &part->held);
		put_lock_stack(text, &part->wanted);
	}
	if (cycle->one_thread)
		return;
	rfs_text_put(text, "    not created in %" PRIu64 " run%s", cycle->runs, rfs_plural(cycle->runs));
	if (cycle->timeouts)
		rfs_text_put(text, ", and %" PRIu64 " more timed out", cycle->timeouts);
	if (cycle->runs + cycle->timeouts < cycle->planned)
		rfs_text_put(text, " (%" PRIu64 " were planned)", cycle->planned);
	rfs_text_put(text, "\n");
}

void rfs_text_put_cycles(struct rfs_text *text, const struct rfs_report *report)
{
	for (int inversions = 0; inversions < 2; inversions++)
		for (size_t i = 0; i < report->cycles.n; i++) {
			const struct rfs_report_cycle *cycle = &report->cycles.list[i];

			if (!cycle->created && !cycle->suppressed && cycle->one_thread == (inversions != 0))
				report_cycle_put_cycle(text, cycle);
		}
}

void rfs_text_put_cycle_counts(struct rfs_text *text, const struct rfs_report *report)
{
	const struct rfs_report_cycles *cycles = &report->cycles;
	const uint64_t predicted = rfs_report_cycles_predicted(cycles), created = rfs_report_cycles_created(cycles),
		       inversions = rfs_report_cycles_inversions(cycles);

	if (!predicted && !inversions)
		return;
	rfs_text_put(text, "deadlocks   %" PRIu64 " predicted, %" PRIu64 " created", predicted, created);
	if (cycles->cut)
		rfs_text_put(text, "; there may be more, because the search was cut short");
	if (inversions)
		rfs_text_put(text, "; %" PRIu64 " inversion%s by one thread", inversions, rfs_plural(inversions));
	if (report->directory && rfs_report_cycles_unconfirmed(cycles))
		rfs_text_put(text, "; listed in %s/unconfirmed.txt", report->directory);
	rfs_text_put(text, "\n");
}
