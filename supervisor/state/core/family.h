/*
 * family.h - processes that the program has forked and whose threads are scheduled like its own
 * (docs/internals/processes.md, "Processes that share memory").
 *
 * A thread of the run has the number of its process. Memory that was mapped as shared when the process was forked is at
 * the same address in both. All other memory of the process is its own. To the models, the detectors and the policies,
 * this memory has a name in place of its address (base/memory_name.h).
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
/* A thread of a process has made another one in it. */
void rfs_family_threaded(struct rfs_run *run, const struct rfs_thread *thread);
/* The thread uses OpenMP. If its process is not the program and has several threads, its accesses do not count. */
void rfs_family_uses_openmp(struct rfs_run *run, const struct rfs_thread *thread);
/*
 * Whether an access of the thread to this address (not a name) counts. The memory of a process with one thread does
 * not, if no other process has it.
 */
bool rfs_family_counts(const struct rfs_run *run, const struct rfs_thread *thread, rfs_addr address);
/* How many processes there have been. */
unsigned rfs_family_processes(const struct rfs_run *run);
/* The name of the memory at this address of the thread's process; the address itself if it needs no name, or is one. */
rfs_addr rfs_family_name(const struct rfs_run *run, const struct rfs_thread *thread, rfs_addr address);
/* The memory of the process with this number; 0: of the program. NULL: none of its threads is alive. Borrowed. */
struct rfs_space *rfs_family_space(const struct rfs_run *run, unsigned process);
/* The thread unmaps this memory, or maps other memory there. */
void rfs_family_unmapped(struct rfs_run *run, const struct rfs_thread *thread, rfs_addr address, uint64_t size);
/*
 * From now on, the functions of target_memory.h read and write the memory of this thread's process. NULL: that of the
 * program.
 */
void rfs_family_turn(struct rfs_run *run, const struct rfs_thread *thread);

#endif
