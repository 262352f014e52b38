/* gtest_list.c - runs the program with --gtest_list_tests and reads its output. */
#include "supervisor/cli/campaign/gtest_list.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/error.h"
#include "supervisor/base/spawn.h"

/* A list of more than this is not read. */
#define LIST_SIZE (16u << 20)
/* The time in which the program must list its tests and end. */
#define LIST_SECONDS 60
/* Time between two looks at a program that has listed them. */
#define LOOK_MS 10

/* GoogleTest does not run tests and suites whose names begin so; in "Instance/Suite", the part after the slash. */
static bool is_disabled(const char *name, size_t n)
{
	static const char word[] = "DISABLED_";
	const char *slash = memchr(name, '/', n);
	bool here = n >= sizeof(word) - 1 && strncmp(name, word, sizeof(word) - 1) == 0;

	return here || (slash && is_disabled(slash + 1, n - (size_t)(slash + 1 - name)));
}

/*
 * A line without indent is a suite, and ends with a dot. An indented line is a test of it. A comment, which begins with
 * '#', may follow. Other lines are output of the program.
 */
void rfs_gtest_list_parse(const char *text, struct rfs_gtest_list *out)
{
	const char *suite = NULL;
	size_t n_suite = 0;

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		size_t indent = strspn(line, " "), n = strcspn(line + indent, " \t\r\n");
		const char *name = line + indent;

		if (!n)
			continue;
		if (!indent) {
			suite = name[n - 1] == '.' ? name : NULL;
			n_suite = n;
		} else if (suite && !is_disabled(suite, n_suite) && !is_disabled(name, n)) {
			out->names = xreallocarray(out->names, out->n + 1, sizeof(*out->names));
			out->names[out->n++] = xasprintf("%.*s%.*s", (int)n_suite, suite, (int)n, name);
		}
	}
}

void rfs_gtest_list_release(struct rfs_gtest_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->names[i]);
	free(list->names);
	*list = (struct rfs_gtest_list){0};
}

/* Reads until the end, but not longer than until this time. Caller frees the text. 0 or -errno. */
static int gtest_list_read_all(int fd, double end, char **out)
{
	char *text = xmalloc(LIST_SIZE + 1);
	size_t size = 0;
	ssize_t got;

	for (;;) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		double left = end - rfs_clock();

		got = left > 0 ? poll(&ready, 1, (int)(left * 1000) + 1) : 0;
		if (got > 0 && size == LIST_SIZE)
			got = -1, errno = EFBIG;
		else if (got > 0)
			got = read(fd, text + size, LIST_SIZE - size);
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
static int wait_until(pid_t pid, double end)
{
	int status;
	pid_t ended;

	while ((ended = waitpid(pid, &status, WNOHANG)) == 0 && rfs_clock() < end)
		(void)poll(NULL, 0, LOOK_MS);
	if (ended)
		return 0;
	kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return -ETIME;
}

char **rfs_gtest_words(char *const *words, char *option)
{
	size_t n = 0;
	char **list;

	while (words[n])
		n++;
	list = xcalloc(n + 2, sizeof(*list));
	memcpy(list, words, n * sizeof(*list));
	list[n] = option;
	return list;
}

int rfs_gtest_list(char *const *words, char *const *environment, struct rfs_gtest_list *out, char *why, size_t n)
{
	static char option[] = "--gtest_list_tests";
	const double end = rfs_clock() + LIST_SECONDS;
	char **command = rfs_gtest_words(words, option), *text = NULL;
	int ends[2], error, waited;
	pid_t pid;

	*out = (struct rfs_gtest_list){0};
	if (pipe2(ends, O_CLOEXEC)) {
		error = -errno;
		free(command);
		return rfs_why(why, n, error, "cannot make a pipe: %s", strerror(-error));
	}
	error = rfs_spawn(command, environment, ends[1], false, &pid);
	close(ends[1]);
	if (!error) {
		error = gtest_list_read_all(ends[0], end, &text);
		/* after an error, it is not waited for */
		waited = wait_until(pid, error ? 0 : end);
		error = error ? error : waited;
	}
	close(ends[0]);
	free(command);
	if (!error)
		rfs_gtest_list_parse(text, out);
	free(text);
	if (error)
		return rfs_why(why, n, error, "--gtest: '%s --gtest_list_tests' did not list tests: %s", words[0],
			       strerror(-error));
	if (!out->n)
		return rfs_why(why, n, -EINVAL,
			       "--gtest: '%s --gtest_list_tests' listed no tests; --gtest needs a GoogleTest program",
			       words[0]);
	return 0;
}
