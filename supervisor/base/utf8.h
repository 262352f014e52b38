/* utf8.h - names from programs and file systems are bytes; reports are Unicode. */
#ifndef RFS_UTF8_H
#define RFS_UTF8_H

#include <stddef.h>

/*
 * Bytes of the UTF-8 character that the string s begins with (RFC 3629, section 4: no overlong forms, no surrogates);
 * 0: it begins with none.
 */
size_t rfs_utf8_length(const char *s);

#endif
