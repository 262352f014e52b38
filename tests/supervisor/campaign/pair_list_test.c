/* pair_list_test.c - pairs of several runs are joined by statement and have a defined order. */
#include "supervisor/campaign/predicted/pair_list.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/record/run_result.h"
#include "supervisor/symbols/symbolize.h"

TestSuite(pair_list, .timeout = 20);

enum { PLAIN = RFS_ACCESS_WRITE, LOCKED = RFS_ACCESS_WRITE | RFS_ACCESS_READ | RFS_ACCESS_ATOMIC };

struct race {
	const char *module[2]; /* NULL: code outside all modules */
	uint64_t offset[2];
	unsigned access;
	bool atomic_seen, ordered;
};

/* Joins the races that one run predicts. */
static void join(struct rfs_pair_list *pairs, struct rfs_symbols *symbols, const struct race *races, size_t n)
{
	struct rfs_run_result result = {.prediction.n = n,
					.prediction.races = xcalloc(n, sizeof(*result.prediction.races))};

	for (size_t i = 0; i < n; i++) {
		result.prediction.races[i].atomic_seen = races[i].atomic_seen;
		result.prediction.races[i].ordered = races[i].ordered;
		for (int k = 0; k < 2; k++) {
			struct rfs_evidence *side = &result.prediction.races[i].side[k];

			side->site.module = races[i].module[k] ? xstrdup(races[i].module[k]) : NULL;
			side->site.offset = races[i].offset[k];
			side->access = races[i].access;
			side->size = 4;
		}
	}
	rfs_pair_list_join(pairs, symbols, &result);
	rfs_run_result_release(&result);
}

Test(pair_list, the_order_of_runs_and_sides_does_not_count)
{
	static const struct race first[] = {
		{{"/no/b", "/no/a"}, {0x10, 0x30}, PLAIN, false, true},
		{{"/no/a", "/no/a"}, {0x20, 0x10}, PLAIN, false, true},
	};
	static const struct race second[] = {
		{{"/no/a", "/no/a"}, {0x10, 0x20}, PLAIN, true, false},
		{{"/no/a", "/no/a"}, {0x10, 0x10}, PLAIN, false, false},
	};
	static const struct {
		const char *module[2];
		uint64_t offset[2];
		const char *label;
		bool atomic_seen, ordered;
	} wanted[] = {
		{{"/no/a", "/no/a"}, {0x10, 0x10}, "pair-1", false, false},
		{{"/no/a", "/no/a"}, {0x10, 0x20}, "pair-2", true, false},
		{{"/no/a", "/no/b"}, {0x30, 0x10}, "pair-3", false, true},
	};

	for (int swapped = 0; swapped < 2; swapped++) {
		struct rfs_symbols *symbols = rfs_symbols_new();
		struct rfs_pair_list pairs = {0};

		join(&pairs, symbols, swapped ? second : first, 2);
		join(&pairs, symbols, swapped ? first : second, 2);
		rfs_pair_list_settle(&pairs);
		cr_assert_eq(pairs.n, 3);
		cr_expect_eq(rfs_pair_list_sites(&pairs)->n, 4);
		for (size_t i = 0; i < 3; i++) {
			const struct rfs_pair *pair = pairs.list[i];

			cr_expect(pair->predicted);
			cr_expect_str_eq(pair->label, wanted[i].label);
			cr_expect_eq(pair->evidence.atomic_seen, wanted[i].atomic_seen, "pair %zu", i);
			cr_expect_eq(pair->evidence.ordered, wanted[i].ordered, "pair %zu", i);
			for (int k = 0; k < 2; k++) {
				const struct rfs_statement *statement = &pair->statements.statement[k];

				cr_assert_eq(statement->n_sites, 1);
				cr_expect_str_eq(statement->sites[0].module, wanted[i].module[k], "pair %zu", i);
				cr_expect_eq(statement->sites[0].offset, wanted[i].offset[k], "pair %zu", i);
			}
		}
		rfs_pair_list_release(&pairs);
		cr_expect_eq(pairs.n, 0);
		rfs_symbols_free(symbols);
	}
}

Test(pair_list, atomic_and_unnamed_ones_are_counted_only)
{
	static const struct race races[] = {
		{{"/no/a", "/no/a"}, {0x10, 0x20}, LOCKED, false, false},
		{{"/no/a", NULL}, {0x10, 0x20}, PLAIN, false, false},
		{{NULL, "/no/a"}, {0x10, 0x20}, PLAIN, false, false},
		{{"/no/a", "/no/a"}, {0x30, 0x40}, PLAIN, false, false},
	};
	struct rfs_symbols *symbols = rfs_symbols_new();
	struct rfs_pair_list pairs = {0};

	join(&pairs, symbols, races, 4);
	cr_expect_eq(pairs.n, 1);
	cr_expect_eq(pairs.n_atomic, 1);
	cr_expect_eq(pairs.n_unnamed, 2);
	rfs_pair_list_release(&pairs);
	rfs_symbols_free(symbols);
}

/* Pairs that later runs bring come behind the others. What a run already points to must not move. */
Test(pair_list, later_ones_are_added_at_the_end)
{
	static const struct race first[] = {{{"/no/b", "/no/b"}, {0x10, 0x20}, PLAIN, false, false}};
	static const struct race later[] = {
		{{"/no/b", "/no/b"}, {0x10, 0x20}, PLAIN, false, false},
		{{"/no/a", "/no/b"}, {0x30, 0x10}, PLAIN, false, false},
		{{"/no/a", "/no/a"}, {0x10, 0x10}, PLAIN, false, false},
	};
	struct rfs_symbols *symbols = rfs_symbols_new();
	struct rfs_pair_list pairs = {0};
	const struct rfs_site_set *before;
	const struct rfs_pair *pair;

	cr_expect_eq(rfs_pair_list_sites(&pairs)->n, 0);
	join(&pairs, symbols, first, 1);
	rfs_pair_list_settle(&pairs);
	pair = pairs.list[0];
	before = rfs_pair_list_sites(&pairs);
	rfs_pair_list_settle(&pairs);
	cr_expect_eq(rfs_pair_list_sites(&pairs), before, "nothing was added");
	join(&pairs, symbols, later, 3);
	cr_expect_eq(rfs_pair_list_sites(&pairs), before, "nothing was settled");
	rfs_pair_list_settle(&pairs);
	cr_assert_eq(pairs.n, 3);
	cr_expect_eq(pairs.list[0], pair);
	cr_expect_eq(before->n, 2);
	cr_expect_eq(rfs_pair_list_sites(&pairs)->n, 4);
	cr_expect_str_eq(pairs.list[1]->label, "pair-2");
	cr_expect_eq(pairs.list[1]->evidence.side[1].site.offset, 0x10);
	cr_expect_str_eq(pairs.list[1]->evidence.side[1].site.module, "/no/a");
	rfs_pair_list_release(&pairs);
	rfs_symbols_free(symbols);
}

/* Pairs of a --pairs file keep their order, because the report uses it. */
Test(pair_list, named_ones_stay_where_they_are)
{
	static const uint64_t offsets[] = {0x50, 0x10};
	struct rfs_pair_list pairs = {0};

	for (int i = 0; i < 2; i++) {
		struct rfs_pair *pair = rfs_pair_list_add(&pairs);

		for (int k = 0; k < 2; k++) {
			struct rfs_site_ref *site = xcalloc(1, sizeof(*site));

			*site = (struct rfs_site_ref){.module = xstrdup("/no/a"), .offset = offsets[i] + (uint64_t)k};
			pair->statements.statement[k] = (struct rfs_statement){.sites = site, .n_sites = 1};
		}
	}
	rfs_pair_list_settle(&pairs);
	cr_expect_eq(pairs.list[0]->statements.statement[0].sites[0].offset, 0x50);
	cr_expect_str_eq(pairs.list[1]->label, "pair-2");
	cr_expect_eq(rfs_pair_list_sites(&pairs)->n, 4);
	rfs_pair_list_release(&pairs);
}
