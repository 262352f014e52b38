/*
 * serve.c - a test is executed in a separate process, which is a copy of this one.
 *
 * A copy costs more than a few calls, and most tests are the test before with one more call. So a process that has
 * executed its calls stops itself. If the next test begins with the same text, the process continues and executes the
 * rest. The state is the same as in a new process that executes all calls.
 */
#include "supervisor/generate/driver/serve.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/generate/driver/contain.h"
#include "supervisor/generate/driver/files.h"
#include "supervisor/generate/driver/script.h"

#define SERVED_MS 10000	   /* the longest test */
#define SERVED_CPU_MS 100  /* its CPU time; most tests need less than a millisecond */
#define PROCESS_CPU_S 10   /* the CPU time of all tests of a process */
#define LOOK_MS 20	   /* time between two looks at a test */
#define STATUS_NO_TEST 2   /* of a process that cannot execute its test */
#define STATUS_NO_SERVER 2 /* of this process */

/* What the process of a test shares with this one. A call of the test may have written anything into it. */
struct progress {
	uint64_t refused[RFS_DRIVER_N_REFUSED];
	char why[128];	  /* it is not a test; "": it is one */
	bool is_finished; /* all calls have returned */
	size_t n;	  /* calls that have returned */
	struct {
		uint64_t result;
		unsigned effects;
	} calls[RFS_DRIVER_SECTIONS * RFS_DRIVER_CALLS];
	size_t size; /* of the test */
	char text[RFS_DRIVER_TEST_BYTES];
};

/* The process that waits for more calls. */
struct kept {
	pid_t pid;   /* 0: there is none */
	size_t size; /* of the text that it has executed */
	char text[RFS_DRIVER_TEST_BYTES];
	long cpu_ms; /* that it has used */
};

static struct rfs_driver_script script;
static struct progress *progress;
static struct kept kept;
static FILE *answers;
static bool has_network; /* a private one */
static int file_rules;

/* Of the guard heap; NULL: there is none. Makes it guard blocks; how many blocks this thread has allocated and freed.
 */
static void (*guard_begin)(void);
static void (*guard_counts)(unsigned long counts[2]);

/* ---- the process of a test ---- */

/* The RESULT of the call (main.c). */
static uint64_t result_of(const struct rfs_driver_call *call)
{
	if (call->slot >= 0)
		return script.slots[call->slot];
	for (size_t i = 0; i < call->n_values; i++)
		if (call->values[i].kind == RFS_DRIVER_SLOT_ADDRESS)
			return script.slots[call->values[i].integer];
	return 0;
}

/* The arguments whose objects cannot be accessed any more, as bits. */
static unsigned ended_arguments(const struct rfs_driver_call *call)
{
	unsigned ended = 0;

	for (size_t i = 0; i < call->n_values && i < RFS_DRIVER_ENDS_MAX; i++) {
		char byte;
		const struct iovec here = {&byte, 1},
				   there = {(void *)script.slots[call->values[i].integer % RFS_DRIVER_SLOTS], 1};

		if (call->values[i].kind == RFS_DRIVER_SLOT && there.iov_base &&
		    process_vm_readv(getpid(), &here, 1, &there, 1, 0) != 1)
			ended |= 1u << (RFS_DRIVER_ENDS + i);
	}
	return ended;
}

static void execute(const struct rfs_driver_call *call)
{
	unsigned long before[2] = {0, 0}, after[2] = {0, 0};
	unsigned effects;

	if (guard_counts)
		guard_counts(before);
	rfs_driver_execute(&script, call, NULL);
	if (guard_counts)
		guard_counts(after);
	effects = (after[0] != before[0] ? RFS_DRIVER_ALLOCATES : 0) | (after[1] != before[1] ? RFS_DRIVER_FREES : 0);
	if (effects & RFS_DRIVER_FREES)
		effects |= ended_arguments(call);
	progress->calls[progress->n].result = result_of(call);
	progress->calls[progress->n++].effects = effects;
}

/* Reads the text of the test from `at` on, and executes its calls. */
static void execute_from(size_t at)
{
	size_t executed[RFS_DRIVER_SECTIONS];

	memcpy(executed, script.n, sizeof(executed));
	if (!rfs_driver_script_read(progress->text + at, progress->size - at, &script, progress->why,
				    sizeof(progress->why)))
		_exit(STATUS_NO_TEST);
	progress->why[0] = '\0';
	for (size_t section = 0; section < RFS_DRIVER_SECTIONS; section++)
		for (size_t i = executed[section]; i < script.n[section]; i++)
			execute(&script.calls[section][i]);
}

/* This process reads no test before it is copied, because each of its allocations makes all later copies slower. */
static void child(void)
{
	const struct rlimit time = {PROCESS_CPU_S, PROCESS_CPU_S};

	close(RFS_DRIVER_TESTS);
	close(RFS_DRIVER_ANSWERS);
	setrlimit(RLIMIT_CPU, &time);
	rfs_driver_contain(has_network, progress->refused);
	rfs_driver_files_protect(file_rules);
	if (guard_begin)
		guard_begin();
	for (size_t at = 0;;) {
		size_t end = progress->size;

		execute_from(at);
		at = end;
		progress->is_finished = true;
		raise(SIGSTOP);
	}
}

/* ---- waiting for it ---- */

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static long cpu_ms(const struct rusage *usage)
{
	return (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000 +
	       (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1000;
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

/* Whether the process has ended or stopped. */
static bool has_changed(pid_t pid)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid;
}

/*
 * Waits until the process stops or ends, until it has used SERVED_CPU_MS, and at most SERVED_MS. Wall time says little
 * on a busy machine. A process that sleeps and has used no CPU time since the last look waits for something that never
 * happens. False: it must be killed.
 */
static bool wait_for(pid_t pid)
{
	const struct timespec look = {0, LOOK_MS * 1000000};
	const long end = now_ms() + SERVED_MS, hz = sysconf(_SC_CLK_TCK),
		   most = (kept.cpu_ms + SERVED_CPU_MS) * hz / 1000;
	unsigned long before = 0, ticks = 0;
	bool slept = false, in_time = true, asleep;
	sigset_t ended;

	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	while (in_time && !has_changed(pid)) {
		if (sigtimedwait(&ended, NULL, &look) >= 0 || errno != EAGAIN)
			continue;
		asleep = sleeps(pid, &ticks);
		in_time = !(asleep && slept && ticks == before) && ticks < (unsigned long)most && now_ms() < end;
		slept = asleep;
		before = ticks;
	}
	return in_time;
}

/* Ends what the process has started, and removes what it has written. It has ended. */
static void end_rest(void)
{
	kill(-kept.pid, SIGKILL);
	rfs_driver_end_orphans();
	rfs_driver_clean();
	kept.pid = 0;
	kept.cpu_ms = 0;
}

static void end_kept(struct rusage *usage)
{
	int status;

	if (!kept.pid)
		return;
	kill(kept.pid, SIGKILL);
	wait4(kept.pid, &status, 0, usage);
	end_rest();
}

/* ---- a test ---- */

static pid_t start(void)
{
	const pid_t self = getpid();
	pid_t pid = fork();

	if (pid == 0) {
		setpgid(0, 0);
		/* nothing may stay if this process is killed */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != self)
			_exit(STATUS_NO_TEST);
		child();
	}
	if (pid < 0)
		exit(STATUS_NO_SERVER);
	return pid;
}

static void answer(bool in_time, int status, const struct rusage *usage)
{
	if (progress->why[0])
		fprintf(answers, "bad %.*s", (int)sizeof(progress->why) - 1, progress->why);
	else if (!in_time)
		fprintf(answers, "late");
	else if (WIFSIGNALED(status))
		fprintf(answers, "signal %d", WTERMSIG(status));
	else if (WIFEXITED(status))
		fprintf(answers, "exit %d", WEXITSTATUS(status));
	else
		fprintf(answers, "ok");
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

/* Whether the test is the one that the kept process has executed, and more. */
static bool is_longer(const char *text, size_t size)
{
	return kept.pid && size > kept.size && memcmp(text, kept.text, kept.size) == 0;
}

static void serve_one(const char *text, size_t size)
{
	struct rusage usage = {0};
	bool in_time, goes_on = false;
	int status = 0;

	if (is_longer(text, size)) {
		progress->is_finished = false;
	} else {
		end_kept(&usage);
		memset(progress, 0, offsetof(struct progress, text));
		strcpy(progress->why, "out of memory");
	}
	memcpy(progress->text, text, size);
	progress->size = size;
	if (kept.pid)
		kill(kept.pid, SIGCONT);
	else
		kept.pid = start();
	in_time = wait_for(kept.pid);
	if (in_time) {
		wait4(kept.pid, &status, WUNTRACED, &usage);
		goes_on = WIFSTOPPED(status) && progress->is_finished;
		/* a call may have stopped the process */
		in_time = goes_on || !WIFSTOPPED(status);
	}
	if (goes_on) {
		memcpy(kept.text, text, size);
		kept.size = size;
		kept.cpu_ms = cpu_ms(&usage);
	} else if (in_time) {
		end_rest();
	} else {
		end_kept(&usage);
	}
	answer(in_time, status, &usage);
}

/* Reads over a test of n bytes. */
static void refuse_long(FILE *tests, size_t n)
{
	while (n && getc(tests) != EOF)
		n--;
	fprintf(answers, "bad too long\n");
	fflush(answers);
}

int rfs_driver_serve(bool private_network)
{
	static char text[RFS_DRIVER_TEST_BYTES];
	FILE *tests = fdopen(RFS_DRIVER_TESTS, "r");
	struct rusage usage;
	sigset_t ended;
	size_t n;

	has_network = private_network;
	file_rules = rfs_driver_files_rules(".");
	guard_begin = (void (*)(void))dlsym(RTLD_DEFAULT, "rfs_guard_begin");
	guard_counts = (void (*)(unsigned long[2]))dlsym(RTLD_DEFAULT, "rfs_guard_counts");
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	answers = fdopen(RFS_DRIVER_ANSWERS, "w");
	if (progress == MAP_FAILED || !tests || !answers)
		return STATUS_NO_SERVER;
	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ended, NULL);
	while (fscanf(tests, "%zu", &n) == 1 && getc(tests) == '\n') {
		if (n > sizeof(text)) {
			refuse_long(tests, n);
			continue;
		}
		if (fread(text, 1, n, tests) != n)
			return STATUS_NO_SERVER;
		if (n) {
			serve_one(text, n);
		} else {
			end_kept(&usage);
			fprintf(answers, "ok\n");
			fflush(answers);
		}
	}
	end_kept(&usage);
	return 0;
}
