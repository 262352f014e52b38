/* backwards_fork.c - forks twice, waits for its children, and then has a thread, for reverse_test.c and walks_test.c */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int total, last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int add(int by)
{
	pthread_mutex_lock(&lock);
	total += by;
	pthread_mutex_unlock(&lock);
	return total;
}

static void child(int status)
{
	for (int i = 0; i < 3; i++)
		add(i);
	_exit(status);
}

static void forked(pid_t pid)
{
	int status;

	waitpid(pid, &status, 0);
	last += WEXITSTATUS(status);
	add(10);
}

static void *worker(void *arg)
{
	for (int i = 0; i < 2; i++)
		add(*(int *)arg);
	return NULL;
}

static void finish(void)
{
	total = -total;
}

int main(void)
{
	int by = 5;
	pthread_t thread;

	add(1);
	for (int i = 0; i < 2; i++) {
		pid_t pid = fork();

		if (!pid)
			child(i + 3);
		forked(pid);
	}
	pthread_create(&thread, NULL, worker, &by);
	add(2);
	pthread_join(thread, NULL);
	finish();
	return 0;
}
