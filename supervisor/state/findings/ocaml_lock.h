/*
 * ocaml_lock.h - the master lock of OCaml's threads, which a thread holds while it executes OCaml code.
 *
 * It is a flag, not a lock of the C library. A mutex protects it, and threads wait for it at a condition variable
 * (otherlibs/systhreads/st_posix.h of OCaml 4). So rfsup reads the flag whenever a thread has released that mutex.
 */
#ifndef RFS_OCAML_LOCK_H
#define RFS_OCAML_LOCK_H

#include <stdbool.h>

#include "disasm/addr.h"

struct rfs_module;
struct rfs_race_access;
struct rfs_run;

/* Looks for the lock in a module that was mapped. */
void rfs_ocaml_lock_find(struct rfs_run *run, const struct rfs_module *module);
/* Reads the flag, whose address stands for the lock. False: there is no such lock, or it cannot be read. */
bool rfs_ocaml_lock_read(const struct rfs_run *run, rfs_addr *flag, bool *busy);

/*
 * Whether OCaml's runtime makes this access without a lock on purpose. It reads the lock's memory without the mutex.
 * Its functions that tell a thread of a signal store to volatile variables, which OCaml code polls.
 */
bool rfs_ocaml_is_runtime_access(const struct rfs_run *run, const struct rfs_race_access *access);

#endif
