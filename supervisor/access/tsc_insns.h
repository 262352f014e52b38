#ifndef RFS_TSC_INSNS_H
#define RFS_TSC_INSNS_H

#include <stdint.h>

struct rfs_run;
struct rfs_thread;
struct rfs_module;

void rfs_tsc_insns_add_module(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module);
/* Code may run from now on that is not known: the run may end, to be made again. */
void rfs_unknown_code_appears(struct rfs_run *run);
/* The thread stands in a call that gives memory this protection. */
void rfs_unknown_code_mapped(struct rfs_run *run, struct rfs_thread *thread, uint64_t protection);
/* main begins. */
void rfs_tsc_insns_at_main(struct rfs_run *run, struct rfs_thread *thread);

#endif
