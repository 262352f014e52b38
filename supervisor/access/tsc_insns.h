/*
 * tsc_insns.h - finds rdtsc, cpuid and wrgsbase in all modules, watched or not. They read the time stamp counter, ask
 * what processor it is, and write the base of gs.
 */
#ifndef RFS_TSC_INSNS_H
#define RFS_TSC_INSNS_H

#include <stdint.h>

#include "disasm/addr.h"

struct rfs_run;
struct rfs_thread;
struct rfs_module;
struct rfs_task;

/* Call when a module was mapped. Sets breakpoints at its rdtsc and cpuid instructions; gives up stubs if it contains
 * wrgsbase. */
void rfs_tsc_insns_add_module(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module);
/*
 * Call when code that was not searched may run from now on. If breakpoints have replaced the rdtsc trap, ends the run,
 * which is made again with the trap.
 */
void rfs_unknown_code_appears(struct rfs_run *run);
/* Makes rdtsc and cpuid of this stopped task, and of tasks that it makes later, trap again if it no longer traps. */
void rfs_tsc_insns_trap(struct rfs_run *run, struct rfs_task *task);
/*
 * Call when a thread makes a system call, such as mmap or mprotect, that gives memory this protection. If unknown code
 * may become executable, counts the pages that were not executable before, and calls rfs_unknown_code_appears().
 * address: 0 if the kernel chooses it; the whole size counts then.
 */
void rfs_unknown_code_mapped(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, uint64_t size,
			     uint64_t protection);
/* Call when main begins. If all code is known, turns the traps of rdtsc and cpuid off, because breakpoints replace
 * them. */
void rfs_tsc_insns_at_main(struct rfs_run *run, struct rfs_thread *thread);

#endif
