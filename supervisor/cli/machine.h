/* machine.h - what rfsup needs of the machine before it can run a program. */
#ifndef RFS_CLI_MACHINE_H
#define RFS_CLI_MACHINE_H

#include <stddef.h>

/* Checks that /proc shows the processes of this machine. 0, or -errno and a line in why. */
int rfs_machine_check(char *why, size_t n) __attribute__((warn_unused_result));

#endif
