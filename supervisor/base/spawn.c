/* spawn.c - posix_spawnp(3) with /dev/null as standard input. */
#include "supervisor/base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"

/* Time between two looks at a program that has closed its output. */
#define LOOK_MS 10
/* The buffer grows by this. */
#define PIECE 65536

static int spawn_in(char *const *words, char *const *environment, const char *folder, int out, bool quiet, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (quiet)
		posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (folder)
		posix_spawn_file_actions_addchdir_np(&actions, folder);
	error = -posix_spawnp(pid, words[0], &actions, NULL, words, environment);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

int rfs_spawn(char *const *words, char *const *environment, int out, bool quiet, pid_t *pid)
{
	return spawn_in(words, environment, NULL, out, quiet, pid);
}

/* Reads until the end, but not longer than until this time. Caller frees the text. 0 or -errno. */
static int read_all(int fd, double end, size_t max, char **out)
{
	size_t size = 0, room = PIECE;
	char *text = xmalloc(room + 1);
	ssize_t got;

	for (;;) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		double left = end - rfs_clock();

		if (size == room)
			text = xrealloc(text, (room += PIECE) + 1);
		got = left > 0 ? poll(&ready, 1, (int)(left * 1000) + 1) : 0;
		if (got > 0 && size >= max)
			got = -1, errno = EFBIG;
		else if (got > 0)
			got = read(fd, text + size, room - size);
		else if (got == 0)
			got = -1, errno = ETIME;
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		size += (size_t)got;
	}
	text[size] = '\0';
	*out = text;
	return got < 0 ? -errno : 0;
}

/* Waits until the process ends. If it has not ended at this time, kills it. 0 or -errno. */
static int wait_until(pid_t pid, double end, int *status)
{
	pid_t ended;

	while ((ended = waitpid(pid, status, WNOHANG)) == 0 && rfs_clock() < end)
		(void)poll(NULL, 0, LOOK_MS);
	if (ended)
		return 0;
	kill(pid, SIGKILL);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	return -ETIME;
}

int rfs_spawn_read(const struct rfs_spawn_read *what, char **text, int *status)
{
	const double end = rfs_clock() + what->seconds;
	int ends[2], error, waited;
	pid_t pid;

	*text = NULL;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	error = spawn_in(what->words, what->environment, what->folder, ends[1], what->quiet, &pid);
	close(ends[1]);
	if (!error) {
		error = read_all(ends[0], end, what->max, text);
		/* after an error, it is not waited for */
		waited = wait_until(pid, error ? 0 : end, status);
		error = error ? error : waited;
	}
	close(ends[0]);
	if (error) {
		free(*text);
		*text = NULL;
	}
	return error;
}
