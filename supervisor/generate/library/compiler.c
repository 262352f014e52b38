/* compiler.c - the compiler's command line, its process, and its messages. */
#include "supervisor/generate/library/compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/text/shell_word.h"
#include "supervisor/base/variables.h"

extern char **environ;

static void compiler_add(struct rfs_compiler *compiler, const char *word)
{
	compiler->words = xreallocarray(compiler->words, compiler->n + 2, sizeof(*compiler->words));
	compiler->words[compiler->n++] = xstrdup(word);
	compiler->words[compiler->n] = NULL;
}

int rfs_compiler_new(const char *cflags, struct rfs_compiler *out, char *why, size_t n)
{
	const char *name = getenv("CC");
	wordexp_t words;

	*out = (struct rfs_compiler){0};
	compiler_add(out, name && *name ? name : "gcc");
	if (!cflags)
		return 0;
	if (wordexp(cflags, &words, WRDE_NOCMD | WRDE_UNDEF) != 0) {
		snprintf(why, n, "--cflags: '%s' cannot be divided into words; check quotes and special characters",
			 cflags);
		rfs_compiler_release(out);
		return -EINVAL;
	}
	for (size_t i = 0; i < words.we_wordc; i++)
		compiler_add(out, words.we_wordv[i]);
	wordfree(&words);
	return 0;
}

static bool has_cxx_name(const char *header)
{
	static const char *const suffixes[] = {".hpp", ".hh", ".hxx", ".h++", ".H"};
	size_t n = strlen(header);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (n > strlen(suffixes[i]) && strcmp(header + n - strlen(suffixes[i]), suffixes[i]) == 0)
			return true;
	return false;
}

static void remove_words(struct rfs_compiler *compiler, size_t at, size_t n)
{
	for (size_t i = at; i < at + n; i++)
		free(compiler->words[i]);
	compiler->n -= n;
	memmove(compiler->words + at, compiler->words + at + n, (compiler->n - at + 1) * sizeof(*compiler->words));
}

/* The language must not be in the command line, because it would be that of the library's file too. */
static bool take_language(struct rfs_compiler *compiler)
{
	for (size_t i = 1; i < compiler->n; i++) {
		bool separate = strcmp(compiler->words[i], "-x") == 0 && i + 1 < compiler->n;
		const char *language = separate ? compiler->words[i + 1] : compiler->words[i] + 2;

		if (strncmp(compiler->words[i], "-x", 2) != 0 || strcmp(language, "c++") != 0)
			continue;
		remove_words(compiler, i, separate ? 2 : 1);
		return true;
	}
	return false;
}

void rfs_compiler_choose_language(struct rfs_compiler *compiler, const char *const *headers, size_t n_headers)
{
	const char *name = getenv("CXX");

	compiler->is_cxx = take_language(compiler);
	for (size_t i = 0; i < n_headers; i++)
		compiler->is_cxx |= has_cxx_name(headers[i]);
	if (!compiler->is_cxx)
		return;
	free(compiler->words[0]);
	compiler->words[0] = xstrdup(name && *name ? name : "g++");
}

void rfs_compiler_release(struct rfs_compiler *compiler)
{
	for (size_t i = 0; i < compiler->n; i++)
		free(compiler->words[i]);
	free(compiler->words);
	*compiler = (struct rfs_compiler){0};
}

static char *compiler_read_all(int fd)
{
	char *text = xmalloc(1);
	size_t n = 0;
	ssize_t got;

	do {
		text = xrealloc(text, n + 4097);
		got = read(fd, text + n, 4096);
		n += got > 0 ? (size_t)got : 0;
	} while (got > 0 || (got < 0 && errno == EINTR));
	text[n] = '\0';
	return text;
}

/*
 * A cache of the compiler, as ccache, would not write the list of functions the second time: it only knows object
 * files.
 */
static char without_cache[] = "CCACHE_DISABLE=1";

static int compiler_start(char **words, int *out, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	char *const set[] = {without_cache, NULL};
	char **environment;
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
	environment = rfs_variables_set(environ, set);
	error = -posix_spawnp(pid, words[0], &actions, NULL, words, environment);
	rfs_variables_free(environment);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (error)
		close(ends[0]);
	*out = ends[0];
	return error;
}

int rfs_compiler_run(const struct rfs_compiler *compiler, const char *const *words, char **said)
{
	size_t n = 0;
	int error, status, fd = -1;
	char **all;
	pid_t pid;

	while (words[n])
		n++;
	all = xreallocarray(NULL, compiler->n + n + 1, sizeof(*all));
	memcpy(all, compiler->words, compiler->n * sizeof(*all));
	memcpy(all + compiler->n, words, (n + 1) * sizeof(*all));
	error = compiler_start(all, &fd, &pid);
	free(all);
	if (error) {
		*said = xstrdup("");
		return error;
	}
	*said = compiler_read_all(fd);
	close(fd);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EINVAL;
}

static void compiler_write_word(const char *before, const char *word, FILE *out)
{
	char *quoted = rfs_shell_word(word);

	fprintf(out, "%s%s", before, quoted);
	free(quoted);
}

char *rfs_compiler_command(const struct rfs_compiler *compiler, const char *const *words)
{
	size_t size;
	char *text;
	FILE *out = xopen_memstream(&text, &size);

	for (size_t i = 0; i < compiler->n; i++)
		compiler_write_word(i ? " " : "", compiler->words[i], out);
	for (; *words; words++)
		compiler_write_word(" ", *words, out);
	fclose(out);
	return text;
}

char *rfs_compiler_first_error(const char *said)
{
	const char *at = strstr(said, "error:"), *start = at, *end;

	if (!at)
		return xstrdup(said);
	while (start > said && start[-1] != '\n')
		start--;
	end = strchr(at, '\n');
	return xstrndup(start, end ? (size_t)(end - start) : strlen(start));
}
