/* Has a thread, and a child process with two more. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void *nothing(void *arg)
{
	return arg;
}

int main(void)
{
	pthread_t threads[2];
	pid_t child;

	child = fork();
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, nothing, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	return 0;
}
