/* foreign.h - whether the kernel runs the system calls of 32-bit programs. Kernels can be built without them. */
#ifndef RFS_TESTS_FOREIGN_H
#define RFS_TESTS_FOREIGN_H

#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

/* Tries getpid() of 32-bit programs in a child. */
static inline bool runs_foreign_calls(void)
{
	int status, number = 20;
	pid_t child = fork();

	if (child == 0) {
		signal(SIGSEGV, SIG_DFL);
		__asm__ volatile("int $0x80" : "+a"(number) : : "memory");
		_exit(number > 0 ? 0 : 1);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#endif
