/* watch.h - waits for the process of a test. */
#ifndef RFS_DRIVER_WATCH_H
#define RFS_DRIVER_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Waits until the process stops or ends. False: it must be killed, because it has used too much time, or waits for
 * something that never happens. SIGCHLD must be blocked.
 */
bool rfs_driver_watch(pid_t pid);

#endif
