/* timeouts.c - alarms and timers against calls that wait, and what calls say of the time that is left. */
#include "calls.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <time.h>

static volatile sig_atomic_t alarms;

static void count(int signo)
{
	(void)signo;
	alarms++;
}

static void on_alarm(int flags)
{
	struct sigaction action = {.sa_handler = count, .sa_flags = flags};

	sigaction(SIGALRM, &action, NULL);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int alarm_poll(void)
{
	struct pollfd fd = {.events = POLLIN};
	int ends[2];
	double from = now();

	CHECK(pipe(ends) == 0);
	fd.fd = ends[0];
	on_alarm(SA_RESTART);
	alarm(1);
	CHECK(poll(&fd, 1, -1) == -1 && errno == EINTR && alarms == 1);
	alarm(1);
	CHECK(poll(&fd, 1, 5000) == -1 && errno == EINTR && alarms == 2);
	alarm(1);
	CHECK(poll(NULL, 0, 5000) == -1 && errno == EINTR && alarms == 3);
	CHECK(now() - from > 2.9 && now() - from < 5);
	alarm(3);
	CHECK(poll(&fd, 1, 1000) == 0);
	CHECK(alarm(0) == 2);
	return 0;
}

static int alarm_select(void)
{
	fd_set set;
	int ends[2];
	struct timeval five = {5, 0};
	struct timespec five_ns = {5, 0};

	CHECK(pipe(ends) == 0);
	on_alarm(0);
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	alarm(1);
	CHECK(select(ends[0] + 1, &set, NULL, NULL, NULL) == -1 && errno == EINTR && alarms == 1);
	FD_SET(ends[0], &set);
	alarm(1);
	CHECK(select(ends[0] + 1, &set, NULL, NULL, &five) == -1 && errno == EINTR && alarms == 2);
	CHECK(five.tv_sec == 4 || five.tv_sec == 3);
	alarm(1);
	CHECK(pselect(0, NULL, NULL, NULL, &five_ns, NULL) == -1 && errno == EINTR && alarms == 3);
	return 0;
}

static int alarm_read(void)
{
	int ends[2];
	char byte;

	CHECK(pipe(ends) == 0);
	on_alarm(0);
	alarm(1);
	CHECK(read(ends[0], &byte, 1) == -1 && errno == EINTR && alarms == 1);
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	alarm(1);
	CHECK(recv(ends[0], &byte, 1, 0) == -1 && errno == EINTR && alarms == 2);
	return 0;
}

static int alarm_epoll(void)
{
	int fd = epoll_create1(0);
	struct epoll_event event;

	on_alarm(0);
	alarm(1);
	CHECK(epoll_wait(fd, &event, 1, -1) == -1 && errno == EINTR && alarms == 1);
	alarm(1);
	CHECK(epoll_wait(fd, &event, 1, 3000) == -1 && errno == EINTR && alarms == 2);
	return 0;
}

static int alarm_pause(void)
{
	sigset_t set;

	on_alarm(0);
	alarm(1);
	CHECK(pause() == -1 && errno == EINTR && alarms == 1);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	alarm(1);
	sigemptyset(&set);
	CHECK(sigsuspend(&set) == -1 && errno == EINTR && alarms == 2);
	return 0;
}

static int alarm_wait(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		pause();
		_exit(0);
	}
	on_alarm(0);
	alarm(1);
	CHECK(waitpid(child, &status, 0) == -1 && errno == EINTR && alarms == 1);
	kill(child, SIGKILL);
	CHECK(waitpid(child, &status, 0) == child);
	return 0;
}

static int alarm_sleep(void)
{
	struct timespec ask = {5, 0}, left = {0};

	on_alarm(SA_RESTART);
	alarm(1);
	CHECK(nanosleep(&ask, &left) == -1 && errno == EINTR && alarms == 1);
	CHECK(left.tv_sec == 3 || left.tv_sec == 4);
	alarm(1);
	CHECK(sleep(5) >= 3 && alarms == 2);
	alarm(1);
	CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &ask, &left) == EINTR && alarms == 3);
	return 0;
}

static int alarm_semaphores(void)
{
	int set = semget(IPC_PRIVATE, 1, 0600 | IPC_CREAT), queue = msgget(IPC_PRIVATE, 0600 | IPC_CREAT), failed = 0;
	struct sembuf down = {0, -1, 0};
	struct timespec second = {1, 0};
	struct {
		long type;
		char text[4];
	} message;
	sem_t sem;

	CHECK(set >= 0 && queue >= 0);
	on_alarm(0);
	alarm(1);
	failed |= !(semop(set, &down, 1) == -1 && errno == EINTR && alarms == 1);
	alarm(1);
	failed |= 2 * !(msgrcv(queue, &message, 4, 0, 0) == -1 && errno == EINTR && alarms == 2);
	failed |= 4 * !(semtimedop(set, &down, 1, &second) == -1 && errno == EAGAIN);
	semctl(set, 0, IPC_RMID);
	msgctl(queue, IPC_RMID, NULL);
	CHECK(failed == 0);
	sem_init(&sem, 0, 0);
	alarm(1);
	CHECK(sem_wait(&sem) == -1 && errno == EINTR && alarms == 3);
	return 0;
}

static int alarm_lock(void)
{
	char name[] = "/tmp/lock-XXXXXX";
	int fd = mkstemp(name), other = open(name, O_RDWR);
	static int word = 1;

	unlink(name);
	on_alarm(0);
	CHECK(flock(fd, LOCK_EX) == 0);
	alarm(1);
	CHECK(flock(other, LOCK_EX) == -1 && errno == EINTR && alarms == 1);
	alarm(1);
	CHECK(syscall(SYS_futex, &word, FUTEX_WAIT, 1, NULL) == -1 && errno == EINTR && alarms == 2);
	return 0;
}

static int alarm_spin(void)
{
	on_alarm(0);
	alarm(1);
	while (!alarms)
		;
	return 0;
}

static int interval(void)
{
	struct itimerval every = {{0, 10000}, {0, 10000}}, left;
	double from = now();

	on_alarm(0);
	CHECK(setitimer(ITIMER_REAL, &every, NULL) == 0);
	while (alarms < 10)
		pause();
	CHECK(getitimer(ITIMER_REAL, &left) == 0 && left.it_interval.tv_usec == 10000);
	CHECK(now() - from > 0.09);
	every = (struct itimerval){0};
	CHECK(setitimer(ITIMER_REAL, &every, NULL) == 0);
	return 0;
}

static int select_left(void)
{
	struct timeval two = {2, 0};
	struct timespec raw = {2, 0};
	fd_set set;
	int ends[2];

	CHECK(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	CHECK(select(ends[0] + 1, &set, NULL, NULL, &two) == 1);
	CHECK(two.tv_sec == 1 || (two.tv_sec == 2 && two.tv_usec == 0));
	two = (struct timeval){1, 500000};
	CHECK(select(0, NULL, NULL, NULL, &two) == 0);
	CHECK(two.tv_sec == 0 && two.tv_usec == 0);
	CHECK(syscall(SYS_pselect6, 0, NULL, NULL, NULL, &raw, NULL) == 0);
	CHECK(raw.tv_sec == 0 && raw.tv_nsec == 0);
	raw = (struct timespec){1, 0};
	CHECK(syscall(SYS_ppoll, NULL, 0, &raw, NULL, 8) == 0);
	CHECK(raw.tv_sec == 0 && raw.tv_nsec == 0);
	return 0;
}

static void *late(void *arg)
{
	usleep(500000);
	(void)!write(*(int *)arg, "x", 1);
	return NULL;
}

static int select_late(void)
{
	struct timeval ten = {10, 0};
	fd_set set;
	int ends[2];
	pthread_t thread;

	CHECK(pipe(ends) == 0);
	pthread_create(&thread, NULL, late, &ends[1]);
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	CHECK(select(ends[0] + 1, &set, NULL, NULL, &ten) == 1);
	CHECK(FD_ISSET(ends[0], &set));
	CHECK(ten.tv_sec == 9);
	pthread_join(thread, NULL);
	return 0;
}

static int adjusted(void)
{
	struct timex x = {0};
	struct timespec t;
	struct ntptimeval ntp;

	CHECK(adjtimex(&x) >= 0);
	clock_gettime(CLOCK_REALTIME, &t);
	CHECK(t.tv_sec - x.time.tv_sec >= 0 && t.tv_sec - x.time.tv_sec < 5);
	memset(&x, 0, sizeof(x));
	CHECK(clock_adjtime(CLOCK_REALTIME, &x) >= 0);
	CHECK(t.tv_sec - x.time.tv_sec > -5 && t.tv_sec - x.time.tv_sec < 5);
	CHECK(ntp_gettime(&ntp) >= 0);
	CHECK(t.tv_sec - ntp.time.tv_sec > -5 && t.tv_sec - ntp.time.tv_sec < 5);
	return 0;
}

static int socket_timeout(void)
{
	struct timeval t = {0, 200000};
	int ends[2];
	char byte;

	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	CHECK(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t)) == 0);
	CHECK(recv(ends[0], &byte, 1, 0) == -1 && errno == EAGAIN);
	CHECK(read(ends[0], &byte, 1) == -1 && errno == EAGAIN);
	return 0;
}

static int timer_fd(void)
{
	struct itimerspec when = {{0, 100000000}, {0, 100000000}};
	struct pollfd fd = {.events = POLLIN};
	uint64_t n;

	fd.fd = timerfd_create(CLOCK_MONOTONIC, 0);
	CHECK(timerfd_settime(fd.fd, 0, &when, NULL) == 0);
	CHECK(poll(&fd, 1, 20) == 0);
	CHECK(poll(&fd, 1, 1000) == 1);
	CHECK(read(fd.fd, &n, 8) == 8 && n == 1);
	usleep(250000);
	CHECK(read(fd.fd, &n, 8) == 8 && n >= 2);
	return 0;
}

static int timed_waits(void)
{
	struct timespec t;
	sem_t sem;
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

	sem_init(&sem, 0, 0);
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec++;
	CHECK(sem_timedwait(&sem, &t) == -1 && errno == ETIMEDOUT);
	CHECK(sem_timedwait(&sem, &t) == -1 && errno == ETIMEDOUT);
	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec++;
	CHECK(sem_clockwait(&sem, CLOCK_MONOTONIC, &t) == -1 && errno == ETIMEDOUT);
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec++;
	pthread_mutex_lock(&mutex);
	CHECK(pthread_cond_timedwait(&cond, &mutex, &t) == ETIMEDOUT);
	CHECK(pthread_mutex_timedlock(&mutex, &t) == ETIMEDOUT);
	pthread_rwlock_rdlock(&rwlock);
	t.tv_sec++;
	CHECK(pthread_rwlock_timedwrlock(&rwlock, &t) == ETIMEDOUT);
	return 0;
}

static int sigtimed(void)
{
	struct timespec t = {1, 0};
	sigset_t set;
	double from = now();

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	CHECK(sigtimedwait(&set, NULL, &t) == -1 && errno == EAGAIN);
	CHECK(now() - from >= 1);
	alarm(1);
	t.tv_sec = 5;
	CHECK(sigtimedwait(&set, NULL, &t) == SIGALRM);
	CHECK(now() - from < 4);
	return 0;
}

static int alarm_in_child(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		on_alarm(0);
		alarm(1);
		pause();
		_exit(alarms != 1);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	return 0;
}

CALLS_MAIN(CASE(alarm_poll), CASE(alarm_select), CASE(alarm_read), CASE(alarm_epoll), CASE(alarm_pause),
	   CASE(alarm_wait), CASE(alarm_sleep), CASE(alarm_semaphores), CASE(alarm_lock), CASE(alarm_spin),
	   CASE(interval), CASE(select_left), CASE(select_late), CASE(adjusted), CASE(socket_timeout), CASE(timer_fd),
	   CASE(timed_waits), CASE(sigtimed), CASE(alarm_in_child))
