/* The program forks twice, as daemons do, so that its grandchild has no terminal. The grandchild has the threads, and
 * one of them uses a buffer that another one frees. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef FIXED
#define FIXED 0
#endif
static int *config;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *reload(void *unused)
{
	int *old, *new = malloc(sizeof(*new));

	*new = 7;
	pthread_mutex_lock(&lock);
	old = config;
	config = NULL;
	if (FIXED)
		config = new;
	pthread_mutex_unlock(&lock);
	free(old);
	if (!FIXED)
		config = new;
	return unused;
}

static void *serve(void *unused)
{
	pthread_mutex_lock(&lock);
	if (*config < 5)
		abort();
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pid_t child = fork();
	int status;

	if (child) {
		waitpid(child, &status, 0);
		return status != 0;
	}
	setsid();
	if (fork())
		_exit(0);
	config = malloc(sizeof(*config));
	*config = 6;
	pthread_create(&a, NULL, reload, NULL);
	pthread_create(&b, NULL, serve, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
