/* family_test.c - which memory the processes of a run share, and how their other memory is named. */
#include "supervisor/state/core/family.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "supervisor/base/memory_name.h"
#include "supervisor/record/run_result.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"

TestSuite(family, .timeout = 30);

/* Whether the memory at the address has a name, so that other processes have other memory there. */
static bool is_apart(const struct rfs_run *run, const struct rfs_thread *thread, rfs_addr address)
{
	return rfs_family_name(run, thread, address) != address;
}

static unsigned add(struct rfs_run *run, struct rfs_thread *thread, const char *text)
{
	FILE *maps = fmemopen((void *)text, strlen(text), "r");
	unsigned n;

	cr_assert(maps);
	n = rfs_family_add(run, thread, NULL, maps);
	fclose(maps);
	return n;
}

Test(family, shares_what_was_shared_at_the_fork)
{
	struct rfs_thread program = {0}, first = {.number = 1}, second = {.number = 2};
	struct rfs_run run = {0};

	cr_expect_not(rfs_family_any(&run));
	rfs_family_open(&run);
	cr_expect(rfs_family_any(&run));
	cr_expect_eq(add(&run, &first,
			 "8000-a000 rw-s 00000000 00:01 7 /dev/zero (deleted)\n"
			 "b000-c000 rw-p 00000000 00:00 0\n"),
		     1);
	cr_expect_eq(add(&run, &second,
			 "8000-a000 rw-s 00000000 00:01 7 /dev/zero (deleted)\n"
			 "b000-c000 rw-s 00000000 00:01 8 /dev/zero (deleted)\n"),
		     2);
	cr_expect_not(is_apart(&run, &first, 0x9fff));
	cr_expect(is_apart(&run, &first, 0xa000));
	cr_expect(is_apart(&run, &first, 0xb000));
	cr_expect_not(is_apart(&run, &second, 0xb000));
	cr_expect_not(is_apart(&run, &program, 0xb000), "all memory of the program is followed");
	cr_expect_neq(rfs_family_name(&run, &first, 0xd000), rfs_family_name(&run, &second, 0xd000));
	rfs_family_release(&run);
}

Test(family, shares_no_memory_that_was_unmapped)
{
	struct rfs_thread program = {0}, first = {.number = 1}, second = {.number = 2};
	struct rfs_run run = {0};
	const char *maps = "8000-c000 rw-s 00000000 00:01 7 /dev/zero (deleted)\n";

	rfs_family_open(&run);
	add(&run, &first, maps);
	add(&run, &second, maps);
	rfs_family_unmapped(&run, &first, 0x9000, 0x1000);
	cr_expect(is_apart(&run, &first, 0x9000));
	cr_expect_not(is_apart(&run, &first, 0x8fff));
	cr_expect_not(is_apart(&run, &first, 0xa000));
	cr_expect_not(is_apart(&run, &second, 0x9000));
	rfs_family_unmapped(&run, &program, 0xa000, 0x2000);
	cr_expect(is_apart(&run, &first, 0xa000));
	cr_expect(is_apart(&run, &second, 0xbfff));
	cr_expect_not(is_apart(&run, &second, 0x9000));
	rfs_family_release(&run);
}

Test(family, a_name_has_the_address_and_the_process)
{
	static const rfs_addr plain[] = {0, 0x1000, 0x7ffffffff000, UINT64_MAX, UINT64_C(1) << 60};
	struct rfs_thread thread = {.number = 1};
	struct rfs_run run = {0};
	rfs_addr name;

	rfs_family_open(&run);
	add(&run, &thread, "8000-a000 rw-s 00000000 00:01 7 /dev/zero (deleted)\n");
	name = rfs_family_name(&run, &thread, 0xb008);
	cr_expect_eq(rfs_memory_address(name), 0xb008);
	cr_expect_eq(rfs_memory_process(name), 1);
	cr_expect_eq(name + 8, rfs_family_name(&run, &thread, 0xb010), "an object has its members at the same offsets");
	cr_expect_eq(rfs_family_name(&run, &thread, name), name, "a name is not named again");
	cr_expect_eq(rfs_family_name(&run, &thread, 0), 0, "no object has no name");
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
		cr_expect_eq(rfs_memory_process(plain[i]), 0);
		cr_expect_eq(rfs_memory_address(plain[i]), plain[i]);
	}
	rfs_family_release(&run);
}

Test(family, own_memory_counts_once_there_are_threads)
{
	struct rfs_thread program = {0}, first = {.number = 1}, second = {.number = 2};
	struct rfs_run_result result = {0};
	struct rfs_run run = {.result = &result};
	const char *maps = "8000-a000 rw-s 00000000 00:01 7 /dev/zero (deleted)\n";

	rfs_family_open(&run);
	add(&run, &first, maps);
	add(&run, &second, maps);
	cr_expect(rfs_family_counts(&run, &program, 0xb000));
	cr_expect(rfs_family_counts(&run, &first, 0x8000));
	cr_expect_not(rfs_family_counts(&run, &first, 0xb000));
	rfs_family_threaded(&run, &first);
	cr_expect(rfs_family_counts(&run, &first, 0xb000));
	cr_expect_not(rfs_family_counts(&run, &second, 0xb000));
	cr_expect_eq(result.n_warnings, 0);
	rfs_family_uses_openmp(&run, &first);
	cr_expect_eq(result.n_warnings, 1, "the report says what is not predicted");
	cr_expect_not(rfs_family_counts(&run, &first, 0xb000));
	cr_expect_not(rfs_family_counts(&run, &first, 0x8000));
	rfs_run_result_release(&result);
	rfs_family_release(&run);
}
