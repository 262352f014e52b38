/* hooks.h - functions of the library that are called before a test, and in each of its threads. */
#ifndef RFS_DRIVER_HOOKS_H
#define RFS_DRIVER_HOOKS_H

#include <stdbool.h>

/* A word of the command line that begins like this names a function that each thread calls first or last. */
#define RFS_DRIVER_THREAD_START "thread-start:"
#define RFS_DRIVER_THREAD_END "thread-end:"

enum rfs_driver_hook { RFS_DRIVER_BEFORE, RFS_DRIVER_START, RFS_DRIVER_END, RFS_DRIVER_HOOKS };

/* Finds the functions of the words, which end with NULL. False, and a message: the shim does not have one of them. */
bool rfs_driver_hooks_read(char *const *words);
void rfs_driver_hooks_call(enum rfs_driver_hook hook);

#endif
