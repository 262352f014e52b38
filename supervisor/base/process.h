/* process.h - what /proc says of a process. */
#ifndef RFS_PROCESS_H
#define RFS_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

struct stat;

/* The parent of the process; 0 if the process is gone. */
pid_t rfs_process_parent(pid_t pid);
/*
 * Whether the process has this file or pipe open. skip (NULL: none): says for which descriptors that does not count. A
 * process whose descriptors cannot be read has none.
 */
bool rfs_process_has_open(pid_t pid, const struct stat *file, bool (*skip)(const void *arg, int fd), const void *arg);

/* Whether the process has a handler for the signal. False if the process is gone. */
bool rfs_process_catches(pid_t pid, int signo);

/* What the descriptor of the process is: "pipe", "socket", "eventfd" or the path of a file. Caller frees; NULL: not
 * known.
 */
char *rfs_process_descriptor(pid_t pid, int fd);

#endif
