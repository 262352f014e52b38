/*
 * watchdog: an update is split into two sections, and a watchdog expires if the update takes too long.
 *
 * Usage: watchdog [alarm|timer|timerfd|poll|cond|sleep]
 *
 * The watchdog is a signal of alarm or of a timer, or a thread that waits for a timerfd, in poll, for a condition or
 * in nanosleep. Its time is half a second, which --sleep-race allows a delayed thread to lose.
 *
 * Answer: the atomicity violation of the two sections is harmful, because a thread that is delayed between them makes
 * the watchdog expire.
 * Plain runs: never fail.
 * Twin: the time is 100 s. No thread is ever so late, unless rfsup keeps it. Nothing may be found.
 */
#include "target.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#ifdef FIXED
#define SECONDS 100
#define NANOS 0
#else
#define SECONDS 0
#define NANOS 500000000
#endif

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER, done_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done_cond = PTHREAD_COND_INITIALIZER, stop_cond = PTHREAD_COND_INITIALIZER;
static int items, done, stop[2];

static void expired(int signo)
{
	static const char text[] = "FAIL: the watchdog has expired\n";

	(void)signo;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) > 0)
		abort();
}

static void check(void)
{
	int late;

	pthread_mutex_lock(&done_lock);
	late = !done;
	pthread_mutex_unlock(&done_lock);
	if (late)
		expired(0);
}

static void *by_timerfd(void *arg)
{
	const struct itimerspec spec = {.it_value = {SECONDS, NANOS}};
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	struct pollfd fds[] = {{fd, POLLIN, 0}, {stop[0], POLLIN, 0}};

	timerfd_settime(fd, 0, &spec, NULL);
	if (poll(fds, 2, -1) > 0 && (fds[0].revents & POLLIN))
		check();
	close(fd);
	return arg;
}

static void *by_poll(void *arg)
{
	struct pollfd fd = {stop[0], POLLIN, 0};

	if (poll(&fd, 1, SECONDS * 1000 + NANOS / 1000000) == 0)
		check();
	return arg;
}

static void *by_cond(void *arg)
{
	struct timespec until;
	int error = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += SECONDS;
	until.tv_nsec += NANOS;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&done_lock);
	while (!done && error != ETIMEDOUT)
		error = pthread_cond_timedwait(&stop_cond, &done_lock, &until);
	pthread_mutex_unlock(&done_lock);
	check();
	return arg;
}

static void *by_sleep(void *arg)
{
	const struct timespec time = {SECONDS, NANOS};

	nanosleep(&time, NULL);
	check();
	return arg;
}

static void *update(void *arg)
{
	int n;

	pthread_mutex_lock(&queue_lock);
	n = items;
	pthread_mutex_unlock(&queue_lock);
	pthread_mutex_lock(&queue_lock);
	items = n - 1;
	pthread_mutex_unlock(&queue_lock);
	pthread_mutex_lock(&done_lock);
	done = 1;
	pthread_cond_signal(&done_cond);
	pthread_cond_signal(&stop_cond);
	pthread_mutex_unlock(&done_lock);
	return arg;
}

static bool start_timer(const char *how)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	const struct itimerspec spec = {.it_value = {SECONDS, NANOS}};
	const struct itimerval value = {.it_value = {SECONDS, NANOS / 1000}};
	timer_t timer;

	signal(SIGALRM, expired);
	if (!strcmp(how, "alarm"))
		return setitimer(ITIMER_REAL, &value, NULL) == 0;
	return !strcmp(how, "timer") && timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 &&
	       timer_settime(timer, 0, &spec, NULL) == 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "alarm";
	void *(*body)(void *) = !strcmp(how, "timerfd") ? by_timerfd
				: !strcmp(how, "poll")	? by_poll
				: !strcmp(how, "cond")	? by_cond
							: by_sleep;
	pthread_t dog, thread;
	bool has_thread;

	if (pipe(stop))
		fail("pipe");
	has_thread = !start_timer(how);
	if (has_thread)
		dog = start(body, NULL);
	thread = start(update, NULL);
	pthread_mutex_lock(&queue_lock);
	items++;
	pthread_mutex_unlock(&queue_lock);
	pthread_mutex_lock(&done_lock);
	while (!done)
		pthread_cond_wait(&done_cond, &done_lock);
	pthread_mutex_unlock(&done_lock);
	join(thread);
	if (write(stop[1], "x", 1) != 1)
		fail("write");
	if (has_thread)
		join(dog);
	puts("done");
	return 0;
}
