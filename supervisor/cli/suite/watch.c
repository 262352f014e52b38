/* watch.c - makes the run in a fork of rfsup, because a run kills all processes that it leaves behind. */
#include "supervisor/cli/suite/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/interrupt.h"
#include "supervisor/base/variables.h"
#include "supervisor/campaign/decisions/baseline.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/program.h"
#include "supervisor/cli/suite/suite-priv.h"
#include "supervisor/cli/suite/suite_tests.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/report/machine/json_put.h"
#include "tracer/onlooker.h"
#include "tracer/tracer.h"

/* So much of the end of its output is kept, and so much if it decides whether the test passes. */
#define OUTPUT_SIZE 16384
#define JUDGED_SIZE (1u << 20)
/* How often, and after what time, to look whether the reader has read all of it. */
#define LOOKS 100
#define LOOK_MS 1

/* ---- in the process of the run ---- */

/* The last bytes of what comes through a pipe. A test may write without end, and leave processes that still write. */
struct tail {
	int fd;
	pthread_mutex_t lock; /* of the rest */
	char *bytes;
	size_t size, written; /* in all */
};

static void *tail_read(void *arg)
{
	struct tail *tail = arg;
	char buffer[4096];
	ssize_t got;

	while ((got = read(tail->fd, buffer, sizeof(buffer))) > 0 || (got < 0 && errno == EINTR)) {
		pthread_mutex_lock(&tail->lock);
		for (ssize_t i = 0; i < got; i++)
			tail->bytes[tail->written++ % tail->size] = buffer[i];
		pthread_mutex_unlock(&tail->lock);
	}
	return NULL;
}

/* What has come so far. *cut: it is only the end. Caller frees. */
static char *tail_text(struct tail *tail, bool *cut)
{
	int waiting = 1;
	size_t n;
	char *text;

	for (int look = 0; look < LOOKS && ioctl(tail->fd, FIONREAD, &waiting) == 0 && waiting > 0; look++)
		(void)poll(NULL, 0, LOOK_MS);
	pthread_mutex_lock(&tail->lock);
	n = tail->written < tail->size ? tail->written : tail->size;
	*cut = n < tail->written;
	text = xmalloc(n + 1);
	for (size_t i = 0; i < n; i++)
		text[i] = tail->bytes[(tail->written - n + i) % tail->size];
	text[n] = '\0';
	pthread_mutex_unlock(&tail->lock);
	return text;
}

/* What an onlooker has seen. */
struct seen {
	struct rfs_watch *watch;
	const char *program;
};

static bool never(void *arg, const char *file)
{
	(void)arg;
	(void)file;
	return false;
}

static void made_thread(void *arg, pid_t pid)
{
	struct seen *seen = arg;
	char file[PATH_MAX];

	if (rfs_process_file(pid, file, sizeof(file)))
		return;
	/* threads of the test's own program count more than those of programs that it starts */
	if (strcmp(file, seen->program) == 0) {
		free(seen->watch->follow);
		seen->watch->follow = NULL;
	} else if (!seen->watch->threads) {
		seen->watch->follow = xstrdup(file);
	}
	seen->watch->threads = true;
}

static void add_file(struct rfs_watch *watch, const char *path)
{
	struct stat st;

	if (!rfs_words_have(watch->files, path) && stat(path, &st) == 0 && S_ISREG(st.st_mode))
		rfs_words_add(&watch->files, path);
}

/* Notes the files of which code is mapped. */
static void ends(void *arg, pid_t pid)
{
	struct seen *seen = arg;
	char *path = xasprintf("/proc/%d/maps", (int)pid), *line = NULL, *name;
	size_t room = 0;
	FILE *in = fopen(path, "re");

	while (in && getline(&line, &room, in) > 0) {
		name = strchr(line, '/');
		if (!name || !memchr(line, 'x', strcspn(line, "/")))
			continue;
		name[strcspn(name, "\n")] = '\0';
		add_file(seen->watch, name);
	}
	if (in)
		fclose(in);
	free(line);
	free(path);
}

/* Words of the command that are files, such as a script or its data. */
static void add_words(struct rfs_watch *watch, const struct rfs_suite_test *test)
{
	for (char *const *word = test->words; *word; word++) {
		char *path = realpath(*word, NULL);

		if (path)
			add_file(watch, path);
		free(path);
	}
}

static void take_end(const struct rfs_run_result *result, struct rfs_watch *watch)
{
	watch->number = result->detail;
	watch->seconds = result->costs.wall_seconds;
	switch (result->end) {
	case RFS_END_EXIT:
		watch->end = RFS_WATCHED_EXIT;
		break;
	case RFS_END_SIGNAL:
		watch->end = RFS_WATCHED_SIGNAL;
		break;
	case RFS_END_TIMEOUT:
		watch->end = result->detail == RFS_BASELINE_ASLEEP ? RFS_WATCHED_ASLEEP : RFS_WATCHED_ENDLESS;
		break;
	default:
		watch->why = xstrdup("the run was interrupted");
	}
}

/* Makes the run of a program whose file is known. size: of the output that is kept. */
static void watch_program(const struct rfs_program *program, char *const *env, double seconds, size_t size,
			  struct rfs_watch *watch)
{
	struct seen seen = {.watch = watch, .program = program->path};
	struct rfs_onlooker onlooker = {.executes = never, .made_thread = made_thread, .ends = ends, .arg = &seen};
	struct tail *tail = xcalloc(1, sizeof(*tail));
	struct rfs_run_result result;
	char why[1024];
	int output[2], null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	sigset_t all, before;
	pthread_t reader;
	int error;

	if (null < 0 || pipe2(output, O_CLOEXEC)) {
		watch->why = xasprintf("cannot make a pipe: %s", strerror(errno));
		return;
	}
	tail->fd = output[0];
	tail->size = size;
	tail->bytes = xmalloc(size);
	pthread_mutex_init(&tail->lock, NULL);
	/* signals such as SIGCHLD must reach this thread, which waits for them */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&reader, NULL, tail_read, tail);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error) {
		watch->why = xasprintf("cannot make a thread: %s", strerror(error));
		return;
	}
	const struct rfs_run_spec spec = {
		.process = {program->path, program->argv, env, NULL, null, output[1], output[1]},
		.core = -1,
		.cancel_fd = -1,
		.limits.timeout = seconds,
	};

	if (rfs_baseline_watch(&spec, &onlooker, &result, why, sizeof(why)))
		watch->why = xstrdup(why);
	else
		take_end(&result, watch);
	/* the reader goes on until this process ends, which is soon */
	watch->output = tail_text(tail, &watch->cut);
}

static void write_result(const struct rfs_watch *watch, int fd)
{
	json_t *root = json_object(), *files = json_array();
	char *text;

	for (char *const *file = watch->files; *file; file++)
		rfs_json_append(files, rfs_json_text(*file));
	rfs_json_put_number(root, "end", watch->end);
	rfs_json_put_number(root, "number", (uint64_t)watch->number);
	rfs_json_put(root, "threads", json_boolean(watch->threads));
	rfs_json_put_text(root, "follow", watch->follow);
	rfs_json_put(root, "files", files);
	rfs_json_put(root, "seconds", json_real(watch->seconds));
	rfs_json_put_text(root, "output", watch->output);
	rfs_json_put(root, "cut", json_boolean(watch->cut));
	rfs_json_put_text(root, "why", watch->why);
	text = json_dumps(root, JSON_COMPACT);
	json_decref(root);
	if (!text || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		_exit(RFS_EXIT_INPUT);
	free(text);
}

static void make_run(const struct rfs_suite_test *test, const struct rfs_suite_runs *runs, double seconds, int fd)
	__attribute__((noreturn));
static void make_run(const struct rfs_suite_test *test, const struct rfs_suite_runs *runs, double seconds, int fd)
{
	struct rfs_watch watch = {.files = xcalloc(1, sizeof(char *))};
	struct rfs_program program = {0};
	char why[1024];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	rfs_interrupt_reset();
	if (rfs_suite_enter(test, why, sizeof(why)) || runs->resolve(test->words, NULL, &program, why, sizeof(why))) {
		watch.why = xstrdup(why);
	} else {
		char **env = rfs_variables_set(environ, runs->options->env);

		add_words(&watch, test);
		watch_program(&program, env, seconds,
			      *test->passing || *test->failing || *test->skipping ? JUDGED_SIZE : OUTPUT_SIZE, &watch);
		rfs_variables_free(env);
	}
	runs->release(&program);
	write_result(&watch, fd);
	_exit(RFS_EXIT_CLEAN);
}

/* ---- in the process of the suite ---- */

int rfs_watch_start(const struct rfs_suite_test *test, const struct rfs_suite_runs *runs, double seconds,
		    struct rfs_watching *out)
{
	out->fd = memfd_create("rfsup", MFD_CLOEXEC);
	if (out->fd < 0)
		return -errno;
	fflush(NULL);
	out->pid = fork();
	if (out->pid == 0)
		make_run(test, runs, seconds, out->fd);
	if (out->pid < 0) {
		int error = -errno;

		close(out->fd);
		return error;
	}
	return 0;
}

static char *text_of(json_t *root, const char *key)
{
	const char *text = json_string_value(json_object_get(root, key));

	return text ? xstrdup(text) : NULL;
}

void rfs_watch_finish(struct rfs_watching *watching, struct rfs_watch *out)
{
	json_t *root = lseek(watching->fd, 0, SEEK_SET) == 0 ? json_loadfd(watching->fd, 0, NULL) : NULL, *file;
	size_t i;

	*out = (struct rfs_watch){
		.end = (enum rfs_watched)json_integer_value(json_object_get(root, "end")),
		.number = (int)json_integer_value(json_object_get(root, "number")),
		.threads = json_is_true(json_object_get(root, "threads")),
		.follow = text_of(root, "follow"),
		.files = xcalloc(1, sizeof(char *)),
		.seconds = json_number_value(json_object_get(root, "seconds")),
		.output = text_of(root, "output"),
		.cut = json_is_true(json_object_get(root, "cut")),
		.why = text_of(root, "why"),
	};
	json_array_foreach(json_object_get(root, "files"), i, file) rfs_words_add(&out->files, json_string_value(file));
	if (!root)
		out->why = xstrdup("the process that watched it was killed");
	json_decref(root);
	close(watching->fd);
	watching->fd = -1;
}

void rfs_watch_release(struct rfs_watch *watch)
{
	free(watch->follow);
	rfs_words_free(watch->files);
	free(watch->output);
	free(watch->why);
	*watch = (struct rfs_watch){0};
}
