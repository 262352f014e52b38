/*
 * main.c - the program that executes generated tests. The shim and the library are loaded before it (LD_PRELOAD).
 *
 *	rfsup-driver serve HOOK...	reads tests, executes each without concurrency (serve.c)
 *	rfsup-driver run FILE HOOK...	executes the test in FILE: the prefix, then both suffixes concurrently
 *	rfsup-driver run-late FILE HOOK...	the same, but the prefix is executed in main
 *
 * The word "private-network" may come before the first HOOK (script.h).
 *
 * Each HOOK is a function that is called first, without arguments: it initialises the library. With "thread-start:" or
 * "thread-end:" before its name, each thread of a test calls it first or last.
 *
 * With "run", the prefix is executed before main, because rfsup copies a process that has reached main. Some prefixes
 * make copies impossible, for example those that keep a lock or a file. With "run-late", each copy executes the prefix.
 *
 * A test for serve is a decimal number of bytes, a newline, and this many bytes of script.h. It is answered by a line:
 *
 *	ok RESULT...		each call has returned
 *	signal N RESULT...	signal N ended it; RESULT only of those that had returned
 *	exit N RESULT...	it called exit(N)
 *	late RESULT...		it took too long
 *	bad WHY			it is not a test
 *
 * A test of 0 bytes ends the process that waits for more calls, and removes its files. The answer is "ok".
 *
 * A RESULT is what the call has stored in its slot, in hexadecimal digits. Without a slot, it is what the call has
 * stored in the first slot whose address it got; 0: there is none. After a colon comes what the call has done, as the
 * sum of RFS_DRIVER_ALLOCATES, RFS_DRIVER_FREES and a bit for each argument whose object it has freed (script.h).
 *
 * A word after the last result says what was refused (contain.h): "+process", "+network", "+memory".
 *
 * The library may read standard input and print. So other descriptors are used for tests and answers.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/generate/driver/contain.h"
#include "supervisor/generate/driver/files.h"
#include "supervisor/generate/driver/hooks.h"
#include "supervisor/generate/driver/results.h"
#include "supervisor/generate/driver/script.h"
#include "supervisor/generate/driver/serve.h"

#define STATUS_NO_TEST 2
#define STATUS_ENDED 3 /* a call has ended the process with exit(0) */
#define THREADS 2
/* Blocks that are allocated first if addresses are to change. */
#define SHIFT 7
#define SHIFT_BYTES 48
#define SHIFT_SECONDS 3 /* of virtual time */

static struct rfs_driver_script script;
static void *kept[SHIFT];

/* A library may print much, or wait for input. flags: of open(2), for the standard files. */
static void silence(int flags)
{
	int null = open("/dev/null", flags);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	close(null);
}

/* ---- run ---- */

/*
 * The first thread posts this semaphore before it creates the others, and they post it after each call. So the policy
 * turns sees where calls end (policy/samplers/turns.c). No thread waits for it.
 */
static sem_t end_of_call;
/* After its calls, each thread posts the first semaphore and waits for the second, which is never posted. So the
 * process ends before the threads do: the end of a thread may take thousands of operations, for example in GLib's
 * allocator. */
static sem_t finished, never;

static void *suffix(void *arg)
{
	size_t section = (size_t)arg;
	uint64_t returned[2];

	rfs_driver_hooks_call(RFS_DRIVER_START);
	for (size_t i = 0; i < script.n[section]; i++) {
		rfs_driver_execute(&script, &script.calls[section][i], returned);
		rfs_driver_results_take(&script, section, i, returned);
		/* a turn of this thread is a call, with all that comes before and after it */
		if (i + 1 == script.n[section])
			rfs_driver_hooks_call(RFS_DRIVER_END);
		sem_post(&end_of_call);
	}
	sem_post(&finished);
	sem_wait(&never);
	return NULL;
}

static bool read_test(const char *path)
{
	static char text[RFS_DRIVER_TEST_BYTES];
	char why[128] = "out of memory";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text)) : -1;

	if (n < 0) {
		fprintf(stderr, "rfsup-driver: %s: %s\n", path, strerror(errno));
		return false;
	}
	close(fd);
	if (!rfs_driver_script_read(text, (size_t)n, &script, why, sizeof(why))) {
		fprintf(stderr, "rfsup-driver: %s\n", why);
		return false;
	}
	return true;
}

/* A call has called exit(). With status 0, this would look like the end of the test. */
static void ended_early(void)
{
	_exit(STATUS_ENDED);
}

/* The result of what is done before main: STATUS_NO_TEST, or 0. */
static int prepared;

static bool main_is_late(const char *verb)
{
	return strcmp(verb, RFS_DRIVER_RUN_LATE) == 0;
}

static bool is_run(const char *verb)
{
	return strcmp(verb, RFS_DRIVER_RUN) == 0 || main_is_late(verb);
}

static void execute_prefix(void)
{
	for (size_t i = 0; i < script.n[0]; i++)
		rfs_driver_execute(&script, &script.calls[0][i], NULL);
}

/* Reads over the word, if it is there. */
static bool has_private_network(char ***words)
{
	bool has = **words && strcmp(**words, RFS_DRIVER_PRIVATE_NETWORK) == 0;

	*words += has;
	return has;
}

/* The test may change files in the folder of its own file, where its results are written too. */
static void protect_files(const char *test)
{
	const char *slash = strrchr(test, '/');
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - test) : 1, slash ? test : ".");
	rfs_driver_files_protect(rfs_driver_files_rules(folder));
}

__attribute__((constructor)) static void prepare(int argc, char **argv)
{
	char **hooks = argv + 3;

	if (argc < 3 || !is_run(argv[1]))
		return;
	silence(O_RDWR);
	rfs_driver_contain(has_private_network(&hooks), NULL);
	protect_files(argv[2]);
	atexit(ended_early);
	if (rfs_driver_hooks_read(hooks) && read_test(argv[2])) {
		rfs_driver_hooks_call(RFS_DRIVER_BEFORE);
		if (!main_is_late(argv[1]))
			execute_prefix();
	} else {
		prepared = STATUS_NO_TEST;
	}
	/* a fork server accepts no file that is open for writing */
	fflush(NULL);
	silence(O_RDONLY);
}

/* PATH.shift: the heap of this process begins at other addresses, and it is later. So a result that depends on either
 * changes. */
static void shift(const char *test)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s.shift", test);
	for (size_t i = 0; access(path, F_OK) == 0 && i < SHIFT; i++)
		kept[i] = malloc(SHIFT_BYTES);
	if (kept[0])
		nanosleep(&(struct timespec){SHIFT_SECONDS, 0}, NULL);
}

/* Executes the calls that tell the state of the object, and writes all results to PATH.results. */
static bool main_tell(const char *test)
{
	char path[PATH_MAX];
	uint64_t returned[2];

	for (size_t i = 0; i < script.n[RFS_DRIVER_STATE]; i++) {
		rfs_driver_execute(&script, &script.calls[RFS_DRIVER_STATE][i], returned);
		rfs_driver_results_take(&script, RFS_DRIVER_STATE, i, returned);
	}
	snprintf(path, sizeof(path), "%s.results", test);
	return rfs_driver_results_write(&script, path);
}

static int main_run(const char *test, bool late)
{
	const bool tells = rfs_driver_results_count();
	pthread_t thread;

	if (prepared)
		_exit(prepared);
	silence(O_RDWR);
	if (late)
		execute_prefix();
	if (tells)
		shift(test);
	sem_init(&end_of_call, 0, 0);
	sem_init(&finished, 0, 0);
	sem_init(&never, 0, 0);
	sem_post(&end_of_call);
	for (size_t i = 1; i <= THREADS; i++) {
		if (pthread_create(&thread, NULL, suffix, (void *)i))
			return STATUS_NO_TEST;
	}
	for (size_t i = 1; i <= THREADS; i++)
		sem_wait(&finished);
	_exit(tells && !main_tell(test) ? STATUS_NO_TEST : 0);
}

int main(int argc, char **argv)
{
	char **hooks = argv + 2;
	bool private_network;

	if (argc < 2 || (strcmp(argv[1], RFS_DRIVER_SERVE) != 0 && (!is_run(argv[1]) || argc < 3))) {
		fprintf(stderr, "rfsup-driver: rfsup --generate starts it\n");
		return STATUS_NO_TEST;
	}
	if (is_run(argv[1]))
		return main_run(argv[2], main_is_late(argv[1]));
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	private_network = has_private_network(&hooks);
	if (!rfs_driver_hooks_read(hooks))
		return STATUS_NO_TEST;
	rfs_driver_hooks_call(RFS_DRIVER_BEFORE);
	silence(O_RDWR);
	return rfs_driver_serve(private_network);
}
