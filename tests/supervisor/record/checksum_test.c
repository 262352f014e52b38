/* checksum_test.c - the checksum of a file is the XXH3 hash of its bytes. */
#include "supervisor/record/checksum.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/supervisor/scratch.h"

TestSuite(checksum, .timeout = 20);

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Records contain checksums. If the hash function changed, every old record would refuse its program. */
Test(checksum, of_nothing_is_known)
{
	char digits[RFS_CHECKSUM_SIZE];

	/* from xxHash's self test: XXH3_128bits of 0 bytes with seed 0 */
	rfs_checksum("", 0, digits);
	cr_expect_str_eq(digits, "99aa06d3014798d86001c324468d497f");
}

Test(checksum, of_a_file_is_that_of_its_bytes)
{
	static const size_t sizes[] = {0, 1, 240, 241, 65535, 65536, 65537, 200000};
	char *scratch = scratch_enter(), *bytes = calloc(1, 200000), *last = strdup("");

	cr_assert_not_null(bytes);
	for (size_t i = 0; i < 200000; i++)
		bytes[i] = (char)(i * 7 + i / 251);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		char of_bytes[RFS_CHECKSUM_SIZE], of_file[RFS_CHECKSUM_SIZE];

		scratch_file("file", bytes, sizes[i], 0600);
		rfs_checksum(bytes, sizes[i], of_bytes);
		cr_assert_eq(rfs_checksum_file("file", of_file), 0);
		cr_expect_str_eq(of_file, of_bytes, "%zu bytes", sizes[i]);
		cr_expect_eq(strlen(of_file), RFS_CHECKSUM_SIZE - 1);
		cr_expect_str_neq(of_file, last, "%zu bytes", sizes[i]);
		free(last);
		last = strdup(of_file);
	}
	free(last);
	free(bytes);
	scratch_leave(scratch);
}

Test(checksum, of_what_cannot_be_read)
{
	char *scratch = scratch_enter(), digits[RFS_CHECKSUM_SIZE];

	cr_expect_eq(rfs_checksum_file("none", digits), -ENOENT);
	cr_expect_eq(rfs_checksum_file(".", digits), -EIO, "a folder");
	scratch_leave(scratch);
}
