/* text_suppressed.c - writes what suppressions hid, and which hid nothing. */
#include "supervisor/report/text/text_suppressed.h"

#include <inttypes.h>

#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_suppressed.h"
#include "supervisor/report/text/text_put.h"

/* The text names this many suppressions of each kind; the JSON has all. */
#define SHOWN 20

static void put_count(struct rfs_text *text, bool *first, uint64_t n, const char *one_word, const char *many)
{
	if (!n)
		return;
	rfs_text_put(text, "%s%" PRIu64 " %s", *first ? "" : ", ", n, n == 1 ? one_word : many);
	*first = false;
}

static void put_used(struct rfs_text *text, const struct rfs_report_suppression *suppression, const char *head)
{
	bool first = true;

	rfs_text_put(text, "%-12s", head);
	put_count(text, &first, suppression->races, "race", "races");
	put_count(text, &first, suppression->deadlocks, "deadlock", "deadlocks");
	put_count(text, &first, suppression->violations, "atomicity violation", "atomicity violations");
	put_count(text, &first, suppression->misuses, "misuse", "misuses");
	if (suppression->file)
		rfs_text_put(text, " by %s:%u: %s\n", suppression->file, suppression->line, suppression->name);
	else
		rfs_text_put(text, ": %s\n", suppression->name);
}

void rfs_text_put_suppressed(struct rfs_text *text, const struct rfs_report *report)
{
	const struct rfs_report_suppressions *suppressions = &report->suppressions;
	size_t used = 0, unused = 0, left_out = 0;

	for (size_t i = 0; i < suppressions->n; i++)
		if (suppressions->list[i].file && rfs_report_suppression_uses(&suppressions->list[i]) && used++ < SHOWN)
			put_used(text, &suppressions->list[i], used == 1 ? "suppressed" : "");
	if (used > SHOWN)
		rfs_text_put(text, "            %zu more suppressions hid something; see the JSON report\n",
			     used - SHOWN);
	for (size_t i = 0; i < suppressions->n; i++) {
		const struct rfs_report_suppression *suppression = &suppressions->list[i];

		if (!suppression->file && rfs_report_suppression_uses(suppression))
			put_used(text, suppression, left_out++ ? "" : "left out");
		if (suppression->own || rfs_report_suppression_uses(suppression) || unused++ >= SHOWN)
			continue;
		rfs_text_put(text, "%s%s:%u: %s\n", unused == 1 ? "unused      " : "            ", suppression->file,
			     suppression->line, suppression->name);
	}
	if (unused > SHOWN)
		rfs_text_put(text, "            %zu more suppressions hid nothing; see the JSON report\n",
			     unused - SHOWN);
}

void rfs_text_put_generated(struct rfs_text *text, const struct rfs_report *report)
{
	if (report->suppressions.generated)
		rfs_text_put(text, "\n# blocks for --suppressions, one for each finding and pair%s\n%s",
			     *report->suppressions.generated ? "" : ": there are none", report->suppressions.generated);
}
