/*
 * dwarf_path.c - paths of source files. They are handled as text only, because the files of the build may not exist
 * here.
 */
#include "disasm/dwarf/dwarf-priv.h"

#include <string.h>

/* Appends the components of path to the normalised path in out, which has *length bytes. An absolute path replaces it.
 * False if n is too small. */
static bool dwarf_path_append(const char *path, char *out, size_t n, size_t *length)
{
	bool absolute = *path == '/';

	if (absolute) {
		if (n < 2)
			return false;
		out[0] = '/';
		*length = 1;
	}
	while (*path) {
		size_t k = strcspn(path, "/");
		size_t last = *length;

		while (last && out[last - 1] != '/')
			last--; /* `last` becomes the start of the last component of out */
		if (!k || (k == 1 && path[0] == '.')) {
			/* skip an empty component or "." */
		} else if (k == 2 && !memcmp(path, "..", 2) && *length == 1 && out[0] == '/') {
			/* skip: the root's parent is the root */
		} else if (k == 2 && !memcmp(path, "..", 2) && *length &&
			   !(*length - last == 2 && !memcmp(out + last, "..", 2))) {
			*length =
				last > 1 ? last - 1 : last; /* removes the last component, but never the root's slash */
		} else {
			bool slash = *length && out[*length - 1] != '/';

			if (*length + slash + k + 1 > n)
				return false;
			if (slash)
				out[(*length)++] = '/';
			memcpy(out + *length, path, k);
			*length += k;
		}
		path += k + strspn(path + k, "/");
	}
	return true;
}

bool rfs_dwarf_path_join(const char *base, const char *dir, const char *path, char *out, size_t n)
{
	size_t length = 0;

	if (!n || !dwarf_path_append(base, out, n, &length) || !dwarf_path_append(dir, out, n, &length) ||
	    !dwarf_path_append(path, out, n, &length))
		return false;
	out[length] = '\0';
	return true;
}

bool rfs_dwarf_path_ends(const char *path, const char *tail)
{
	size_t n = strlen(path), k = strlen(tail);

	if (!k || k > n || strcmp(path + n - k, tail) != 0)
		return false;
	return n == k || (tail[0] != '/' && path[n - k - 1] == '/');
}
