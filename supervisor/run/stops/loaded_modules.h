/* loaded_modules.h - the files that the loader maps and unmaps while the program runs. */
#ifndef RFS_LOADED_MODULES_H
#define RFS_LOADED_MODULES_H

struct rfs_run;
struct rfs_thread;

/* Call it when the loader has changed its list. Sets breakpoints in new modules, and forgets what was in old ones. */
void rfs_loaded_modules_update(struct rfs_run *run, struct rfs_thread *thread);

#endif
