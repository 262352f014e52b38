/* markup.h - text with escapes, for HTML and XML. */
#ifndef RFS_MARKUP_H
#define RFS_MARKUP_H

#include <stdio.h>

/*
 * Writes text with escapes, so that the text can be character data or the value of a double-quoted
 * attribute, in HTML and in XML. Control characters, bytes that are not UTF-8, and the characters U+FFFE and U+FFFF,
 * which XML forbids, become U+FFFD.
 */
void rfs_markup_escape(const char *text, FILE *out);

#endif
