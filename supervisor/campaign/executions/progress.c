/* progress.c - words for phases, counts and the time that is left. What is counted is in executions.c. */
#include "supervisor/campaign/executions/progress.h"

#include <inttypes.h>
#include <stdlib.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/path.h"
#include "supervisor/base/text/plural.h"
#include "supervisor/report/data/report.h"

#define REDRAW_SECONDS 0.1

static double since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

void rfs_progress_init(struct rfs_progress *progress, bool terminal)
{
	*progress = (struct rfs_progress){.terminal = terminal, .phase = ""};
}

void rfs_progress_phase(struct rfs_progress *progress, const char *phase, uint64_t total)
{
	progress->phase = phase;
	progress->total = total;
	progress->round = 0;
	progress->done = 0;
	progress->shown = (struct timespec){0};
	clock_gettime(CLOCK_MONOTONIC, &progress->start);
	rfs_progress_update(progress);
}

void rfs_progress_round(struct rfs_progress *progress, uint64_t round, uint64_t total)
{
	progress->round = round;
	progress->total = total;
	rfs_progress_update(progress);
}

/* A duration as text: "1:05:09", "5:09". Caller frees. */
static char *duration(double seconds)
{
	uint64_t s = seconds > 0 ? (uint64_t)(seconds + 0.5) : 0;

	if (s >= 3600)
		return xasprintf("%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600, s / 60 % 60, s % 60);
	return xasprintf("%" PRIu64 ":%02" PRIu64, s / 60, s % 60);
}

/* ", 1:05 left", ", at most 1:05 left", or nothing. Caller frees. */
static char *left_text(double seconds, bool at_most)
{
	char *time, *text;

	if (seconds <= 0)
		return xstrdup("");
	time = duration(seconds);
	text = xasprintf(", %s%s left", at_most ? "at most " : "", time);
	free(time);
	return text;
}

char *rfs_progress_line(const struct rfs_progress *progress, double seconds)
{
	char *head = progress->round ? xasprintf("round %" PRIu64, progress->round) : xstrdup(progress->phase);
	char *left, *line;
	double estimate = 0;
	bool by_budget;

	/*
	 * The estimate assumes that the other runs take as long as the finished ones. It only has to show whether
	 * waiting is worthwhile.
	 */
	if (progress->done && progress->total > progress->done)
		estimate = seconds / (double)progress->done * (double)(progress->total - progress->done);
	by_budget = progress->budget_left > 0 && (estimate <= 0 || estimate > progress->budget_left);
	left = left_text(by_budget ? progress->budget_left : estimate, by_budget);
	line = xasprintf("%s: run %" PRIu64 " of %" PRIu64 ", %" PRIu64 " finding%s, %" PRIu64 " failed%s", head,
			 progress->done, progress->total, progress->findings, rfs_plural(progress->findings),
			 progress->failures, left);
	free(head);
	free(left);
	return line;
}

void rfs_progress_update(struct rfs_progress *progress)
{
	char *line;

	if (!progress->terminal || rfs_log_level() == RFS_LOG_QUIET || since(&progress->shown) < REDRAW_SECONDS)
		return;
	line = rfs_progress_line(progress, since(&progress->start));
	rfs_log_status(line);
	free(line);
	clock_gettime(CLOCK_MONOTONIC, &progress->shown);
}

static char *progress_place(const struct rfs_source_place *place)
{
	if (place->file && place->line)
		return xasprintf("%s:%u", rfs_base_name(place->file), place->line);
	return xasprintf("%s+0x%" PRIx64, rfs_base_name(place->module), place->offset);
}

char *rfs_progress_pair_line(struct rfs_progress *progress, uint64_t i, const struct rfs_report_pair *pair)
{
	char *first = progress_place(&pair->statement[0].place), *second = progress_place(&pair->statement[1].place),
	     *line;

	line = xasprintf("pair %" PRIu64 " of %" PRIu64 ": %s %s: %s, created%s in %" PRIu64 " of %" PRIu64
			 " runs, %" PRIu64 " failed",
			 i, progress->pairs, first, second, rfs_verdict_words(pair->verdict)->name,
			 progress->created ? "" : " (made to happen)", pair->confirmed, pair->runs, pair->failures);
	progress->created = true;
	free(first);
	free(second);
	return line;
}

void rfs_progress_pair(struct rfs_progress *progress, uint64_t i, const struct rfs_report_pair *pair)
{
	char *line;

	if (progress->terminal)
		return;
	line = rfs_progress_pair_line(progress, i, pair);
	/* there may be hundreds of pairs that no run created */
	if (pair->confirmed)
		rfs_say("%s", line);
	else
		rfs_note("%s", line);
	free(line);
}

void rfs_progress_end(struct rfs_progress *progress)
{
	if (progress->terminal)
		rfs_log_status(NULL);
}
