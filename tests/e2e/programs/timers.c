/* Every kind of timer and timeout, in two threads. Prints when each one ended. Takes almost no real time. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			printf("line %d: %s (%s)\n", __LINE__, #condition, strerror(errno));                           \
			exit(2);                                                                                       \
		}                                                                                                      \
	} while (0)

static atomic_int alarms, code, value;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void on_alarm(int signo, siginfo_t *info, void *context)
{
	(void)signo;
	(void)context;
	atomic_fetch_add(&alarms, 1);
	atomic_store(&code, info->si_code);
	atomic_store(&value, info->si_code == SI_TIMER ? info->si_value.sival_int : 0);
}

static void timer_descriptors(void)
{
	const struct itimerspec every = {.it_value = {100, 0}, .it_interval = {50, 0}};
	int fd = timerfd_create(CLOCK_MONOTONIC, 0), epoll = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN};
	struct itimerspec left;
	double start = now();
	uint64_t times;

	CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0);
	CHECK(timerfd_settime(fd, 0, &every, NULL) == 0);
	CHECK(timerfd_gettime(fd, &left) == 0 && left.it_value.tv_sec == 99 && left.it_interval.tv_sec == 50);
	CHECK(read(fd, &times, sizeof(times)) == sizeof(times) && times == 1);
	CHECK(now() - start > 99.9 && now() - start < 100.1);
	CHECK(epoll_wait(epoll, &event, 1, -1) == 1);
	CHECK(now() - start > 149.9 && now() - start < 150.1);
	sleep(100);
	CHECK(read(fd, &times, sizeof(times)) == sizeof(times) && times == 3);
	printf("timerfd %.3f\n", now() - start);
	close(fd);
	close(epoll);
}

static void interval_timers(void)
{
	struct sigaction action = {.sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO};
	const struct itimerval value_in_one = {.it_value = {1, 500000}};
	struct itimerval left;
	double start = now();

	sigaction(SIGALRM, &action, NULL);
	CHECK(alarm(7) == 0 && alarm(5) == 7);
	CHECK(pause() == -1 && errno == EINTR);
	CHECK(alarms == 1 && code == SI_KERNEL);
	CHECK(now() - start > 4.9 && now() - start < 5.1);
	CHECK(setitimer(ITIMER_REAL, &value_in_one, NULL) == 0);
	CHECK(getitimer(ITIMER_REAL, &left) == 0 && left.it_value.tv_sec == 1);
	CHECK(nanosleep(&(struct timespec){100, 0}, NULL) == -1 && errno == EINTR);
	CHECK(alarms == 2);
	printf("setitimer %.3f\n", now() - start);
}

static void in_a_thread(union sigval v)
{
	printf("in a thread: %d\n", v.sival_int);
	atomic_fetch_add(&alarms, 10);
}

static void posix_timers(void)
{
	struct sigevent with_signal = {
		.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM, .sigev_value.sival_int = 42};
	struct sigevent with_thread = {
		.sigev_notify = SIGEV_THREAD, .sigev_notify_function = in_a_thread, .sigev_value.sival_int = 43};
	const struct itimerspec soon = {.it_value = {3, 0}, .it_interval = {0, 500000000}};
	const struct itimerspec once = {.it_value = {2, 0}};
	struct itimerspec left;
	double start = now();
	timer_t first, second;

	CHECK(timer_create(CLOCK_MONOTONIC, &with_signal, &first) == 0);
	CHECK(timer_settime(first, 0, &soon, NULL) == 0);
	CHECK(timer_gettime(first, &left) == 0 && left.it_value.tv_sec == 2);
	while (alarms < 4)
		pause();
	CHECK(code == SI_TIMER && value == 42);
	CHECK(now() - start > 3.4 && now() - start < 3.7);
	CHECK(timer_delete(first) == 0);
	CHECK(timer_create(CLOCK_REALTIME, &with_thread, &second) == 0);
	CHECK(timer_settime(second, 0, &once, NULL) == 0);
	while (alarms < 14)
		sleep(1);
	CHECK(timer_delete(second) == 0);
	printf("timer_create %.3f\n", now() - start);
}

static void timeouts(void)
{
	struct pollfd none = {.fd = -1};
	struct timeval some = {20, 0};
	struct timespec wait = {30, 0};
	double start = now();
	sigset_t set;

	CHECK(poll(&none, 1, 10000) == 0);
	CHECK(select(0, NULL, NULL, NULL, &some) == 0);
	CHECK(epoll_wait(epoll_create1(0), &(struct epoll_event){0}, 1, 5000) == 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	CHECK(sigtimedwait(&set, NULL, &wait) == -1 && errno == EAGAIN);
	CHECK(now() - start > 64.9 && now() - start < 65.1);
	kill(getpid(), SIGUSR2);
	CHECK(sigtimedwait(&set, NULL, &wait) == SIGUSR2);
	printf("timeouts %.3f\n", now() - start);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ticks;

static void *ticker(void *arg)
{
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&lock);
		ticks++;
		pthread_mutex_unlock(&lock);
		sleep(1);
	}
	return arg;
}

int main(int argc, char **argv)
{
	sigset_t set;
	pthread_t thread;

	setvbuf(stdout, NULL, _IOLBF, 0);
	/* only the main thread gets signals */
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&thread, NULL, ticker, NULL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	interval_timers();
	posix_timers();
	timer_descriptors();
	timeouts();
	pthread_join(thread, NULL);
	printf("%d ticks at %.6f\n", ticks, now());
	return argc > 1 ? atoi(argv[1]) : 0;
}
