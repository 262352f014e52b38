/* plural.c - "s", or nothing for one. */
#include "supervisor/base/text/plural.h"

const char *rfs_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}
