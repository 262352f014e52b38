/* html_style.h - what all HTML pages of rfsup share. */
#ifndef RFS_HTML_STYLE_H
#define RFS_HTML_STYLE_H

#include <stdio.h>

/* html.c: the style sheet. */
extern const char rfs_html_style[];

/*
 * html_names.c: writes text with escapes, so that the text can be character data or the value of a double-quoted
 * attribute, in HTML and in XML. Control characters, bytes that are not UTF-8, and the characters U+FFFE and U+FFFF,
 * which XML forbids, become U+FFFD.
 */
void rfs_html_escape(const char *text, FILE *out);

#endif
