#include "supervisor/generate/environment.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"

/* Otherwise GLib uses its own allocator for small blocks, and the guard heap sees no errors in them. */
static const char *const set[] = {"G_SLICE=always-malloc"};
#define N_SET (sizeof(set) / sizeof(*set))

static bool has_name(const char *entry, const char *other)
{
	size_t n = strcspn(other, "=") + 1;

	return strncmp(entry, other, n) == 0;
}

static bool is_replaced(const char *entry)
{
	for (size_t i = 0; i < N_SET; i++)
		if (has_name(entry, set[i]))
			return true;
	return has_name(entry, "LD_PRELOAD=");
}

char **rfs_generate_environment(const char *guard, const char *shim, bool is_copied)
{
	size_t n = 0, kept = 0;
	char **out;

	while (environ[n])
		n++;
	out = xcalloc(n + N_SET + 3, sizeof(*out));
	out[kept++] = xasprintf("LD_PRELOAD=%s%s%s", guard, shim ? ":" : "", shim ? shim : "");
	for (size_t i = 0; i < N_SET; i++)
		out[kept++] = xstrdup(set[i]);
	if (is_copied)
		out[kept++] = xstrdup("RFSUP_GUARD_LATE=1"); /* driver/guard.c */
	for (size_t i = 0; i < n; i++)
		if (!is_replaced(environ[i]))
			out[kept++] = xstrdup(environ[i]);
	return out;
}

char *rfs_generate_environment_text(const char *guard)
{
	char *text = xasprintf("LD_PRELOAD=%s", guard);

	for (size_t i = 0; i < N_SET; i++) {
		char *longer = xasprintf("%s %s", text, set[i]);

		free(text);
		text = longer;
	}
	return text;
}

void rfs_generate_environment_free(char **environment)
{
	for (char **entry = environment; entry && *entry; entry++)
		free(*entry);
	free(environment);
}
