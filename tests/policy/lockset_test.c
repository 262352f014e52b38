#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "policy/core/lockset.h"

TestSuite(lockset, .timeout = 20);

/* Makes a lockset. Each letter is a lock: a capital letter is held exclusively, a small one shared. */
static rfs_lockset make(struct rfs_locksets *sets, const char *locks)
{
	rfs_lockset set;

	for (const char *c = locks; *c; c++)
		rfs_locksets_acquire(sets, 0, 1000 + 8 * (*c | 0x20), *c >= 'a');
	set = rfs_locksets_held(sets, 0);
	for (const char *c = locks; *c; c++)
		rfs_locksets_release(sets, 0, 1000 + 8 * (*c | 0x20));
	cr_assert_eq(rfs_locksets_held(sets, 0), RFS_LOCKSET_EMPTY);
	return set;
}

Test(lockset, protect_within_and_meet)
{
	static const struct {
		const char *a, *b;
		bool protect, a_within_b, b_within_a;
		const char *meet;
	} table[] = {
		{"", "", false, true, true, ""},	  {"", "A", false, true, false, ""},
		{"A", "A", true, true, true, "A"},	  {"a", "a", false, true, true, "a"},
		{"a", "A", true, true, false, "a"},	  {"A", "B", false, false, false, ""},
		{"A", "AB", true, true, false, "A"},	  {"ab", "aB", true, true, false, "ab"},
		{"aC", "AbC", true, true, false, "aC"},	  {"aB", "Ab", true, false, false, "ab"},
		{"ABD", "BCD", true, false, false, "BD"}, {"aD", "abcd", true, false, false, "ad"},
	};
	struct rfs_locksets *sets = rfs_locksets_new();

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		rfs_lockset a = make(sets, table[i].a), b = make(sets, table[i].b);

		cr_expect_eq(rfs_locksets_protect(sets, a, b), table[i].protect, "row %zu", i);
		cr_expect_eq(rfs_locksets_protect(sets, b, a), table[i].protect, "row %zu", i);
		cr_expect_eq(rfs_locksets_within(sets, a, b), table[i].a_within_b, "row %zu", i);
		cr_expect_eq(rfs_locksets_within(sets, b, a), table[i].b_within_a, "row %zu", i);
		cr_expect_eq(rfs_locksets_meet(sets, a, b), make(sets, table[i].meet), "row %zu", i);
		cr_expect_eq(rfs_locksets_meet(sets, b, a), make(sets, table[i].meet), "row %zu", i);
	}
	rfs_locksets_free(sets);
}

Test(lockset, equal_sets_have_equal_numbers_in_whatever_order)
{
	struct rfs_locksets *sets = rfs_locksets_new();
	rfs_lockset set = make(sets, "ABc");
	rfs_addr *addresses;
	size_t n;

	cr_expect_eq(make(sets, "cBA"), set);
	cr_expect_eq(make(sets, "ABcA"), set);
	cr_expect_neq(make(sets, "ABC"), set);
	cr_expect_eq(make(sets, "ABcC"), make(sets, "ABC")); /* a lock that is held both ways counts as exclusive */
	addresses = rfs_locksets_addresses(sets, set, &n);
	cr_expect_eq(n, 3);
	cr_expect_eq(addresses[0], 1000 + 8 * 'a');
	free(addresses);
	rfs_locksets_free(sets);
}
