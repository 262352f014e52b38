/* program.h - what the word PROGRAM stands for: the file that is executed, and its argument vector. */
#ifndef RFS_CLI_PROGRAM_H
#define RFS_CLI_PROGRAM_H

#include <stddef.h>

struct rfs_program;

/*
 * Finds argv[0] as execvp(3) would, follows "#!" lines as the kernel would, and checks that the file can run under
 * control. cwd: the folder that the program will start in, where relative names (and relative entries of PATH) are
 * looked up; NULL: the supervisor's own. 0 and *out (rfs_program_release), or -errno and a line in why.
 */
int rfs_program_resolve(char *const *argv, const char *cwd, struct rfs_program *out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_program_release(struct rfs_program *program);

#endif
