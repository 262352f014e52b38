/* environment.c - adds to the environment of rfsup what preloads the guard heap, and what makes GLib use it. */
#include "supervisor/generate/tests/environment.h"

#include <stdlib.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/variables.h"

/* Otherwise GLib uses its own allocator for small blocks, and the guard heap sees no errors in them. */
#define SLICE "G_SLICE=always-malloc"

char **rfs_generate_environment(const char *guard, const char *shim, bool is_copied, bool binds)
{
	char *preload = xasprintf("LD_PRELOAD=%s%s%s", guard, shim ? ":" : "", shim ? shim : "");
	char *const set[] = {preload, (char *)SLICE,
			     is_copied ? (char *)"RFSUP_GUARD_LATE=1" /* driver/guard.c */ : NULL,
			     binds ? (char *)"LD_BIND_NOW=1" : NULL, NULL};
	char **out = rfs_variables_set(environ, set);

	free(preload);
	return out;
}

char *rfs_generate_environment_text(const char *guard)
{
	return xasprintf("--env LD_PRELOAD=%s --env " SLICE, guard);
}
