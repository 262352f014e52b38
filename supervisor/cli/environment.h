/* environment.h - the environment that the program is executed with. */
#ifndef RFS_CLI_ENVIRONMENT_H
#define RFS_CLI_ENVIRONMENT_H

#include <stdbool.h>

struct rfs_program;

/* Given to the user if rfs_environment() has switched off the search for leaks. */
#define RFS_LEAKS_NOT_SEARCHED                                                                                         \
	"LeakSanitizer traces its own program, which is not possible under rfsup: detect_leaks=0 was added to "        \
	"ASAN_OPTIONS and LSAN_OPTIONS"

/*
 * A copy of the environment for this program (free with rfs_variables_free()). If the program searches for leaks, the
 * search is switched off and *leaks_off is set. It is also switched off in scripts and with --follow, because the
 * programs that these start are not known yet.
 */
char **rfs_environment(const struct rfs_program *program, char *const *environment, bool follows, bool *leaks_off);

#endif
