/* environment.h - the environment in which generated tests are executed. */
#ifndef RFS_GENERATE_ENVIRONMENT_H
#define RFS_GENERATE_ENVIRONMENT_H

/*
 * Ours, but the shim is loaded first, and memory that was freed has other contents, so that its use is likely to fail.
 * shim: NULL for none. Ends with NULL. Free with rfs_generate_environment_free().
 */
char **rfs_generate_environment(const char *shim);
void rfs_generate_environment_free(char **environment);

#endif
