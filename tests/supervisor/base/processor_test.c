/* processor_test.c - features of processors by name. */
#include "supervisor/base/processor.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(processor, .timeout = 20);

Test(processor, lacks_nothing_of_itself)
{
	cr_expect_null(rfs_processor_lacks(rfs_processor_features()));
	cr_expect_null(rfs_processor_lacks(""));
	/* all processors with 64 bits that a current Debian runs on */
	cr_expect_not_null(strstr(rfs_processor_features(), "cx16"));
}

Test(processor, what_is_missing_is_named)
{
	char *lacks = rfs_processor_lacks("none1 cx16 none22  cx1 ");

	cr_expect_str_eq(lacks, "none1, none22, cx1");
	free(lacks);
}

Test(processor, hides_what_is_not_listed)
{
	static const struct {
		const char *shown;
		uint32_t leaf, subleaf;
		enum rfs_cpuid_register in;
		uint32_t bits, left; /* of these bits */
	} cases[] = {
		{"", 1, 0, RFS_CPUID_ECX, 1u << 23 | 1u << 13, 0},		     /* popcnt, cx16 */
		{"popcnt", 1, 0, RFS_CPUID_ECX, 1u << 23 | 1u << 13, 1u << 23},	     /* one of both */
		{"popcntx", 1, 0, RFS_CPUID_ECX, 1u << 23, 0},			     /* another name */
		{"", 1, 77, RFS_CPUID_ECX, 1u << 23, 0},			     /* a leaf without subleaves */
		{"", 1, 0, RFS_CPUID_ECX, 1u << 27 | 1u << 31, 1u << 27 | 1u << 31}, /* osxsave, hypervisor */
		{"", 1, 0, RFS_CPUID_EDX, 1u << 28, 1u << 28},			     /* ht: how many there are */
		{"", 1, 0, RFS_CPUID_EAX, ~0u, ~0u},				     /* the model */
		{"avx2", 7, 0, RFS_CPUID_EBX, 1u << 5 | 1u << 16, 1u << 5},	     /* avx2, avx512f */
		{"", 7, 1, RFS_CPUID_EAX, 1u << 4, 0},				     /* avx_vnni */
		{"", 7, 2, RFS_CPUID_EBX, ~0u, ~0u},				     /* an unknown subleaf */
		{"", 0xd, 0, RFS_CPUID_EAX, ~0u, ~0u},				     /* sizes */
		{"", 0x80000001u, 0, RFS_CPUID_ECX, 1u << 5, 0},		     /* abm */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t result[4] = {~0u, ~0u, ~0u, ~0u};

		rfs_processor_hide(cases[i].shown, cases[i].leaf, cases[i].subleaf, result);
		cr_expect_eq(result[cases[i].in] & cases[i].bits, cases[i].left, "case %zu", i);
	}
}
