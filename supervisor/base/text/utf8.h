/*
 * utf8.h - checks UTF-8. Names from programs and file systems may be arbitrary bytes, but reports must be valid UTF-8.
 */
#ifndef RFS_UTF8_H
#define RFS_UTF8_H

#include <stddef.h>

/*
 * The number of bytes of the UTF-8 character at the start of the string s; 0 if s does not start with a valid one.
 * Overlong forms and surrogates are not valid (RFC 3629, section 4).
 */
size_t rfs_utf8_length(const char *s);

#endif
