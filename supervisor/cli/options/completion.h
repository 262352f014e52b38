/* completion.h - writes what shells need to complete command lines of rfsup. */
#ifndef RFS_COMPLETION_H
#define RFS_COMPLETION_H

#include <stddef.h>
#include <stdio.h>

struct rfs_option;

enum rfs_shell { RFS_SHELL_BASH, RFS_SHELL_ZSH };

struct rfs_completed_option {
	const struct rfs_option *option;
	char letter; /* 0: none */
};

void rfs_completion_write(enum rfs_shell shell, const struct rfs_completed_option *options, size_t n, FILE *out);

#endif
