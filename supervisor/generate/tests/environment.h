/* environment.h - the environment in which generated tests are executed. */
#ifndef RFS_GENERATE_ENVIRONMENT_H
#define RFS_GENERATE_ENVIRONMENT_H

#include <stdbool.h>

/*
 * Our environment, but guard (the guard heap) and shim are loaded first. shim: NULL for none. is_copied: the process
 * will be copied often (driver/guard.c). binds: if so, the loader resolves all functions first, so that copies need not
 * do it; it does not load a library that uses a function which is defined nowhere. Free with rfs_variables_free().
 */
char **rfs_generate_environment(const char *guard, const char *shim, bool is_copied, bool binds);
/* What this environment has in addition to ours, as options of rfsup. Caller frees. */
char *rfs_generate_environment_text(const char *guard);

#endif
