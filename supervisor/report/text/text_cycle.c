/* text_cycle.c - writes the predicted deadlocks that no run created, inversions by one thread, and their numbers. */
#include "supervisor/report/text/text_cycle.h"

#include <inttypes.h>
#include <stdlib.h>

#include "supervisor/base/text/plural.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/text/text_put.h"

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

static void text_cycle_put_cycle(struct rfs_text *text, const struct rfs_report_cycle *cycle)
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
				text_cycle_put_cycle(text, cycle);
		}
}

void rfs_text_put_cycle_counts(struct rfs_text *text, const struct rfs_report *report)
{
	const struct rfs_report_cycles *cycles = &report->cycles;
	const uint64_t predicted = rfs_report_cycles_predicted(cycles), created = rfs_report_cycles_created(cycles),
		       inversions = rfs_report_cycles_inversions(cycles);

	if (!predicted && !inversions)
		return;
	rfs_text_put(text, "deadlocks   %" PRIu64 " predicted, %" PRIu64 " %s", predicted, created,
		     rfs_text_created(text));
	if (cycles->cut)
		rfs_text_put(text, "; there may be more, because the search was cut short");
	if (inversions)
		rfs_text_put(text, "; %" PRIu64 " inversion%s by one thread", inversions, rfs_plural(inversions));
	if (report->directory && rfs_report_cycles_unconfirmed(cycles))
		rfs_text_put(text, "; listed in %s/unconfirmed.txt", report->directory);
	rfs_text_put(text, "\n");
}
