/*
 * aliases.h - shared memory that the target has mapped at several addresses.
 *
 * A store through one of the addresses is seen by a load through another one. So detectors, policies and the partial
 * order get the same address for all of them: the location, which is the address in the oldest mapping of the page.
 * Mappings are compared by device, inode and offset in the file.
 *
 * Reads and writes of the target's memory need no location. The models of locks do not use it either: they read the
 * memory of each lock, and this is the same at all its addresses.
 */
#ifndef RFS_ALIASES_H
#define RFS_ALIASES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "disasm/addr.h"

struct rfs_run;
struct rfs_thread;

/* The location of the address: the address itself, unless its page is mapped at an older address as well. */
rfs_addr rfs_location(const struct rfs_run *run, rfs_addr address);
/* Whether any location is not the address itself. */
bool rfs_aliases_any(const struct rfs_run *run);
/* Whether a page of this memory is also mapped elsewhere. */
bool rfs_aliases_share(const struct rfs_run *run, rfs_addr address, uint64_t size);
/* The thread is about to make this call, which may map or unmap shared memory. */
void rfs_aliases_call(struct rfs_run *run, const struct rfs_thread *thread, long number, const unsigned long *args);
/* The thread with this id has stopped. If it has made such a call, looks what is mapped now. */
void rfs_aliases_stop(struct rfs_run *run, int tid);
/* Takes what is mapped from the text of /proc/PID/maps. */
void rfs_aliases_read(struct rfs_run *run, FILE *maps);
/* The process has another image. */
void rfs_aliases_release(struct rfs_run *run);
void rfs_aliases_copy(const struct rfs_run *from, struct rfs_run *to);

#endif
