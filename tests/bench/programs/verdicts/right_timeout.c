/* A long alarm, a long timeout of poll() and a long timed wait, none of which is reached. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int pipes[2], is_set;

static void too_late(int number)
{
	(void)number;
	abort();
}

static void *waits(void *arg)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 1000;
	pthread_mutex_lock(&lock);
	while (!is_set)
		if (pthread_cond_timedwait(&changed, &lock, &end) != 0)
			abort();
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *polls(void *arg)
{
	struct pollfd fd = {.fd = pipes[0], .events = POLLIN};

	if (poll(&fd, 1, 1000 * 1000) != 1)
		abort();
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	if (pipe(pipes) != 0)
		return 2;
	signal(SIGALRM, too_late);
	alarm(500);
	pthread_create(&threads[0], NULL, waits, NULL);
	pthread_create(&threads[1], NULL, polls, NULL);
	pthread_mutex_lock(&lock);
	is_set = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	if (write(pipes[1], "x", 1) != 1)
		abort();
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
