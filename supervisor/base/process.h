/* process.h - what /proc says of a process. */
#ifndef RFS_PROCESS_H
#define RFS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct stat;

/*
 * The length of a path that the kernel tells, in maps or as a link of /proc, without the mark of a file that has no
 * name any more, or never had one (memfd_create(2)). It is the length of the whole path if the file has its name.
 */
size_t rfs_path_without_mark(const char *path);
/* The parent of the process; 0 if the process is gone. */
pid_t rfs_process_parent(pid_t pid);
/*
 * Whether the process has this file or pipe open. skip (NULL: none): says for which descriptors that does not count. A
 * process whose descriptors cannot be read has none.
 */
bool rfs_process_has_open(pid_t pid, const struct stat *file, bool (*skip)(const void *arg, int fd), const void *arg);

/* Whether the kernel itself may write to an eventfd of the process, when input or output is complete: aio(7),
 * io_uring(7). */
bool rfs_process_uses_aio(pid_t pid);

/*
 * A set of signals of a task in /proc/PID/status, by its name there, such as "SigCgt:". Signal N is bit N - 1. False if
 * it is not known, because the task is gone; *set is then 0.
 */
bool rfs_process_signals(pid_t tid, const char *name, uint64_t *set);

/* What the descriptor of the process is: "pipe", "socket", "eventfd" or the path of a file. Caller frees; NULL: not
 * known.
 */
char *rfs_process_descriptor(pid_t pid, int fd);

#endif
