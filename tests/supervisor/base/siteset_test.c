/* siteset_test.c - sets of sites are sorted and have no duplicates. */
#include "supervisor/base/siteset.h"

#include <criterion/criterion.h>

TestSuite(siteset, .timeout = 30);

Test(siteset, keeps_each_site_once_and_in_order)
{
	static const struct {
		const char *module;
		uint64_t offset;
		bool new;
	} added[] = {{"/bin/b", 5, true},
		     {"/bin/a", 9, true},
		     {"/bin/b", 5, false},
		     {"/bin/b", 1, true},
		     {"/bin/a", 9, false}};
	static const struct rfs_site_ref sorted[] = {{"/bin/a", 9}, {"/bin/b", 1}, {"/bin/b", 5}};
	struct rfs_site_set set = {0};

	for (size_t i = 0; i < sizeof(added) / sizeof(*added); i++)
		cr_expect_eq(rfs_site_set_add(&set, added[i].module, added[i].offset), added[i].new, "row %zu", i);
	cr_assert_eq(set.n, sizeof(sorted) / sizeof(*sorted));
	for (size_t i = 0; i < set.n; i++) {
		cr_expect_str_eq(set.sites[i].module, sorted[i].module);
		cr_expect_eq(set.sites[i].offset, sorted[i].offset);
		cr_expect(rfs_site_set_has(&set, sorted[i].module, sorted[i].offset));
	}
	cr_expect_not(rfs_site_set_has(&set, "/bin/a", 5));
	cr_expect_not(rfs_site_set_has(&set, "/bin/c", 9));
	rfs_site_set_release(&set);
	cr_expect(set.n == 0 && !set.sites);
}

Test(siteset, joins_and_compares)
{
	struct rfs_site_set a = {0}, b = {0};

	cr_expect(rfs_site_set_equal(&a, &b));
	rfs_site_set_add(&a, "/bin/a", 1);
	rfs_site_set_add(&b, "/bin/a", 1);
	rfs_site_set_add(&b, "/bin/a", 2);
	cr_expect_not(rfs_site_set_equal(&a, &b));
	cr_expect(rfs_site_set_join(&a, &b));
	cr_expect(rfs_site_set_equal(&a, &b));
	cr_expect_not(rfs_site_set_join(&a, &b));
	rfs_site_set_release(&a);
	rfs_site_set_release(&b);
}

Test(siteset, orders_sites_by_module_then_offset)
{
	cr_expect_lt(rfs_site_compare("/bin/a", 9, "/bin/b", 1), 0);
	cr_expect_lt(rfs_site_compare("/bin/a", 1, "/bin/a", 9), 0);
	cr_expect_gt(rfs_site_compare("/bin/a", UINT64_MAX, "/bin/a", 0), 0);
	cr_expect_eq(rfs_site_compare("/bin/a", 9, "/bin/a", 9), 0);
}
