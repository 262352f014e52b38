/* address_set_test.c - sets of addresses. */
#include "supervisor/base/address_set.h"

#include <criterion/criterion.h>

TestSuite(address_set, .timeout = 30);

Test(address_set, holds_what_was_added)
{
	struct rfs_address_set *set = NULL, *other = NULL;

	cr_expect_not(rfs_address_set_has(set, 0));
	for (rfs_addr a = 0; a < 4000; a += 8)
		rfs_address_set_add(&set, a);
	rfs_address_set_add(&set, 80);
	cr_expect_eq(HASH_COUNT(set), 500);
	cr_expect(rfs_address_set_has(set, 0) && rfs_address_set_has(set, 3992));
	cr_expect_not(rfs_address_set_has(set, 4000) || rfs_address_set_has(set, 1));

	rfs_address_set_add(&other, UINT64_MAX);
	rfs_address_set_add(&other, 16);
	rfs_address_set_join(&other, set);
	rfs_address_set_join(&other, NULL);
	cr_expect_eq(HASH_COUNT(other), 501);
	cr_expect(rfs_address_set_has(other, UINT64_MAX) && rfs_address_set_has(other, 8));
	rfs_address_set_release(&set);
	cr_expect(!set && rfs_address_set_has(other, 8));
	rfs_address_set_release(&other);
	cr_expect_null(other);
}

Test(address_set, removes_a_range)
{
	struct rfs_address_set *set = NULL;

	rfs_address_set_remove(&set, 0, 100);
	for (rfs_addr a = 0; a < 400; a += 8)
		rfs_address_set_add(&set, a);
	rfs_address_set_add(&set, UINT64_MAX);
	rfs_address_set_remove(&set, 9, 16); /* 16 and 24 */
	cr_expect_eq(HASH_COUNT(set), 49);
	cr_expect(rfs_address_set_has(set, 8) && rfs_address_set_has(set, 32) && !rfs_address_set_has(set, 16));
	rfs_address_set_remove(&set, 200, UINT64_C(1) << 40);
	cr_expect_eq(HASH_COUNT(set), 24);
	cr_expect(rfs_address_set_has(set, 192) && rfs_address_set_has(set, UINT64_MAX));
	rfs_address_set_remove(&set, UINT64_MAX, 1);
	cr_expect_eq(HASH_COUNT(set), 23);
	rfs_address_set_release(&set);
}
