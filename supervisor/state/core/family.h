/*
 * family.h - processes that the program has forked and that are scheduled like its threads, because they share memory
 * with it (docs/internals/processes.md, "Processes that share memory").
 *
 * Each of them is a thread of the run with a number of its process. Memory that was mapped as shared when the process
 * was forked is at the same address in both. All other memory of the process is its own: rfsup follows neither
 * accesses to it nor objects of the thread library in it.
 */
#ifndef RFS_FAMILY_H
#define RFS_FAMILY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "disasm/addr.h"

struct rfs_run;
struct rfs_space;
struct rfs_thread;

/* The processes that the program forks from now on belong to the run. */
void rfs_family_open(struct rfs_run *run);
void rfs_family_release(struct rfs_run *run);
/* Whether processes that the program forks belong to the run. */
bool rfs_family_any(const struct rfs_run *run);
/*
 * The thread is that of a new process, forked by one with this space. maps: the text of /proc/PID/maps of that one.
 * Returns how many processes there have been.
 */
unsigned rfs_family_add(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_space *space, FILE *maps);
/* Whether the address means memory of the thread's process alone, which is not the program itself. */
bool rfs_family_is_apart(const struct rfs_run *run, const struct rfs_thread *thread, rfs_addr address);
/* A name for such memory that no other memory has; the address itself for all other memory. */
rfs_addr rfs_family_name(const struct rfs_run *run, const struct rfs_thread *thread, rfs_addr address);
/* The thread unmaps this memory, or maps other memory there. */
void rfs_family_unmapped(struct rfs_run *run, const struct rfs_thread *thread, rfs_addr address, uint64_t size);
/*
 * From now on, the functions of target_memory.h read and write the memory of this thread's process. NULL: that of the
 * program.
 */
void rfs_family_turn(struct rfs_run *run, const struct rfs_thread *thread);

#endif
