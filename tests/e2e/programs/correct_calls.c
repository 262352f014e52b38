/*
 * correct_calls.c - two threads that make calls correctly; the argument says which. Each kind fails if rfsup answers a
 * call as no kernel would, or if the model knows less than the kernel and the C library.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORK 800000000l
#define MEGABYTES 64

static sem_t semaphore, other_semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, robust;
static pthread_barrier_t barrier;
static pthread_t main_thread;
static volatile sig_atomic_t got;
static int descriptor, work;
static char block[1 << 20];

static void check(int right)
{
	if (!right)
		abort();
}

static void post(int signo)
{
	(void)signo;
	sem_post(&semaphore);
}

static void note(int signo)
{
	(void)signo;
	got = 1;
}

static void *wait_for_post(void *arg)
{
	while (sem_wait(&other_semaphore))
		;
	return arg;
}

static void *do_nothing(void *arg)
{
	return arg;
}

/* The handler of SIGCHLD lets the main thread continue, when the child has worked for a while. */
static void child_that_works(void)
{
	struct sigaction action = {.sa_handler = post, .sa_flags = SA_RESTART};
	pthread_t thread;

	sigaction(SIGCHLD, &action, NULL);
	if (fork() == 0) {
		for (volatile long i = 0; i < WORK; i++)
			;
		_exit(0);
	}
	pthread_create(&thread, NULL, wait_for_post, NULL);
	while (sem_wait(&semaphore) && errno == EINTR)
		;
	check(wait(NULL) > 0);
	sem_post(&other_semaphore);
	pthread_join(thread, NULL);
}

static void *read_event(void *arg)
{
	uint64_t n;

	check(read(descriptor, &n, sizeof(n)) == sizeof(n));
	return arg;
}

/* The kernel itself writes to the eventfd. */
static void asynchronous_output(void)
{
	char name[] = "correct_calls.XXXXXX";
	const int fd = mkstemp(name);
	struct iocb call = {.aio_fildes = (unsigned)fd, .aio_lio_opcode = IOCB_CMD_FSYNC, .aio_flags = IOCB_FLAG_RESFD},
		    *list = &call;
	aio_context_t context = 0;
	pthread_t thread;

	unlink(name);
	for (int i = 0; i < MEGABYTES; i++)
		check(write(fd, block, sizeof(block)) == sizeof(block));
	descriptor = eventfd(0, 0);
	call.aio_resfd = (unsigned)descriptor;
	pthread_create(&thread, NULL, read_event, NULL);
	/* not every file system has it */
	if (syscall(SYS_io_setup, 1, &context) || syscall(SYS_io_submit, context, 1, &list) != 1)
		_exit(0);
	pthread_join(thread, NULL);
}

/* A stop signal interrupts no call. */
static void stopped_and_continued(void)
{
	pthread_t thread;
	int ends[2];
	char c;

	check(pipe(ends) == 0);
	pthread_create(&thread, NULL, do_nothing, NULL);
	if (fork() == 0) {
		sleep(1);
		kill(getppid(), SIGSTOP);
		sleep(1);
		kill(getppid(), SIGCONT);
		sleep(1);
		_exit(write(ends[1], "x", 1) != 1);
	}
	check(read(ends[0], &c, 1) == 1);
	pthread_join(thread, NULL);
	wait(NULL);
}

static void parent_and_core(void)
{
	pthread_t thread;
	cpu_set_t one;

	pthread_create(&thread, NULL, do_nothing, NULL);
	pthread_join(thread, NULL);
	check(kill(getppid(), 0) == 0);
	CPU_ZERO(&one);
	CPU_SET(1, &one);
	check(sched_setaffinity(0, sizeof(one), &one) || sched_getcpu() == 1);
}

static void *send_signals(void *arg)
{
	for (int i = 0; i < 8; i++) {
		pthread_kill(main_thread, SIGURG);
		sched_yield();
	}
	return arg;
}

/* After its first run, the handler is none any more. */
static void handler_that_runs_once(void)
{
	struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
	pthread_t thread;

	sigaction(SIGURG, &action, NULL);
	main_thread = pthread_self();
	pthread_create(&thread, NULL, send_signals, NULL);
	for (int i = 0; i < 40; i++) {
		pthread_mutex_lock(&mutex);
		work++;
		pthread_mutex_unlock(&mutex);
	}
	pthread_join(thread, NULL);
}

static void *end_with_mutex(void *arg)
{
	check(pthread_mutex_lock(&robust) == 0);
	return arg;
}

static void mutex_that_nobody_repairs(void)
{
	pthread_mutexattr_t attributes;
	pthread_t thread;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attributes);
	pthread_create(&thread, NULL, end_with_mutex, NULL);
	pthread_join(thread, NULL);
	check(pthread_mutex_lock(&robust) == EOWNERDEAD && pthread_mutex_unlock(&robust) == 0);
	for (int i = 0; i < 2; i++)
		check(pthread_mutex_lock(&robust) == ENOTRECOVERABLE);
	check(pthread_mutex_destroy(&robust) == 0);
}

static int cancelled, seen;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* A cleanup handler is not cancelled again, so it may wait. */
static void clean_up(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&mutex);
	cancelled = 1;
	pthread_cond_signal(&changed);
	while (!seen)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
}

static void *sleep_always(void *arg)
{
	pthread_cleanup_push(clean_up, NULL);
	for (;;)
		sleep(1);
	pthread_cleanup_pop(0);
	return arg;
}

static void wait_in_cleanup(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, sleep_always, NULL);
	pthread_cancel(thread);
	pthread_mutex_lock(&mutex);
	while (!cancelled)
		pthread_cond_wait(&changed, &mutex);
	seen = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
}

static void *send_message(void *arg)
{
	sleep(2);
	check(mq_send((mqd_t)descriptor, "x", 2, 0) == 0);
	return arg;
}

/* Time limits are in the time that the program sees. */
static void message_in_time(void)
{
	struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = 8};
	struct timespec limit;
	pthread_t thread;
	char name[32], text[8];

	snprintf(name, sizeof(name), "/correct_calls.%d", (int)getpid());
	descriptor = (int)mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
	mq_unlink(name);
	pthread_create(&thread, NULL, send_message, NULL);
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 60;
	check(mq_timedreceive((mqd_t)descriptor, text, sizeof(text), NULL, &limit) == 2);
	pthread_join(thread, NULL);
	limit.tv_sec -= 30;
	check(mq_timedreceive((mqd_t)descriptor, text, sizeof(text), NULL, &limit) == -1 && errno == ETIMEDOUT);
}

static struct shared {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	int flag;
} * shared;

static void *set_flag(void *arg)
{
	sleep(2);
	pthread_mutex_lock(&shared->mutex);
	shared->flag = 1;
	pthread_cond_signal(&shared->changed);
	pthread_mutex_unlock(&shared->mutex);
	return arg;
}

/* The same for a condition variable in memory that had a name. */
static void condition_in_time(void)
{
	pthread_mutexattr_t of_mutex;
	pthread_condattr_t of_condition;
	struct timespec limit;
	pthread_t thread;
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "/correct_calls.%d", (int)getpid());
	fd = shm_open(name, O_CREAT | O_RDWR, 0600);
	shm_unlink(name);
	check(ftruncate(fd, sizeof(*shared)) == 0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	pthread_mutexattr_init(&of_mutex);
	pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->mutex, &of_mutex);
	pthread_condattr_init(&of_condition);
	pthread_condattr_setpshared(&of_condition, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&shared->changed, &of_condition);
	pthread_create(&thread, NULL, set_flag, NULL);
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 60;
	pthread_mutex_lock(&shared->mutex);
	while (!shared->flag)
		check(pthread_cond_timedwait(&shared->changed, &shared->mutex, &limit) == 0);
	pthread_mutex_unlock(&shared->mutex);
	pthread_join(thread, NULL);
}

/* In a static program, only the name tells that it is no function of the C library. */
static void __attribute__((noinline)) exit_phase(void)
{
	pthread_barrier_wait(&barrier);
}

static void *leave_phase(void *arg)
{
	exit_phase();
	return arg;
}

static void functions_with_the_librarys_names(void)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, leave_phase, NULL);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kinds[] = {
		{"child", child_that_works},
		{"output", asynchronous_output},
		{"stop", stopped_and_continued},
		{"parent", parent_and_core},
		{"once", handler_that_runs_once},
		{"robust", mutex_that_nobody_repairs},
		{"names", functions_with_the_librarys_names},
		{"cleanup", wait_in_cleanup},
		{"message", message_in_time},
		{"condition", condition_in_time},
	};

	sem_init(&semaphore, 0, 0);
	sem_init(&other_semaphore, 0, 0);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (argc > 1 && strcmp(kinds[i].name, argv[1]) == 0) {
			kinds[i].run();
			return 0;
		}
	return 2;
}
