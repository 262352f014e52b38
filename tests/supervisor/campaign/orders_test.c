/* orders_test.c - statistics of partial orders, compared with values computed by hand, and their plot. */
#include "supervisor/campaign/phases/orders.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/html/plot.h"

TestSuite(orders, .timeout = 60);

static void add(struct rfs_orders *orders, uint64_t name, int times)
{
	while (times-- > 0)
		rfs_orders_add(orders, (const uint64_t[]){name / 16, name % 16});
}

Test(orders, summary)
{
	static const struct {
		int counts[6];
		uint64_t distinct;
		double entropy, new_probability, unseen;
	} cases[] = {
		{{0}, 0, 0, 0, 0},
		{{5}, 1, 0, 0, 0},
		{{4, 4, 4, 4}, 4, 2, 0, 0},
		/* entropy: 3/4 log2 4/3 + 1/4 log2 4 */
		{{3, 1}, 2, 0.8112781244591328, 0.25, 0},
		/* f1 = 3, f2 = 1, so the estimate is 3 * 2 / (2 * 2) */
		{{1, 1, 1, 2, 3}, 5, 2.1556390622295662, 3.0 / 8, 1.5},
		/* all orders differ: f1 = 6, f2 = 0 */
		{{1, 1, 1, 1, 1, 1}, 6, 2.584962500721156, 1, 15},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_orders orders = {0};
		struct rfs_orders_summary summary;

		for (size_t k = 0; k < 6; k++)
			add(&orders, k + 14, cases[i].counts[k]); /* hashes differ in the first or in the second half */
		summary = rfs_orders_summarise(&orders);
		cr_expect_eq(summary.distinct, cases[i].distinct, "case %zu", i);
		cr_expect(fabs(summary.entropy - cases[i].entropy) < 1e-9, "case %zu: %.16g", i, summary.entropy);
		cr_expect(fabs(summary.new_probability - cases[i].new_probability) < 1e-12, "case %zu", i);
		cr_expect(fabs(summary.unseen - cases[i].unseen) < 1e-12, "case %zu: %g", i, summary.unseen);
		rfs_orders_release(&orders);
	}
}

Test(orders, list_is_sorted)
{
	struct rfs_orders orders = {0};
	struct rfs_order_count *list;

	add(&orders, 40, 2);
	add(&orders, 3, 1);
	add(&orders, 20, 2);
	cr_assert_eq(rfs_orders_list(&orders, &list), 3);
	cr_expect(list[0].count == 2 && list[0].hash[0] == 1);
	cr_expect(list[1].count == 2 && list[1].hash[0] == 2);
	cr_expect(list[2].count == 1 && list[2].hash[1] == 3);
	free(list);
	rfs_orders_release(&orders);
}

/* Two orders, seen in 4 and 1 runs. The left half of the plot is full, the right half a quarter as high. */
Test(orders, plot_is_to_scale)
{
	struct rfs_report report;
	struct rfs_report_sampling *sampling;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	rfs_report_init(&report);
	sampling = rfs_report_add_sampling(&report);
	sampling->policy = xstrdup("a<b");
	sampling->has_orders = true;
	rfs_report_add_order(sampling)->count = 4;
	rfs_report_add_order(sampling)->count = 1;
	rfs_plot_write(&report, out);
	fclose(out);
	cr_expect_not_null(strstr(text, "d=\"M0 240V0 H160 V180 H320 V240 Z\""), "%s", text);
	cr_expect_not_null(strstr(text, "a&lt;b"));
	free(text);
	rfs_report_release(&report);
}
