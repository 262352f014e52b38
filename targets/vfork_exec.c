/*
 * vfork_exec: a thread makes a child by vfork, which executes /bin/true, while another thread counts; the child shares
 * the parent's memory until then, and only the thread that called vfork waits for it.
 *
 * Answer: silent.
 */
#include "target.h"
#include <sys/wait.h>
#include <unistd.h>

int counter;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		counter++; /* RACE: increment */
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *run_true(void *arg)
{
	int status;
	pid_t child = vfork();

	(void)arg;
	if (child == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		fail("vfork");
	return (void *)(long)WEXITSTATUS(status);
}

int main(void)
{
	pthread_t running, counting;
	long status;

	counting = start(count, NULL);
	running = start(run_true, NULL);
	status = (long)join(running);
	join(counting);
	printf("%d, status %ld\n", counter, status);
	return status != 0;
}
