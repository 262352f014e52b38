/* scope_options.c - parses patterns, and reads the lines that `git diff` says have changed. */
#include "supervisor/cli/options/scope_options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/spawn.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/import/scope.h"

/* ---- the diff ---- */

/* "+++ b/src/a.c", with a tab behind a name that has blanks. Caller frees. NULL: the file is removed. */
static char *new_file(const char *line)
{
	const char *name = line + strlen("+++ ");

	return strncmp(name, "b/", 2) == 0 ? xstrndup(name + 2, strcspn(name + 2, "\t\n")) : NULL;
}

/* "@@ -1,7 +1,9 @@ function" */
static void add_hunk(struct rfs_scope *scope, const char *file, const char *line)
{
	const char *plus = strchr(line, '+');
	unsigned first = 0, lines = 1;

	if (plus && sscanf(plus, "+%u,%u", &first, &lines) >= 1 && first && lines)
		rfs_scope_add_lines(scope, file, first, first + lines - 1);
}

void rfs_scope_add_diff(struct rfs_scope *scope, FILE *diff)
{
	char *file = NULL, *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, diff) > 0) {
		/* each line of a file has a sign before it; so "+++ " may be one, but only behind the header's */
		if (strncmp(line, "diff --git ", 11) == 0) {
			free(file);
			file = NULL;
		} else if (!file && strncmp(line, "+++ ", 4) == 0) {
			file = new_file(line);
		} else if (file && strncmp(line, "@@ -", 4) == 0) {
			add_hunk(scope, file, line);
		}
	}
	free(line);
	free(file);
}

/* ---- git ---- */

/* Starts git diff. 0, *out (the caller closes it) and *pid, or -errno. */
static int start_git(const char *revision, FILE **out, pid_t *pid)
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
	int pipes[2], error;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return -errno;
	error = rfs_spawn(words, environ, pipes[1], true, pid);
	close(pipes[1]);
	if (error) {
		close(pipes[0]);
		return error;
	}
	*out = fdopen(pipes[0], "re");
	if (!*out)
		die("out of memory while reading what git writes");
	return 0;
}

static int add_changes(struct rfs_scope *scope, const char *revision, char *why, size_t n)
{
	int status = 0, error;
	FILE *diff = NULL;
	pid_t pid;

	if (revision[0] == '-')
		return rfs_why(why, n, -EINVAL, "--changed: '%s' is not a revision of git", revision);
	error = start_git(revision, &diff, &pid);
	if (error)
		return rfs_why(why, n, error, "--changed: cannot execute git: %s", strerror(-error));
	rfs_scope_add_diff(scope, diff);
	fclose(diff);
	if (TEMP_FAILURE_RETRY(waitpid(pid, &status, 0)) < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
		error = rfs_why(
			why, n, -EINVAL,
			"--changed: 'git diff %s' failed; name a revision of the sources, and start rfsup in their "
			"repository",
			revision);
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
