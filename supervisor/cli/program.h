/* program.h - finds the file that the word PROGRAM means, and the arguments to execute it with. */
#ifndef RFS_CLI_PROGRAM_H
#define RFS_CLI_PROGRAM_H

#include <stddef.h>

struct rfs_program;

/*
 * Finds argv[0] as execvp(3) does, and follows "#!" lines as the kernel does. Checks that the file can run under
 * control. cwd: the folder in which the program will start; relative names are relative to it. NULL: the working
 * directory of rfsup. 0 and *out (free with rfs_program_release()), or -errno and a line in why.
 */
int rfs_program_resolve(char *const *argv, const char *cwd, struct rfs_program *out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_program_release(struct rfs_program *program);

#endif
