/* hooks.c - finds them before the threads exist, because finding a symbol takes a lock. */
#include "supervisor/generate/driver/hooks.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "supervisor/generate/driver/script.h"

#define HOOKS_MAX 64

/* They are found before the threads exist, because finding a symbol takes a lock. */
static rfs_driver_plain_fn *hooks[RFS_DRIVER_HOOKS][HOOKS_MAX];
static size_t n_hooks[RFS_DRIVER_HOOKS];

static bool hooks_add(enum rfs_driver_hook hook, const char *name)
{
	rfs_driver_plain_fn *function = rfs_driver_plain(name);

	if (!function || n_hooks[hook] == HOOKS_MAX) {
		fprintf(stderr, "rfsup-driver: %s '%s'\n",
			function ? "too many functions to call:" : "the library has no function", name);
		return false;
	}
	hooks[hook][n_hooks[hook]++] = function;
	return true;
}

bool rfs_driver_hooks_read(char *const *words)
{
	const size_t start = strlen(RFS_DRIVER_THREAD_START), end = strlen(RFS_DRIVER_THREAD_END);

	for (; *words; words++) {
		bool added = strncmp(*words, RFS_DRIVER_THREAD_START, start) == 0
				     ? hooks_add(RFS_DRIVER_START, *words + start)
			     : strncmp(*words, RFS_DRIVER_THREAD_END, end) == 0
				     ? hooks_add(RFS_DRIVER_END, *words + end)
				     : hooks_add(RFS_DRIVER_BEFORE, *words);

		if (!added)
			return false;
	}
	return true;
}

void rfs_driver_hooks_call(enum rfs_driver_hook hook)
{
	for (size_t i = 0; i < n_hooks[hook]; i++)
		hooks[hook][i]();
}
