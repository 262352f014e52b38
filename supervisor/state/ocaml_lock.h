/*
 * ocaml_lock.h - the master lock of OCaml's threads, which a thread holds while it executes OCaml code.
 *
 * It is no lock of the C library, but a flag: a mutex guards it, and threads wait for it at a condition variable
 * (otherlibs/systhreads/st_posix.h of OCaml 4). So the flag is read whenever a thread has released that mutex.
 */
#ifndef RFS_OCAML_LOCK_H
#define RFS_OCAML_LOCK_H

#include <stdbool.h>

struct rfs_module;
struct rfs_race_access;
struct rfs_run;
struct rfs_thread;

/* Looks for the lock in a module that was mapped. */
void rfs_ocaml_lock_find(struct rfs_run *run, const struct rfs_module *module);
/* The thread has released the mutex, or creates a thread. */
void rfs_ocaml_lock_look(struct rfs_run *run, struct rfs_thread *thread);

/*
 * Whether an access is part of the lock, which OCaml also reads without its mutex; or of the functions that tell a
 * thread of a signal. These store to volatile variables from any thread, and OCaml code polls them.
 */
bool rfs_ocaml_lock_owns(const struct rfs_run *run, const struct rfs_race_access *access);

#endif
