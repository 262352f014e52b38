/* follow.c - --follow GLOB: recognises the program to control, and makes the message if it never starts. */
#include "supervisor/state/core/follow.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/path.h"

/* How many names a message lists. */
#define SEEN_MAX 12

/* Whether the list already has the name. */
static bool listed(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = list; at && (at = strstr(at, name)); at += n)
		if ((at == list || at[-1] == ' ') && (at[n] == ',' || at[n] == '\0'))
			return true;
	return false;
}

bool rfs_follow_matches(struct rfs_follow *follow, const char *file)
{
	const char *name = rfs_base_name(file);
	char *longer;

	if (fnmatch(follow->glob, strchr(follow->glob, '/') ? file : name, 0) == 0)
		return true;
	if (listed(follow->seen, name) || follow->n_seen++ >= SEEN_MAX)
		return false;
	longer = follow->seen ? xasprintf("%s, %s", follow->seen, name) : xstrdup(name);
	free(follow->seen);
	follow->seen = longer;
	return false;
}

int rfs_follow_missed(const struct rfs_follow *follow, char *const *argv, char *why, size_t n)
{
	return rfs_why(why, n, -ENOENT, "--follow: '%s' started no program whose file name matches '%s'; %s%s",
		       rfs_base_name(argv[0]), follow->glob,
		       follow->seen ? "it started " : "it started no program at all", follow->seen ? follow->seen : "");
}

void rfs_follow_release(struct rfs_follow *follow)
{
	free(follow->seen);
	free(follow->above);
	follow->seen = NULL;
	follow->above = NULL;
}
