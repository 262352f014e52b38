/* oracle_test.c - the sequential orders of a test's calls. */
#include "supervisor/generate/tests/oracle.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/generate/tests/sequence.h"

TestSuite(oracle, .timeout = 30);

Test(oracle, lists_each_interleaving_of_whole_calls_once)
{
	static const struct {
		size_t calls[2], n;
	} rows[] = {{{2, 2}, 6}, {{1, 1}, 2}, {{1, 2}, 3}, {{3, 3}, 20}, {{4, 1}, 5}, {{9, 8}, 0}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct rfs_sequence test = {.n = {5, rows[i].calls[0], rows[i].calls[1]}};
		char(*orders)[RFS_ORDER_MAX + 1];
		size_t n = rfs_linearisations(&test, &orders);

		cr_assert_eq(n, rows[i].n, "row %zu: %zu", i, n);
		for (size_t k = 0; k < n; k++) {
			size_t ones = 0;

			for (const char *at = orders[k]; *at; at++)
				ones += *at == '1';
			cr_expect_eq(ones, rows[i].calls[0]);
			cr_expect_eq(strlen(orders[k]) - ones, rows[i].calls[1]);
			for (size_t other = 0; other < k; other++)
				cr_expect_str_neq(orders[k], orders[other]);
		}
		free(orders);
	}
}

Test(oracle, begins_with_all_of_one_suffix_and_ends_with_all_of_the_other)
{
	const struct rfs_sequence test = {.n = {0, 2, 2}};
	char(*orders)[RFS_ORDER_MAX + 1];
	size_t n = rfs_linearisations(&test, &orders);

	cr_expect_str_eq(orders[0], "1122");
	cr_expect_str_eq(orders[n - 1], "2211");
	free(orders);
}
