/* children fork|vfork|spawn|clone ...: makes a child in this way. The exit status is the child's status plus 1. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

__attribute__((noinline)) int marked(int x)
{
	__asm__ volatile("" ::: "memory");
	return x + 1;
}

static int clone_body(void *arg)
{
	return marked(*(int *)arg);
}

int main(int argc, char **argv)
{
	static char stack[65536];
	int status = 0, value = 4;
	pid_t pid = -1;

	if (argc < 2)
		return 99;
	if (!strcmp(argv[1], "fork")) {
		pid = fork();
		if (!pid)
			_exit(marked(4));
	} else if (!strcmp(argv[1], "vfork")) {
		pid = vfork();
		if (!pid)
			_exit(marked(4));
	} else if (!strcmp(argv[1], "clone")) {
		pid = clone(clone_body, stack + sizeof(stack), CLONE_VM | SIGCHLD, &value);
	} else if (posix_spawn(&pid, argv[2], NULL, NULL, argv + 2, environ)) {
		return 98;
	}
	waitpid(pid, &status, 0);
	return marked(WEXITSTATUS(status));
}
