/* file_test.c - reading whole files. */
#include "supervisor/base/file.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(file, .timeout = 20);

Test(file, read)
{
	enum { SIZE = 200000 };
	char path[] = "/tmp/rfsup-file-XXXXXX", *data = malloc(SIZE), *buf;
	int fd = mkstemp(path);
	size_t n;

	cr_assert(data && fd >= 0);
	memset(data, 'a', SIZE);
	cr_assert_eq(write(fd, data, SIZE), SIZE);
	close(fd);
	cr_assert_eq(rfs_file_read(path, SIZE, &buf, &n), 0);
	cr_expect(n == SIZE && memcmp(buf, data, SIZE) == 0);
	free(buf);
	cr_expect_eq(rfs_file_read(path, SIZE - 1, &buf, &n), -EFBIG);
	cr_expect_eq(truncate(path, 0), 0);
	cr_assert_eq(rfs_file_read(path, SIZE, &buf, &n), 0);
	cr_expect_eq(n, 0);
	free(buf);
	unlink(path);
	free(data);
	cr_expect_eq(rfs_file_read("/nonexistent", SIZE, &buf, &n), -ENOENT);
	cr_expect_eq(rfs_file_read("/", SIZE, &buf, &n), -EISDIR);
}
