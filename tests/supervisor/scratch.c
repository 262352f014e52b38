/* scratch.c - a separate folder for a test, and files in it. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/supervisor/scratch.h"

char *scratch_enter(void)
{
	char *path = strdup("/tmp/rfsup-test.XXXXXX");

	cr_assert_not_null(mkdtemp(path));
	cr_assert_eq(chdir(path), 0);
	return path;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st, (void)type, (void)where;
	return remove(path);
}

void scratch_leave(char *path)
{
	cr_assert_eq(chdir("/"), 0);
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(path);
}

void scratch_file(const char *name, const void *data, size_t n, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	cr_assert(fd >= 0 && write(fd, data, n) == (ssize_t)n && fchmod(fd, mode) == 0, "%s", name);
	close(fd);
}

char *scratch_read(const char *name)
{
	FILE *in = fopen(name, "re");
	char *text = calloc(1, 1 << 20);

	if (!in) {
		free(text);
		return NULL;
	}
	text[fread(text, 1, (1 << 20) - 1, in)] = '\0';
	fclose(in);
	return text;
}
