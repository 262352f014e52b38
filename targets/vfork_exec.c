/*
 * vfork_exec: a thread calls vfork, and the child executes /bin/true, while another thread counts. Until then the child
 * shares the parent's memory, and only the thread that called vfork waits. To show that, the child first waits for a
 * byte from the thread that counts.
 *
 * Answer: silent.
 */
#include "target.h"
#include <sys/wait.h>
#include <unistd.h>

int counter;
int ends[2];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		counter++; /* RACE: increment */
		pthread_mutex_unlock(&lock);
	}
	if (write(ends[1], "x", 1) != 1)
		fail("write");
	return arg;
}

static void *run_true(void *arg)
{
	char byte;
	int status;
	pid_t child = vfork();

	(void)arg;
	if (child == 0) {
		if (read(ends[0], &byte, 1) != 1)
			_exit(126);
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

	if (pipe(ends))
		fail("pipe");
	counting = start(count, NULL);
	running = start(run_true, NULL);
	status = (long)join(running);
	join(counting);
	printf("%d, status %ld\n", counter, status);
	return status != 0;
}
