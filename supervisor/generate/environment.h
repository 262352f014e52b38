/* environment.h - the environment in which generated tests are executed. */
#ifndef RFS_GENERATE_ENVIRONMENT_H
#define RFS_GENERATE_ENVIRONMENT_H

/*
 * Our environment, but guard (the guard heap) and shim are loaded first. shim: NULL for none. Ends with NULL. Free
 * with rfs_generate_environment_free().
 */
char **rfs_generate_environment(const char *guard, const char *shim);
/* What this environment has in addition to ours, as words for a shell. Caller frees. */
char *rfs_generate_environment_text(const char *guard);
void rfs_generate_environment_free(char **environment);

#endif
