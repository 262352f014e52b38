/* program.h - resolves the word PROGRAM to the file to execute and its argument vector. */
#ifndef RFS_CLI_PROGRAM_H
#define RFS_CLI_PROGRAM_H

#include <stddef.h>

struct rfs_program;

/*
 * Finds argv[0] as execvp(3) does, follows "#!" lines as the kernel does, and checks that the file can run under
 * control. cwd: the folder in which the program will start; relative names and relative entries of PATH are resolved
 * there. NULL: the supervisor's own folder. 0 and *out (rfs_program_release), or -errno and a line in why.
 */
int rfs_program_resolve(char *const *argv, const char *cwd, struct rfs_program *out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_program_release(struct rfs_program *program);

#endif
