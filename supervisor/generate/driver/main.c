/*
 * main.c - the program that executes generated tests. The shim and the library are loaded before it (LD_PRELOAD).
 *
 *	rfsup-driver serve HOOK...	reads tests, executes each in a fork without threads
 *	rfsup-driver run FILE HOOK...	executes the test in FILE: the prefix, then both suffixes concurrently
 *
 * Each HOOK is a function that is called first, without arguments: it initialises the library. With "thread-start:" or
 * "thread-end:" before its name, each thread of "run" calls it first or last.
 *
 * With "run", the prefix is executed before main, because rfsup copies a process that has reached main.
 *
 * A test for serve is a decimal number of bytes, a newline, and this many bytes of script.h. It is answered by a line:
 *
 *	ok RESULT...		each call has returned
 *	signal N RESULT...	signal N ended it; RESULT only of those that had returned
 *	exit N RESULT...	it called exit(N)
 *	late RESULT...		it took too long
 *	bad WHY			it is not a test
 *
 * A RESULT is what the call has stored in its slot, in hexadecimal digits. Without a slot, it is what the call has
 * stored in the first slot whose address it got; 0: there is none. After a colon comes what the call has done, as the
 * sum of RFS_DRIVER_ALLOCATES and RFS_DRIVER_FREES.
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
#include "supervisor/generate/driver/hooks.h"
#include "supervisor/generate/driver/results.h"
#include "supervisor/generate/driver/script.h"

#define TEST_BYTES_MAX (1 << 16)
#define SERVED_MS 10000	     /* the longest test of serve */
#define SERVED_CPU_MS 300    /* its CPU time; most tests need less than a millisecond */
#define LOOK_MS 20	     /* time between two looks at a test */
#define STATUS_FINISHED 0x5a /* of a child that has executed all calls */
#define STATUS_NO_TEST 2
#define STATUS_ENDED 3		    /* a call has ended the process with exit(0) */
#define FILE_BYTES_MAX (64UL << 20) /* of a file of a test */
#define THREADS 2
/* Blocks that are allocated first if addresses are to change. */
#define SHIFT 7
#define SHIFT_BYTES 48
#define SHIFT_SECONDS 3 /* of virtual time */

/* What a child has done, in memory that it shares with its parent. */
struct progress {
	uint64_t refused[RFS_DRIVER_N_REFUSED];
	size_t n;
	struct {
		uint64_t result;
		unsigned effects;
	} calls[RFS_DRIVER_SECTIONS * RFS_DRIVER_CALLS];
};

static struct rfs_driver_script script;
static FILE *answers;
static void *kept[SHIFT];

/* Of the guard heap: how many blocks this thread has allocated and freed. NULL: there is no guard heap. */
static void (*guard_counts)(unsigned long counts[2]);

/* The RESULT of the call, see the head of the file. */
static uint64_t result_of(const struct rfs_driver_call *call)
{
	if (call->slot >= 0)
		return script.slots[call->slot];
	for (size_t i = 0; i < call->n_values; i++)
		if (call->values[i].kind == RFS_DRIVER_SLOT_ADDRESS)
			return script.slots[call->values[i].integer];
	return 0;
}

static void execute_section(size_t section, struct progress *progress)
{
	for (size_t i = 0; i < script.n[section]; i++) {
		const struct rfs_driver_call *call = &script.calls[section][i];
		unsigned long before[2] = {0, 0}, after[2] = {0, 0};

		if (guard_counts)
			guard_counts(before);
		rfs_driver_execute(&script, call, NULL);
		if (guard_counts)
			guard_counts(after);
		if (progress) {
			progress->calls[progress->n].result = result_of(call);
			progress->calls[progress->n++].effects = (after[0] != before[0] ? RFS_DRIVER_ALLOCATES : 0) |
								 (after[1] != before[1] ? RFS_DRIVER_FREES : 0);
		}
	}
}

/* A library may print much, or wait for input. flags: of open(2), for the standard files. */
static void silence(int flags)
{
	int null = open("/dev/null", flags);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	close(null);
}

/* ---- serve ---- */

static void child(struct progress *progress)
{
	const struct rlimit time = {2, 2}, file = {FILE_BYTES_MAX, FILE_BYTES_MAX};

	silence(O_RDWR);
	close(RFS_DRIVER_TESTS);
	close(RFS_DRIVER_ANSWERS);
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_CPU, &time);
	setrlimit(RLIMIT_FSIZE, &file);
	rfs_driver_contain(progress->refused);
	for (size_t section = 0; section < RFS_DRIVER_SECTIONS; section++)
		execute_section(section, progress);
	_exit(STATUS_FINISHED);
}

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Whether the thread sleeps, and the CPU time that it has used, in ticks. */
static bool thread_sleeps(pid_t pid, const char *thread, unsigned long *ticks)
{
	char path[64], text[512], *rest;
	unsigned long user = 0, system = 0;
	char state = '?';
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/stat", (int)pid, thread);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	rest = strrchr(text, ')'); /* the name of the program may have blanks */
	if (rest)
		sscanf(rest + 2, "%c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &state, &user, &system);
	*ticks += user + system;
	return state == 'S';
}

/* Whether all threads of the process sleep. On a busy machine, one that can run may use no time between two looks. */
static bool sleeps(pid_t pid, unsigned long *ticks)
{
	char path[64];
	const struct dirent *entry;
	bool asleep = true;
	DIR *threads;

	*ticks = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	threads = opendir(path);
	if (!threads)
		return false;
	while ((entry = readdir(threads)))
		if (entry->d_name[0] != '.')
			asleep &= thread_sleeps(pid, entry->d_name, ticks);
	closedir(threads);
	return asleep;
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid;
}

/*
 * Waits for the child, until it has used SERVED_CPU_MS, and at most SERVED_MS. Wall time says little on a busy machine.
 * A child that sleeps and has used no CPU time since the last look waits for something that never happens. Then ends
 * what the child has started. False: it was killed.
 */
static bool wait_for(pid_t pid, int *status, struct rusage *usage)
{
	const struct timespec look = {0, LOOK_MS * 1000000};
	const long end = now_ms() + SERVED_MS, most = SERVED_CPU_MS * sysconf(_SC_CLK_TCK) / 1000;
	unsigned long before = 0, ticks = 0;
	bool slept = false, in_time = true, asleep;
	sigset_t ended;

	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	while (in_time && !has_ended(pid)) {
		if (sigtimedwait(&ended, NULL, &look) >= 0 || errno != EAGAIN)
			continue;
		asleep = sleeps(pid, &ticks);
		in_time = !(asleep && slept && ticks == before) && ticks < (unsigned long)most && now_ms() < end;
		slept = asleep;
		before = ticks;
	}
	kill(-pid, SIGKILL);
	if (!in_time)
		kill(pid, SIGKILL);
	wait4(pid, status, 0, usage);
	rfs_driver_end_orphans();
	return in_time;
}

static void answer(const struct progress *progress, bool in_time, int status, const struct rusage *usage)
{
	if (!in_time)
		fprintf(answers, "late");
	else if (WIFSIGNALED(status))
		fprintf(answers, "signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status) != STATUS_FINISHED)
		fprintf(answers, "exit %d", WEXITSTATUS(status));
	else
		fprintf(answers, "ok");
	/* a call may have written into this memory */
	for (size_t i = 0; i < progress->n && i < sizeof(progress->calls) / sizeof(*progress->calls); i++)
		fprintf(answers, " %llx:%u", (unsigned long long)progress->calls[i].result, progress->calls[i].effects);
	if (progress->refused[RFS_DRIVER_PROCESS])
		fprintf(answers, " +process");
	if (progress->refused[RFS_DRIVER_NETWORK])
		fprintf(answers, " +network");
	if ((unsigned long)usage->ru_maxrss * 1024 >= RFS_DRIVER_MEMORY / 8 * 7)
		fprintf(answers, " +memory");
	fprintf(answers, "\n");
	fflush(answers);
}

static void serve_one(const char *text, size_t n, struct progress *progress)
{
	char why[128] = "out of memory";
	const pid_t self = getpid();
	struct rusage usage;
	bool in_time;
	int status;
	pid_t pid;

	*progress = (struct progress){0};
	if (!rfs_driver_script_read(text, n, &script, why, sizeof(why))) {
		fprintf(answers, "bad %s\n", why);
		fflush(answers);
	} else {
		pid = fork();
		if (pid == 0) {
			setpgid(0, 0);
			/* nothing may stay if this process is killed */
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (getppid() != self)
				_exit(STATUS_NO_TEST);
			child(progress);
		}
		if (pid < 0)
			exit(2);
		in_time = wait_for(pid, &status, &usage);
		rfs_driver_clean();
		answer(progress, in_time, status, &usage);
	}
	rfs_driver_script_clear(&script);
}

/* Reads over a test of n bytes. */
static void refuse_long(FILE *tests, size_t n)
{
	while (n && getc(tests) != EOF)
		n--;
	fprintf(answers, "bad too long\n");
	fflush(answers);
}

static int serve(void)
{
	struct progress *progress =
		mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	static char text[TEST_BYTES_MAX];
	FILE *tests = fdopen(RFS_DRIVER_TESTS, "r");
	sigset_t ended;
	size_t n;

	guard_counts = (void (*)(unsigned long[2]))dlsym(RTLD_DEFAULT, "rfs_guard_counts");
	answers = fdopen(RFS_DRIVER_ANSWERS, "w");
	if (progress == MAP_FAILED || !tests || !answers)
		return 2;
	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ended, NULL);
	while (fscanf(tests, "%zu", &n) == 1 && getc(tests) == '\n') {
		if (n > sizeof(text)) {
			refuse_long(tests, n);
			continue;
		}
		if (fread(text, 1, n, tests) != n)
			return 2;
		serve_one(text, n, progress);
	}
	return 0;
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

	rfs_driver_hooks_call(RFS_DRIVER_START);
	for (size_t i = 0; i < script.n[section]; i++) {
		rfs_driver_execute(&script, &script.calls[section][i], NULL);
		rfs_driver_results_take(&script, section, i);
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
	static char text[TEST_BYTES_MAX];
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

__attribute__((constructor)) static void prepare(int argc, char **argv)
{
	if (argc < 3 || strcmp(argv[1], "run") != 0)
		return;
	silence(O_RDWR);
	rfs_driver_contain(NULL);
	atexit(ended_early);
	if (rfs_driver_hooks_read(argv + 3) && read_test(argv[2])) {
		rfs_driver_hooks_call(RFS_DRIVER_BEFORE);
		execute_section(0, NULL);
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
static bool tell(const char *test)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < script.n[RFS_DRIVER_STATE]; i++) {
		rfs_driver_execute(&script, &script.calls[RFS_DRIVER_STATE][i], NULL);
		rfs_driver_results_take(&script, RFS_DRIVER_STATE, i);
	}
	snprintf(path, sizeof(path), "%s.results", test);
	return rfs_driver_results_write(&script, path);
}

static int run(const char *test)
{
	const bool tells = rfs_driver_results_count();
	pthread_t thread;

	if (prepared)
		_exit(prepared);
	silence(O_RDWR);
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
	_exit(tells && !tell(test) ? STATUS_NO_TEST : 0);
}

int main(int argc, char **argv)
{
	if (argc < 2 || (strcmp(argv[1], "serve") != 0 && (strcmp(argv[1], "run") != 0 || argc < 3))) {
		fprintf(stderr, "rfsup-driver: rfsup --generate starts it\n");
		return STATUS_NO_TEST;
	}
	if (strcmp(argv[1], "run") == 0)
		return run(argv[2]);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (!rfs_driver_hooks_read(argv + 2))
		return STATUS_NO_TEST;
	rfs_driver_hooks_call(RFS_DRIVER_BEFORE);
	return serve();
}
