#include "supervisor/cli/options/scope_options.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/import/scope.h"

/* A larger diff is not read: then --changed says nothing that a campaign of the whole program does not. */
#define DIFF_MAX ((size_t)64 << 20)

/* ---- the diff ---- */

/* "+++ b/src/a.c", with a tab behind a name that has blanks. Caller frees. NULL: the file is removed. */
static char *new_file(const char *line, size_t n)
{
	const char *name = line + strlen("+++ "), *end = memchr(name, '\t', n - strlen("+++ "));

	if (!end)
		end = line + n;
	if (end - name < 2 || strncmp(name, "b/", 2) != 0)
		return NULL;
	return xstrndup(name + 2, (size_t)(end - name) - 2);
}

/* "@@ -1,7 +1,9 @@ function" */
static void add_hunk(struct rfs_scope *scope, const char *file, const char *line)
{
	const char *plus = strchr(line, '+');
	unsigned first = 0, lines = 1;

	if (plus && sscanf(plus, "+%u,%u", &first, &lines) >= 1 && first && lines)
		rfs_scope_add_lines(scope, file, first, first + lines - 1);
}

void rfs_scope_add_diff(struct rfs_scope *scope, const char *diff, size_t n)
{
	const char *end = diff + n, *next;
	char *file = NULL;

	for (const char *line = diff; line < end; line = next + 1) {
		next = memchr(line, '\n', (size_t)(end - line));
		if (!next)
			break;
		/* each line of a file has a sign before it; so "+++ " may be one, but only behind the header's */
		if (strncmp(line, "diff --git ", 11) == 0) {
			free(file);
			file = NULL;
		} else if (!file && strncmp(line, "+++ ", 4) == 0) {
			file = new_file(line, (size_t)(next - line));
		} else if (file && strncmp(line, "@@ -", 4) == 0) {
			add_hunk(scope, file, line);
		}
	}
	free(file);
}

/* ---- git ---- */

static int start_git(const char *revision, int out, pid_t *pid)
{
	/* -W: a hunk has the whole function that changed */
	char *words[] = {(char *)"git",
			 (char *)"diff",
			 (char *)"-W",
			 (char *)"--no-color",
			 (char *)"--no-ext-diff",
			 (char *)"--src-prefix=a/",
			 (char *)"--dst-prefix=b/",
			 (char *)revision,
			 (char *)"--",
			 NULL};
	posix_spawn_file_actions_t actions;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	error = -posix_spawnp(pid, words[0], &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* All that git writes. Caller frees. */
static char *read_all(int fd, size_t *n)
{
	size_t room = 1 << 16;
	char *data = xmalloc(room);
	ssize_t got;

	*n = 0;
	while ((got = TEMP_FAILURE_RETRY(read(fd, data + *n, room - *n))) > 0) {
		*n += (size_t)got;
		if (*n == room && room < DIFF_MAX)
			data = xreallocarray(data, room *= 2, 1);
	}
	return data;
}

static int add_changes(struct rfs_scope *scope, const char *revision, char *why, size_t n)
{
	int pipes[2], status = 0, error;
	char *diff;
	size_t size;
	pid_t pid;

	if (revision[0] == '-')
		return rfs_why(why, n, -EINVAL, "--changed: '%s' is not a revision of git", revision);
	if (pipe2(pipes, O_CLOEXEC) < 0)
		return rfs_why(why, n, -errno, "--changed: cannot make a pipe: %s", strerror(errno));
	error = start_git(revision, pipes[1], &pid);
	close(pipes[1]);
	if (error) {
		close(pipes[0]);
		return rfs_why(why, n, error, "--changed: cannot execute git: %s", strerror(-error));
	}
	diff = read_all(pipes[0], &size);
	close(pipes[0]);
	if (TEMP_FAILURE_RETRY(waitpid(pid, &status, 0)) < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
		error = rfs_why(
			why, n, -EINVAL,
			"--changed: 'git diff %s' failed; name a revision of the sources, and start rfsup in their "
			"repository",
			revision);
	else
		rfs_scope_add_diff(scope, diff, size);
	free(diff);
	if (!error && !scope->n_only)
		error = rfs_why(why, n, -ENOENT, "--changed: nothing differs from '%s'; name an older revision",
				revision);
	return error;
}

int rfs_scope_of_options(const struct rfs_options *options, struct rfs_scope *out, char *why, size_t n)
{
	int error = 0;

	*out = (struct rfs_scope){0};
	if (options->changed)
		error = add_changes(out, options->changed, why, n);
	for (char *const *word = options->only; *word && !error; word++)
		error = rfs_scope_add_only(out, *word, why, n);
	for (char *const *word = options->skip; *word && !error; word++)
		error = rfs_scope_add_skip(out, *word, why, n);
	return error;
}
