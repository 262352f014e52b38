/* file.c - reads to the end, because the size of files in /proc is not known before. */
#include "supervisor/base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "supervisor/base/alloc.h"

int rfs_file_read(const char *path, uint64_t max, char **buf, size_t *n)
{
	FILE *in = fopen(path, "re");
	size_t room = 1 << 16, got;
	int error = 0;

	if (!in)
		return -errno;
	*buf = xmalloc(room);
	*n = 0;
	while ((got = fread(*buf + *n, 1, room - *n, in)) > 0) {
		*n += got;
		if (*n > max) {
			error = -EFBIG;
			break;
		}
		if (*n == room)
			*buf = xrealloc(*buf, room *= 2);
	}
	if (!error && ferror(in))
		error = errno ? -errno : -EIO;
	fclose(in);
	if (error)
		free(*buf);
	return error;
}
