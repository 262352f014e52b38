/*
 * copied MODE: main checks that the C library's idea of the process is right, in the original and in a copy that was
 * made before main. The exit status is the number of the check that failed. With MODE held, a robust mutex is locked
 * before main.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t robust, early;

static void init(pthread_mutex_t *mutex, int type, int protocol, int robustness)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, type);
	pthread_mutexattr_setprotocol(&attributes, protocol);
	pthread_mutexattr_setrobust(&attributes, robustness);
	pthread_mutex_init(mutex, &attributes);
}

__attribute__((constructor)) static void before_main(int argc, char **argv)
{
	if (argc < 2 || strcmp(argv[1], "held") != 0)
		return;
	init(&early, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_lock(&early);
}

static void *dies_with_lock(void *arg)
{
	pthread_mutex_lock(&robust);
	return arg;
}

static void *unlocks(void *arg)
{
	return (void *)(long)pthread_mutex_unlock(arg);
}

/* The error that another thread gets if it unlocks the mutex. */
static int unlocked_by_another(pthread_mutex_t *mutex)
{
	pthread_t thread;
	void *result;

	if (pthread_create(&thread, NULL, unlocks, mutex) || pthread_join(thread, &result))
		return -1;
	return (int)(long)result;
}

int main(void)
{
	pthread_mutex_t checked, recursive, inherits;
	pthread_t thread;
	sigset_t none;
	int status;
	pid_t pid;

	if (getpid() != syscall(SYS_gettid) || getpgrp() != getpid())
		return 1;
	/* the C library knows the first thread by the id that the kernel gave it */
	init(&checked, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
	if (pthread_mutex_lock(&checked) || pthread_mutex_lock(&checked) != EDEADLK ||
	    unlocked_by_another(&checked) != EPERM || pthread_mutex_unlock(&checked))
		return 2;
	init(&recursive, PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
	if (pthread_mutex_lock(&recursive) || pthread_mutex_lock(&recursive) ||
	    unlocked_by_another(&recursive) != EPERM || pthread_mutex_unlock(&recursive) ||
	    pthread_mutex_unlock(&recursive))
		return 3;
	init(&inherits, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
	if (pthread_mutex_lock(&inherits) || (inherits.__data.__lock & 0x3fffffff) != getpid() ||
	    pthread_mutex_lock(&inherits) != EDEADLK || pthread_mutex_unlock(&inherits))
		return 4;
	init(&robust, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST);
	if (pthread_create(&thread, NULL, dies_with_lock, NULL) || pthread_join(thread, NULL) ||
	    pthread_mutex_lock(&robust) != EOWNERDEAD || pthread_mutex_consistent(&robust) ||
	    pthread_mutex_unlock(&robust))
		return 5;
	/* the kernel has the list of robust mutexes of the first thread, also in a forked child */
	pid = fork();
	if (pid == 0) {
		pthread_mutex_lock(&robust);
		abort();
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
		return 6;
	sigpending(&none);
	for (int signo = 1; signo < 32; signo++)
		if (sigismember(&none, signo) == 1)
			return 7;
	printf("%d\n", (int)getpid());
	fflush(stdout);
	return waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD ? 0 : 8;
}
