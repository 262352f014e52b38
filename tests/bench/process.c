
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/bench.h"
#include "tests/bench/process.h"

#define LOOK_NS 5000000

static pid_t start(const char *const *argv, const char *out, bool silent)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (silent)
		posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	error = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error)
		bench_die("%s: %s", argv[0], strerror(error));
	return pid;
}

static double seconds_of(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

struct bench_cost bench_run(const char *const *argv, const char *out, bool silent)
{
	double started = bench_seconds();
	pid_t pid = start(argv, out, silent);
	struct rusage usage;
	int status;

	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			bench_die("%s: %s", argv[0], strerror(errno));
	return (struct bench_cost){
		.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
		.wall = bench_seconds() - started,
		.cpu = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
	};
}

/*
 * The proportional memory of the process in KiB: a page that several processes share is divided among them. 0 if the
 * process has ended.
 */
static double proportional_size(pid_t pid)
{
	char path[64], line[256];
	double size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Pss: %lf", &size) == 1)
			break;
	if (file)
		fclose(file);
	return size;
}

/* KiB of the process and all its descendants. */
static double tree_size(pid_t pid)
{
	double size = proportional_size(pid);
	char path[64];
	FILE *file;
	int child;

	/* in the programs measured here, only the first thread forks */
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	file = fopen(path, "re");
	while (file && fscanf(file, "%d", &child) == 1)
		size += tree_size(child);
	if (file)
		fclose(file);
	return size;
}

double bench_peak(const char *const *argv, const char *out, bool silent)
{
	const struct timespec pause = {.tv_nsec = LOOK_NS};
	pid_t pid = start(argv, out, silent), done;
	double peak = 0;

	while ((done = waitpid(pid, NULL, WNOHANG)) == 0) {
		double size = tree_size(pid);

		if (size > peak)
			peak = size;
		nanosleep(&pause, NULL);
	}
	if (done < 0)
		bench_die("%s: %s", argv[0], strerror(errno));
	return peak / 1024;
}
