/* report_suppressed.c - the suppressions of a campaign, as data. */
#include "supervisor/report/data/report_suppressed.h"

#include <stdlib.h>

#include "supervisor/base/alloc.h"
#include "supervisor/report/data/report_identity.h"

struct rfs_report_suppression *rfs_report_add_suppression(struct rfs_report_suppressions *suppressions)
{
	const size_t n = suppressions->n;

	if ((n & (n - 1)) == 0)
		suppressions->list = xreallocarray(suppressions->list, n ? n * 2 : 1, sizeof(*suppressions->list));
	suppressions->list[n] = (struct rfs_report_suppression){0};
	return &suppressions->list[suppressions->n++];
}

void rfs_report_suppressions_release(struct rfs_report_suppressions *suppressions)
{
	for (size_t i = 0; i < suppressions->n; i++) {
		free(suppressions->list[i].file);
		free(suppressions->list[i].name);
	}
	free(suppressions->list);
	free(suppressions->generated);
}

uint64_t rfs_report_suppression_uses(const struct rfs_report_suppression *suppression)
{
	return suppression->races + suppression->deadlocks + suppression->violations + suppression->misuses;
}

bool rfs_identity_counts(const struct rfs_report_identity *identity)
{
	return !identity->known && !identity->suppressed;
}
