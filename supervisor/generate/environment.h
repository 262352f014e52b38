/* environment.h - the environment in which generated tests are executed. */
#ifndef RFS_GENERATE_ENVIRONMENT_H
#define RFS_GENERATE_ENVIRONMENT_H

#include <stdbool.h>

/*
 * Our environment, but guard (the guard heap) and shim are loaded first. shim: NULL for none. is_copied: the process
 * will be copied often (driver/guard.c). Free with rfs_variables_free().
 */
char **rfs_generate_environment(const char *guard, const char *shim, bool is_copied);
/* What this environment has in addition to ours, as options of rfsup. Caller frees. */
char *rfs_generate_environment_text(const char *guard);

#endif
