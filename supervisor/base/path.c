/* path.c - text only: no file is looked at. */
#include "supervisor/base/path.h"

#include <string.h>

const char *rfs_base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return !path ? "?" : slash && slash[1] ? slash + 1 : path;
}
