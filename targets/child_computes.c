/* child_computes ROUNDS: a child process computes, while the program makes operations and then waits for it. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	if (fork() == 0) {
		for (volatile unsigned long i = 0; i < rounds; i++)
			;
		_exit(0);
	}
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	wait(NULL);
	return 0;
}
