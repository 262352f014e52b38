/* trial.c - the driver process and its answers (driver/main.c says the protocol). */
#include "supervisor/generate/tests/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/core.h"
#include "supervisor/base/variables.h"
#include "supervisor/generate/driver/script.h"
#include "supervisor/generate/tests/environment.h"
#include "supervisor/generate/tests/sequence.h"
#include "supervisor/generate/tests/tried_methods.h"
#include "supervisor/pool/subreaper.h"

/*
 * The driver ends a trial after 10 s (driver/main.c), and answers then. One that is silent for much longer cannot
 * answer: the library may have stopped it with a signal, or used up its memory.
 */
#define LOOK_MS 1000 /* time between two looks at the driver */
#define LOOKS_MAX 60

static void add_words(char ***words, size_t *n, const char *prefix, const char *const *list)
{
	for (; list && *list; list++) {
		*words = xreallocarray(*words, *n + 2, sizeof(**words));
		(*words)[(*n)++] = xasprintf("%s%s", prefix, *list);
		(*words)[*n] = NULL;
	}
}

char **rfs_driver_words(const char *program, const char *verb, const char *test,
			const struct rfs_driver_settings *settings)
{
	const char *const first[] = {program, verb, test, NULL}, *const network[] = {RFS_DRIVER_PRIVATE_NETWORK, NULL};
	const struct rfs_driver_functions *functions = &settings->functions;
	char **words = NULL;
	size_t n = 0;

	add_words(&words, &n, "", first);
	if (settings->private_network)
		add_words(&words, &n, "", network);
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

/*
 * This process and the driver take turns, so they run on one core, as rfsup and its target do. To wake a process on an
 * idle core costs more than most trials.
 */
static void find_core(struct rfs_driver *driver)
{
	driver->core = sched_getaffinity(0, sizeof(driver->cores), &driver->cores) ? -1 : sched_getcpu();
}

static void leave_core(const struct rfs_driver *driver)
{
	if (driver->core >= 0)
		(void)sched_setaffinity(0, sizeof(driver->cores), &driver->cores);
}

static int trial_start(char **words, char **environment, const char *folder, const int in[2], const int out[2],
		       pid_t *pid)
{
	const struct rlimit memory = {RFS_DRIVER_LOAD_MEMORY, RFS_DRIVER_LOAD_MEMORY};
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
	/* almost always before the loader calls the library's constructors; executions have the limit from their start
	 */
	if (!error)
		prlimit(*pid, RLIMIT_DATA, &memory, NULL);
	return error;
}

int rfs_driver_start(const char *program, const char *guard, const char *shim, const char *folder,
		     const struct rfs_driver_settings *settings, struct rfs_driver *out, char *why, size_t n)
{
	char **environment = rfs_generate_environment(guard, shim, true, settings->binds),
	     **words = rfs_driver_words(program, RFS_DRIVER_SERVE, NULL, settings);
	int in[2] = {-1, -1}, from[2] = {-1, -1}, error = 0;

	*out = (struct rfs_driver){.to = -1, .from = -1};
	if (pipe2(in, O_CLOEXEC) || pipe2(from, O_CLOEXEC) || fcntl(in[1], F_SETFL, O_NONBLOCK) ||
	    fcntl(from[0], F_SETFL, O_NONBLOCK))
		error = -errno;
	find_core(out);
	rfs_core_pin(out->core);
	if (!error)
		error = trial_start(words, environment, folder, in, from, &out->pid);
	leave_core(out);
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
		out->to = in[1];
		out->from = from[0];
	}
	rfs_variables_free(environment);
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

	if (driver->pid > 0) {
		close(driver->to);
		close(driver->from);
	}
	/* if it has died, somebody may have reaped it, and then its number is free for any process */
	if (driver->pid > 0 && waitid(P_PID, (id_t)driver->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0) {
		kill_tree(driver->pid);
		waitpid(driver->pid, NULL, 0);
	}
	rfs_subreaper_spare(0);
	driver->to = driver->from = -1;
	driver->pid = 0;
}

static void note_refused(struct rfs_trial *trial, const char *what)
{
	trial->wants_process |= strcmp(what, "process") == 0;
	trial->wants_network |= strcmp(what, "network") == 0;
	trial->wants_memory |= strcmp(what, "memory") == 0;
}

static void trial_note_result(struct rfs_trial *trial, const char *word)
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
			trial_note_result(out, word);
	}
	return true;
}

static void trial_count(struct rfs_trial_counts *counts, const struct rfs_trial *trial)
{
	counts->ends[trial->end]++;
	counts->processes += trial->wants_process;
	counts->network += trial->wants_network;
	counts->memory += trial->wants_memory;
}

/* ---- the pipes ---- */

/* Whether a signal has stopped the process. */
static bool is_stopped(pid_t pid)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

/* Waits until the pipe can be used, or its other end is closed. False: the driver no longer answers. */
static bool trial_wait_for(const struct rfs_driver *driver, int fd, short events)
{
	struct pollfd pipe = {.fd = fd, .events = events};

	for (int looks = 0; looks < LOOKS_MAX; looks++) {
		int n = poll(&pipe, 1, LOOK_MS);

		if (n > 0)
			return true;
		if ((n < 0 && errno != EINTR) || is_stopped(driver->pid))
			return false;
	}
	return false;
}

static bool trial_write_all(const struct rfs_driver *driver, const char *text, size_t size)
{
	while (size) {
		ssize_t n;

		if (!trial_wait_for(driver, driver->to, POLLOUT))
			return false;
		n = write(driver->to, text, size);
		if (n < 0 && errno != EAGAIN)
			return false;
		if (n > 0) {
			text += n;
			size -= (size_t)n;
		}
	}
	return true;
}

/* The next line, without its end. Caller frees; NULL: there is none. */
static char *trial_read_line(const struct rfs_driver *driver)
{
	char *line = NULL;
	size_t size = 0;

	while (trial_wait_for(driver, driver->from, POLLIN)) {
		char part[BUFSIZ];
		ssize_t n = read(driver->from, part, sizeof(part));

		if (n <= 0)
			break;
		line = xreallocarray(line, size + (size_t)n, 1);
		memcpy(line + size, part, (size_t)n);
		size += (size_t)n;
		/* the driver writes one line for each test */
		if (line[size - 1] == '\n') {
			line[size - 1] = '\0';
			return line;
		}
	}
	free(line);
	return NULL;
}

bool rfs_driver_rest(struct rfs_driver *driver)
{
	char *line = trial_write_all(driver, "0\n", 2) ? trial_read_line(driver) : NULL;
	bool answered = line != NULL;

	free(line);
	return answered;
}

/* Sends the text to the driver and reads its answer. */
static bool trial_execute(const struct rfs_driver *driver, const char *text, size_t size, struct rfs_trial *out)
{
	char length[32], *line = NULL;
	bool answered;

	snprintf(length, sizeof(length), "%zu\n", size);
	rfs_core_pin(driver->core);
	if (trial_write_all(driver, length, strlen(length)) && trial_write_all(driver, text, size))
		line = trial_read_line(driver);
	leave_core(driver);
	answered = line && read_answer(line, out);
	free(line);
	return answered;
}

bool rfs_driver_try(struct rfs_driver *driver, const struct rfs_library *library, const struct rfs_sequence *sequence,
		    struct rfs_trial *out)
{
	char *text;
	size_t size;
	FILE *memory = open_memstream(&text, &size);
	bool answered = true;

	*out = (struct rfs_trial){0};
	if (!memory)
		return false;
	rfs_sequence_write(sequence, library, memory);
	fclose(memory);
	if (!driver->tried || !rfs_tried_methods_has_failed(driver->tried, text, size, &out->end)) {
		answered = trial_execute(driver, text, size, out);
		driver->counts.n++;
		if (answered)
			trial_count(&driver->counts, out);
		else
			driver->counts.deaths++;
		if (answered && driver->tried)
			rfs_tried_methods_note(driver->tried, sequence, out);
		if (answered && driver->tried && out->end != RFS_TRIAL_OK)
			rfs_tried_methods_note_failed(driver->tried, text, size, out->end);
	}
	free(text);
	return answered;
}
