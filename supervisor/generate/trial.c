/* trial.c - the driver process and its answers (driver/main.c says the protocol). */
#include "supervisor/generate/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/generate/driver/script.h"
#include "supervisor/generate/environment.h"
#include "supervisor/generate/sequence.h"
#include "supervisor/pool/subreaper.h"

static void add_words(char ***words, size_t *n, const char *prefix, const char *const *list)
{
	for (; list && *list; list++) {
		*words = xreallocarray(*words, *n + 2, sizeof(**words));
		(*words)[(*n)++] = xasprintf("%s%s", prefix, *list);
		(*words)[*n] = NULL;
	}
}

char **rfs_driver_words(const char *program, const char *verb, const char *test,
			const struct rfs_driver_functions *functions)
{
	const char *const first[] = {program, verb, test, NULL};
	char **words = NULL;
	size_t n = 0;

	add_words(&words, &n, "", first);
	add_words(&words, &n, "", functions->init);
	/* driver/hooks.h; the driver is a separate program */
	add_words(&words, &n, "thread-start:", functions->thread_start);
	add_words(&words, &n, "thread-end:", functions->thread_end);
	return words;
}

void rfs_driver_words_free(char **words)
{
	for (char **word = words; word && *word; word++)
		free(*word);
	free(words);
}

static int start(char **words, char **environment, const char *folder, const int in[2], const int out[2], pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], RFS_DRIVER_TESTS);
	posix_spawn_file_actions_adddup2(&actions, out[1], RFS_DRIVER_ANSWERS);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addchdir_np(&actions, folder);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	error = -posix_spawn(pid, words[0], &actions, NULL, words, environment);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

int rfs_driver_start(const char *program, const char *guard, const char *shim, const char *folder,
		     const struct rfs_driver_functions *functions, struct rfs_driver *out, char *why, size_t n)
{
	char **environment = rfs_generate_environment(guard, shim),
	     **words = rfs_driver_words(program, "serve", NULL, functions);
	int in[2] = {-1, -1}, from[2] = {-1, -1}, error = 0;

	*out = (struct rfs_driver){0};
	if (pipe2(in, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		error = -errno;
	if (!error)
		error = start(words, environment, folder, in, from, &out->pid);
	if (error)
		snprintf(why, n, "cannot start %s: %s", program, strerror(-error));
	for (int i = 0; i < 4; i++) {
		int fd = i < 2 ? in[i] : from[i - 2];

		/* the ends of the driver, and all of them after an error */
		if (fd >= 0 && (error || i == 0 || i == 3))
			close(fd);
	}
	if (!error) {
		rfs_subreaper_spare(out->pid); /* the pools kill all children that they do not know */
		out->to = fdopen(in[1], "w");
		out->from = fdopen(from[0], "r");
	}
	rfs_generate_environment_free(environment);
	rfs_driver_words_free(words);
	return error;
}

/*
 * Kills the children of the driver, and theirs. Processes that functions of --init have started are children of the
 * driver, even after their parents have ended, because it is a subreaper.
 */
static void kill_tree(pid_t pid)
{
	char *path = xasprintf("/proc/%d/task/%d/children", (int)pid, (int)pid);
	FILE *in = fopen(path, "re");
	pid_t child;

	while (in && fscanf(in, "%d", &child) == 1)
		kill_tree(child);
	if (in)
		fclose(in);
	free(path);
	kill(pid, SIGKILL);
}

void rfs_driver_stop(struct rfs_driver *driver)
{
	siginfo_t info;

	if (driver->to)
		fclose(driver->to);
	if (driver->from)
		fclose(driver->from);
	/* if it has died, somebody may have reaped it, and then its number is free for any process */
	if (driver->pid > 0 && waitid(P_PID, (id_t)driver->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0) {
		kill_tree(driver->pid);
		waitpid(driver->pid, NULL, 0);
	}
	rfs_subreaper_spare(0);
	driver->to = driver->from = NULL;
	driver->pid = 0;
}

static void note_refused(struct rfs_trial *trial, const char *what)
{
	trial->wants_process |= strcmp(what, "process") == 0;
	trial->wants_network |= strcmp(what, "network") == 0;
	trial->wants_memory |= strcmp(what, "memory") == 0;
}

static void note_result(struct rfs_trial *trial, const char *word)
{
	char *end;

	trial->results[trial->n] = strtoull(word, &end, 16);
	trial->effects[trial->n++] = *end == ':' ? (unsigned)strtoul(end + 1, NULL, 10) : 0;
}

static bool read_answer(char *line, struct rfs_trial *out)
{
	char *save = NULL, *word = strtok_r(line, " \n", &save);

	if (!word)
		return false;
	if (strcmp(word, "ok") == 0) {
		out->end = RFS_TRIAL_OK;
	} else if (strcmp(word, "late") == 0) {
		out->end = RFS_TRIAL_LATE;
	} else if (strcmp(word, "signal") == 0 || strcmp(word, "exit") == 0) {
		out->end = word[0] == 's' ? RFS_TRIAL_SIGNAL : RFS_TRIAL_EXIT;
		(void)strtok_r(NULL, " \n", &save); /* its number */
	} else if (strcmp(word, "bad") == 0) {
		out->end = RFS_TRIAL_BAD;
		return true;
	} else {
		return false;
	}
	while ((word = strtok_r(NULL, " \n", &save)) && out->n < RFS_TRIAL_CALLS) {
		if (word[0] == '+')
			note_refused(out, word + 1);
		else
			note_result(out, word);
	}
	return true;
}

static void count(struct rfs_trial_counts *counts, const struct rfs_trial *trial)
{
	counts->ends[trial->end]++;
	counts->processes += trial->wants_process;
	counts->network += trial->wants_network;
	counts->memory += trial->wants_memory;
}

bool rfs_driver_try(struct rfs_driver *driver, const struct rfs_library *library, const struct rfs_sequence *sequence,
		    struct rfs_trial *out)
{
	char *text, *line = NULL;
	size_t size, room = 0;
	FILE *memory = open_memstream(&text, &size);
	bool answered;

	*out = (struct rfs_trial){0};
	if (!memory)
		return false;
	rfs_sequence_write(sequence, library, memory);
	fclose(memory);
	fprintf(driver->to, "%zu\n", size);
	fwrite(text, 1, size, driver->to);
	answered = fflush(driver->to) == 0 && getline(&line, &room, driver->from) > 0 && read_answer(line, out);
	driver->counts.n++;
	if (answered)
		count(&driver->counts, out);
	else
		driver->counts.deaths++;
	free(text);
	free(line);
	return answered;
}
