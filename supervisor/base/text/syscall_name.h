/* syscall_name.h - system calls by name, for messages. */
#ifndef RFS_SYSCALL_NAME_H
#define RFS_SYSCALL_NAME_H

#include <stddef.h>

/* "unlink(2)" and "calls unlink(2) on"; static. NULL: the call is newer than the kernel headers. */
const char *rfs_syscall_noun(long number);
const char *rfs_syscall_verb(long number);
/* Writes how a message names the call: "poll(2)", or "system call 999" if it is newer than the kernel headers. */
void rfs_syscall_name(long number, char *out, size_t n);

#endif
