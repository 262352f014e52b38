/* output.c - makes the folder, and writes each file under another name before it gets its own. */
#include "supervisor/base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"

#define DEFAULT_NAME "rfsup.out."
/* The last number that is tried for a new folder. The search always starts at 1 and skips folders that exist. */
#define LAST_NUMBER 1000000

static int output_write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		size -= (size_t)n;
	}
	return 0;
}

/* A write past RLIMIT_FSIZE raises SIGXFSZ, which would end rfsup without a message. So the signal is blocked during
 * the write and removed afterwards, and write() fails with EFBIG. Ignoring the signal would be simpler, but the target
 * would inherit that. */
int rfs_file_write(int fd, const char *data, size_t size)
{
	const struct timespec now = {0};
	sigset_t limit, old;
	int error;

	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &limit, &old);
	error = output_write_all(fd, data, size);
	if (error == -EFBIG && !sigismember(&old, SIGXFSZ))
		sigtimedwait(&limit, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return error;
}

/* Opens the folder at output->path and creates RFS_OUTPUT_MARK in it. Fails if the mark exists. */
static int output_take(struct rfs_output *output, char *const *command, char *why, size_t n)
{
	char *text = NULL;
	size_t size;
	FILE *memory;
	int fd, error;

	output->fd = open(output->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (output->fd < 0)
		return rfs_why(why, n, -errno, "cannot open the output directory '%s': %s", output->path,
			       strerror(errno));
	fd = openat(output->fd, RFS_OUTPUT_MARK, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 && errno == EEXIST)
		return rfs_why(why, n, -EEXIST,
			       "the output directory '%s' already holds a run; choose another with -o or remove it",
			       output->path);
	if (fd < 0)
		return rfs_why(why, n, -errno, "cannot write to the output directory '%s': %s", output->path,
			       strerror(errno));
	memory = open_memstream(&text, &size);
	for (char *const *word = command; memory && *word; word++)
		fprintf(memory, "%s%s", word == command ? "" : " ", *word);
	if (!memory || fputc('\n', memory) == EOF || fclose(memory) != 0)
		die("out of memory while writing the command line");
	error = rfs_file_write(fd, text, size);
	free(text);
	if (close(fd) < 0 && !error)
		error = -errno;
	if (error) {
		unlinkat(output->fd, RFS_OUTPUT_MARK, 0);
		return rfs_why(why, n, error, "cannot write to the output directory '%s': %s", output->path,
			       strerror(-error));
	}
	return 0;
}

/*
 * Makes the folder. Only the user may read it, because it holds the environment and the input of the program. 0: it is
 * new. 1: it existed already. Otherwise -errno. */
static int output_make_it(const char *path)
{
	if (mkdir(path, 0700) == 0)
		return 0;
	return errno == EEXIST ? 1 : -errno;
}

int rfs_output_open(const char *dir, char *const *command, struct rfs_output *out, char *why, size_t n)
{
	int made, error;

	*out = (struct rfs_output){.fd = -1};
	if (dir) {
		out->path = xstrdup(dir);
		made = output_make_it(dir);
	} else {
		made = 1;
		for (int i = 1; made == 1 && i < LAST_NUMBER; i++) {
			free(out->path);
			out->path = xasprintf(DEFAULT_NAME "%d", i);
			made = output_make_it(out->path);
		}
		if (made == 1)
			made = -EEXIST;
	}
	if (made < 0)
		error = rfs_why(why, n, made, "cannot create the output directory '%s': %s; choose another with -o",
				out->path, strerror(-made));
	else
		error = output_take(out, command, why, n);
	if (error) {
		if (made == 0)
			rmdir(out->path);
		rfs_output_close(out);
	}
	return error;
}

int rfs_output_reopen(const char *dir, struct rfs_output *out, char *why, size_t n)
{
	int error;

	*out = (struct rfs_output){.path = xstrdup(dir), .fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
	if (out->fd >= 0)
		return 0;
	error = rfs_why(why, n, -errno, "cannot open the output directory '%s': %s", dir, strerror(errno));
	rfs_output_close(out);
	return error;
}

void rfs_output_close(struct rfs_output *output)
{
	if (output->fd >= 0)
		close(output->fd);
	free(output->path);
	*output = (struct rfs_output){.fd = -1};
}

void rfs_output_discard(struct rfs_output *output)
{
	unlinkat(output->fd, RFS_OUTPUT_MARK, 0);
	rmdir(output->path); /* rmdir() leaves a folder that is not empty */
	rfs_output_close(output);
}

char *rfs_output_file(const struct rfs_output *output, const char *name)
{
	return xasprintf("%s/%s", output->path, name);
}

/* folder: the descriptor that `name` is relative to; AT_FDCWD: the working directory. mode: of the new file. */
static int output_replace(int folder, const char *name, const void *data, size_t size, mode_t mode, bool sync)
{
	/* the process id makes the name unique: parallel jobs write into one folder */
	char *temporary = xasprintf("%s.%d.tmp", name, (int)getpid());
	int fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	int error = fd < 0 ? -errno : rfs_file_write(fd, data, size);

	if (!error && sync && fsync(fd) < 0)
		error = -errno;
	/* a network file system may report a full disk only now */
	if (fd >= 0 && close(fd) < 0 && !error)
		error = -errno;
	if (!error && renameat(folder, temporary, folder, name) < 0)
		error = -errno;
	if (error && fd >= 0)
		unlinkat(folder, temporary, 0);
	free(temporary);
	return error;
}

int rfs_file_replace(const char *path, const void *data, size_t size, mode_t mode, bool sync)
{
	return output_replace(AT_FDCWD, path, data, size, mode, sync);
}

int rfs_output_write(const struct rfs_output *output, const char *name, const void *data, size_t size, char *why,
		     size_t n)
{
	int error = output_replace(output->fd, name, data, size, 0600, true);

	if (error)
		return rfs_why(why, n, error, "cannot write '%s/%s': %s", output->path, name, strerror(-error));
	return 0;
}

int rfs_output_print(FILE *stream, const char *name, const void *data, size_t size, char *why, size_t n)
{
	errno = 0;
	if (fwrite(data, 1, size, stream) != size || fflush(stream) != 0) {
		int error = errno ? errno : EIO;

		return rfs_why(why, n, -error, "cannot write to %s: %s", name, strerror(error));
	}
	return 0;
}
