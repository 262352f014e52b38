/* site_test.c - sites as numbers. Traces and records contain these numbers, so the encoding must never change. */
#include "supervisor/base/site.h"

#include <criterion/criterion.h>

TestSuite(site, .timeout = 30);

Test(site, is_module_and_address)
{
	static const struct {
		size_t module;
		uint64_t vaddr;
		rfs_site site;
	} rows[] = {
		{0, 0, 0x10000000000},
		{0, 0x1189, 0x10000001189},
		{1, 0x1189, 0x20000001189},
		{255, 0xffffffffff, 0x100ffffffffff},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t vaddr;
		size_t module;

		cr_expect_eq(rfs_site_make(rows[i].module, rows[i].vaddr), rows[i].site, "row %zu", i);
		cr_assert(rfs_site_split(rows[i].site, &module, &vaddr), "row %zu", i);
		cr_expect(module == rows[i].module && vaddr == rows[i].vaddr, "row %zu", i);
	}
}

Test(site, may_be_in_no_module)
{
	uint64_t vaddr = 1;
	size_t module = 2;

	cr_expect_not(rfs_site_split(0, &module, &vaddr));
	cr_expect_not(rfs_site_split(0xffffffffff, &module, &vaddr));
	cr_expect(module == 2 && vaddr == 1);
}
