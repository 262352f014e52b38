/*
 * Traces a process with ptrace, and fails if that is not possible. Argument 1: me (the main thread asks to be traced),
 * attach or seize (of a child), thread (a second thread asks for a child, and the status says that it failed).
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static int failed;
static int turns;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *turn(void *arg)
{
	pthread_mutex_lock(&mutex);
	turns++;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static long trace_child(long request)
{
	const pid_t child = fork();
	long result;

	if (child == 0) {
		pause();
		_exit(0);
	}
	result = ptrace((enum __ptrace_request)request, child, NULL, NULL);
	kill(child, SIGKILL);
	while (waitpid(child, NULL, __WALL) < 0 && errno == EINTR)
		;
	return result;
}

static void *trace_in_thread(void *arg)
{
	failed = trace_child(PTRACE_SEIZE) != 0;
	return arg;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pthread_t thread;

	pthread_create(&thread, NULL, strcmp(how, "thread") ? turn : trace_in_thread, NULL);
	turn(NULL);
	pthread_join(thread, NULL);
	if (strcmp(how, "me") == 0 && ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
		abort();
	if ((strcmp(how, "attach") == 0 && trace_child(PTRACE_ATTACH) != 0) ||
	    (strcmp(how, "seize") == 0 && trace_child(PTRACE_SEIZE) != 0)) {
		perror("ptrace");
		return 1;
	}
	return failed ? 2 : 0;
}
