/* tsc_insns.h - instructions that matter in any module: reads of the time stamp counter, and writes of gs. */
#ifndef RFS_TSC_INSNS_H
#define RFS_TSC_INSNS_H

#include <stdint.h>

struct rfs_run;
struct rfs_thread;
struct rfs_module;

/* A module was mapped: looks for these instructions in it. */
void rfs_tsc_insns_add_module(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module);
/* Unknown code may run from now on. Ends the run if it must be made again. */
void rfs_unknown_code_appears(struct rfs_run *run);
/* The thread is in a call that sets this protection for memory. */
void rfs_unknown_code_mapped(struct rfs_run *run, struct rfs_thread *thread, uint64_t protection);
/* main begins: breakpoints replace the trap if all code is known. */
void rfs_tsc_insns_at_main(struct rfs_run *run, struct rfs_thread *thread);

#endif
