/* The parent waits in sigsuspend() for SIGCHLD, with an alarm that would end it. The child has two threads, which lose
 * an update. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef FIXED
#define FIXED 0
#endif
static int hits;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t ended;

static void child_ended(int signo)
{
	(void)signo;
	ended = 1;
}

static void *hit(void *unused)
{
	if (FIXED)
		pthread_mutex_lock(&lock);
	hits = hits + 1;
	if (FIXED)
		pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	sigset_t block, old;
	pthread_t a, b;
	pid_t child;
	int status;

	sigemptyset(&block);
	sigaddset(&block, SIGCHLD);
	sigprocmask(SIG_BLOCK, &block, &old);
	signal(SIGCHLD, child_ended);
	alarm(60);
	child = fork();
	if (!child) {
		sigprocmask(SIG_SETMASK, &old, NULL);
		pthread_create(&a, NULL, hit, NULL);
		pthread_create(&b, NULL, hit, NULL);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
		_exit(hits != 2);
	}
	while (!ended)
		sigsuspend(&old);
	waitpid(child, &status, 0);
	return status != 0;
}
