/* plot_test.c - what the picture of a sampling says. */
#include "supervisor/report/html/plot.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/report/data/report.h"

TestSuite(plot, .timeout = 20);

static char *drawn(const uint64_t *counts, size_t n)
{
	struct rfs_report report;
	struct rfs_report_sampling *sampling;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	rfs_report_init(&report);
	sampling = rfs_report_add_sampling(&report);
	sampling->policy = xstrdup("random");
	sampling->has_orders = true;
	sampling->distinct_orders = n;
	for (size_t i = 0; i < n; i++)
		rfs_report_add_order(sampling)->count = counts[i];
	rfs_plot_write(&report, out);
	fclose(out);
	rfs_report_release(&report);
	return text;
}

Test(plot, says_that_all_orders_are_different)
{
	static const uint64_t once[] = {1, 1, 1, 1}, equal[] = {3, 3}, mixed[] = {3, 1}, one[] = {7};
	const struct {
		const uint64_t *counts;
		size_t n;
		const char *remark; /* NULL: none */
	} cases[] = {
		{once, 4, "each of the 4 runs had another order"},
		{equal, 2, "each of the 2 orders occurred 3 times"},
		{mixed, 2, NULL},
		{one, 1, NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = drawn(cases[i].counts, cases[i].n);

		cr_expect_eq(strstr(text, "class=\"remark\"") != NULL, cases[i].remark != NULL, "case %zu", i);
		if (cases[i].remark)
			cr_expect_not_null(strstr(text, cases[i].remark), "%s", text);
		free(text);
	}
}
