/*
 * file.c - reads to the end, because the size of files in /proc is not known before. Searches a mapping, because a
 * program may be large.
 */
#include "supervisor/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

bool rfs_file_has(const char *path, const char *const *texts, size_t n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	bool found = false;
	void *map;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (map != MAP_FAILED) {
			for (size_t i = 0; i < n && !found; i++)
				found = texts[i] && memmem(map, (size_t)st.st_size, texts[i], strlen(texts[i]));
			munmap(map, (size_t)st.st_size);
		}
	}
	close(fd);
	return found;
}
