/* markup.h - text with escapes, for HTML, XML and JSON. */
#ifndef RFS_MARKUP_H
#define RFS_MARKUP_H

#include <stdio.h>

/*
 * Writes text with escapes, so that the text can be character data or the value of a double-quoted
 * attribute, in HTML and in XML. Control characters, bytes that are not UTF-8, and the characters U+FFFE and U+FFFF,
 * which XML forbids, become U+FFFD.
 */
void rfs_markup_escape(const char *text, FILE *out);
/*
 * Writes text as a string of JSON, with its quotes. Bytes that are not UTF-8 become U+FFFD. "<" has an escape, because
 * it could end the script of a page that has the string.
 */
void rfs_markup_json(const char *text, FILE *out);

#endif
