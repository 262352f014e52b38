/* aliases_test.c - which addresses are the same memory. */
#include "supervisor/state/core/aliases.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "supervisor/state/core/run_state.h"

TestSuite(aliases, .timeout = 30);

static void read_maps(struct rfs_run *run, const char *text)
{
	FILE *maps = fmemopen((void *)text, strlen(text), "r");

	cr_assert(maps);
	rfs_aliases_read(run, maps);
	fclose(maps);
}

Test(aliases, a_page_that_is_mapped_twice_has_the_address_of_the_older_mapping)
{
	struct rfs_run run = {0};

	read_maps(&run, "9000-a000 rw-s 00000000 00:01 7 /memfd:x (deleted)\n");
	cr_expect_not(rfs_aliases_any(&run));
	cr_expect_eq(rfs_location(&run, 0x9010), 0x9010);
	/* the kernel puts new mappings below the old ones */
	read_maps(&run, "8000-9000 rw-s 00000000 00:01 7 /memfd:x (deleted)\n"
			"9000-a000 rw-s 00000000 00:01 7 /memfd:x (deleted)\n");
	cr_expect(rfs_aliases_any(&run));
	cr_expect_eq(rfs_location(&run, 0x8010), 0x9010);
	cr_expect_eq(rfs_location(&run, 0x8fff), 0x9fff);
	cr_expect_eq(rfs_location(&run, 0x9010), 0x9010);
	cr_expect_eq(rfs_location(&run, 0x7fff), 0x7fff);
	cr_expect_eq(rfs_location(&run, 0xa000), 0xa000);
	cr_expect(rfs_aliases_share(&run, 0x9800, 1));
	cr_expect(rfs_aliases_share(&run, 0x7000, 0x1001));
	cr_expect_not(rfs_aliases_share(&run, 0x7000, 0x1000));
	/* the older one is gone */
	read_maps(&run, "8000-9000 rw-s 00000000 00:01 7 /memfd:x (deleted)\n");
	cr_expect_not(rfs_aliases_any(&run));
	cr_expect_eq(rfs_location(&run, 0x8010), 0x8010);
	rfs_aliases_release(&run);
}

Test(aliases, only_shared_pages_of_one_file_at_one_offset_are_the_same)
{
	static const char *const others[] = {
		"8000-9000 rw-p 00000000 00:01 7 /a\n", /* copied when it is written */
		"8000-9000 rw-s 00000000 00:01 8 /b\n", "8000-9000 rw-s 00000000 00:02 7 /c\n",
		"8000-9000 rw-s 00001000 00:01 7 /a\n", "8000-9000 rw-s 00000000 00:00 0 \n",
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct rfs_run run = {0};
		char text[200];

		snprintf(text, sizeof(text), "%s%s", others[i], "9000-a000 rw-s 00000000 00:01 7 /a\n");
		read_maps(&run, text);
		cr_expect_not(rfs_aliases_any(&run), "%s", text);
		rfs_aliases_release(&run);
	}
}

Test(aliases, parts_of_a_mapping_may_be_in_several_older_ones)
{
	struct rfs_run run = {0}, copy = {0};
	const char *old = "20000-21000 rw-s 00001000 00:01 7 /a\n"
			  "30000-32000 r--s 00003000 00:01 7 /a\n";
	char text[300];

	read_maps(&run, old);
	snprintf(text, sizeof(text), "%s%s", old, "10000-16000 rw-s 00000000 00:01 7 /a\n");
	read_maps(&run, text);
	rfs_aliases_copy(&run, &copy);
	rfs_aliases_release(&run);
	for (rfs_addr page = 0x10000; page < 0x16000; page += 0x1000) {
		const rfs_addr location = page == 0x11000   ? 0x20000
					  : page == 0x13000 ? 0x30000
					  : page == 0x14000 ? 0x31000
							    : page;

		cr_expect_eq(rfs_location(&copy, page + 8), location + 8, "%#lx", (unsigned long)page);
	}
	rfs_aliases_release(&copy);
}
