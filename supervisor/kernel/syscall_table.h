/*
 * syscall_table.h - what rfsup knows of each system call: one row for each call (syscall_row.h), in
 * syscall_table.def.
 *
 * The seccomp filter, the handlers, recorded input, the translation of ids and ports, the messages between threads and
 * the fork server's check all read this table. A new call needs a new row and, if no handler fits, a handler.
 */
#ifndef RFS_SYSCALL_TABLE_H
#define RFS_SYSCALL_TABLE_H

struct rfs_syscall;

/* The row of a call; static. A call without a row gets an empty one, so the result is never NULL. */
const struct rfs_syscall *rfs_syscall_row(long number);

/*
 * System call numbers for the seccomp filter, in its order. Each list ends with -1. The server's list also contains all
 * traced calls. A run that follows descriptors has the list of followed calls too.
 */
extern const int rfs_syscalls_traced[], rfs_syscalls_server[], rfs_syscalls_followed[], rfs_syscalls_enosys[];

#endif
