#ifndef RFS_SITES_H
#define RFS_SITES_H

#include <stdbool.h>

struct rfs_run;
struct rfs_module;
struct rfs_thread;
struct rfs_task;
struct rfs_code_site;

/* Whether its accesses are asked for. Its data is there. */
bool rfs_is_watched(const struct rfs_run *run, const struct rfs_module *module);
void rfs_sites_add_module(struct rfs_run *run, struct rfs_thread *thread, struct rfs_module *module);
/* Breakpoints at all accesses, now that there are no stubs any more. */
void rfs_sites_trap_all(struct rfs_run *run, struct rfs_thread *thread);
void rfs_sites_modules(struct rfs_run *run); /* fills result->modules */
/* A breakpoint for the accesses of one more site of a watched module. */
void rfs_site_add(struct rfs_run *run, struct rfs_task *task, const struct rfs_module *module,
		  const struct rfs_code_site *site);

/* Whether a pattern of --module names this file: with its folder or without. */
bool rfs_names_module(const char *glob, const char *path);

#endif
