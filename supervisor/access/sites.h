/* sites.h - which statements of which modules get a breakpoint. */
#ifndef RFS_SITES_H
#define RFS_SITES_H

#include <stdbool.h>

struct rfs_run;
struct rfs_module;
struct rfs_thread;
struct rfs_task;
struct rfs_code_site;
struct rfs_statement_pair;

/* Whether the module is watched: its accesses go to the detector. module->data must be set. */
bool rfs_is_watched(const struct rfs_run *run, const struct rfs_module *module);
/* A module was mapped: sets its breakpoints and stubs. */
void rfs_sites_add_module(struct rfs_run *run, struct rfs_thread *thread, struct rfs_module *module);
/*
 * The program has a new thread, task. The second thread sets the breakpoints that were of no use before.
 * Writes the code of the target, so no thread may run.
 */
void rfs_sites_new_thread(struct rfs_run *run, struct rfs_task *task);
/* Sets breakpoints at all accesses of watched modules. For a run whose stubs have just been given up. */
void rfs_sites_trap_all(struct rfs_run *run, struct rfs_thread *thread);
void rfs_sites_modules(struct rfs_run *run); /* fills result->modules with the modules of the run */
/* Fills result->covered. Call it after the stream was drained. */
void rfs_sites_covered(struct rfs_run *run);
/* For a copy of a run without a pair: adds the pair of its spec. */
void rfs_sites_add_pair(struct rfs_run *run, struct rfs_thread *thread);
/* Takes the pair away from the breakpoints of the original, which its copies share. */
void rfs_sites_forget_pair(struct rfs_task *original, const struct rfs_statement_pair *pair);
/* Sets a breakpoint for the accesses of one more site of a watched module. */
void rfs_site_add(struct rfs_run *run, struct rfs_task *task, const struct rfs_module *module,
		  const struct rfs_code_site *site);

#endif
