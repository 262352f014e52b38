/* utf8.h - checks UTF-8: names from programs and file systems are arbitrary bytes, but reports are Unicode. */
#ifndef RFS_UTF8_H
#define RFS_UTF8_H

#include <stddef.h>

/* Bytes of the UTF-8 character at the start of the string s (RFC 3629, section 4: no overlong forms, no surrogates); 0
 * if s does not start with a valid character. */
size_t rfs_utf8_length(const char *s);

#endif
