/* plural.h - the plural of a word in messages: "%u run%s". */
#ifndef RFS_PLURAL_H
#define RFS_PLURAL_H

#include <stdint.h>

/* "s", or "" if n is one. */
const char *rfs_plural(uint64_t n);

#endif
