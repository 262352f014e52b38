/*
 * calls.h - main() of the programs in this folder. Each has several cases, which check the results of system calls.
 * PROGRAM CASE makes one of them, PROGRAM without arguments prints their names. Exit status: 0, or 1 if a check failed.
 */
#ifndef CALLS_H
#define CALLS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "line %d: %s (errno %d)\n", __LINE__, #condition, errno);                      \
			return __LINE__;                                                                               \
		}                                                                                                      \
	} while (0)

struct call_case {
	const char *name;
	int (*run)(void);
};

/* Executes body in a child; the value is its wait status. */
#define IN_CHILD(body)                                                                                                 \
	({                                                                                                             \
		int status_ = -1;                                                                                      \
		pid_t child_ = fork();                                                                                 \
		if (child_ == 0)                                                                                       \
			_exit((body) ? 1 : 0);                                                                         \
		while (waitpid(child_, &status_, 0) < 0 && errno == EINTR)                                             \
			;                                                                                              \
		status_;                                                                                               \
	})

static const char *calls_argument; /* what follows the name of the case; NULL: nothing */

static inline int calls_main(const struct call_case *cases, size_t n, int argc, char **argv)
{
	calls_argument = argc > 2 ? argv[2] : NULL;
	for (size_t i = 0; i < n; i++) {
		if (argc < 2)
			puts(cases[i].name);
		else if (strcmp(argv[1], cases[i].name) == 0)
			return cases[i].run() != 0;
	}
	return argc < 2 ? 0 : 2;
}
#define CALLS_MAIN(...)                                                                                                \
	int main(int argc, char **argv)                                                                                \
	{                                                                                                              \
		static const struct call_case cases[] = {__VA_ARGS__};                                                 \
                                                                                                                       \
		return calls_main(cases, sizeof(cases) / sizeof(*cases), argc, argv);                                  \
	}
#define CASE(name)                                                                                                     \
	{                                                                                                              \
#name, name                                                                                            \
	}

#endif
