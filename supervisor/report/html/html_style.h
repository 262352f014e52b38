/* html_style.h - what all HTML pages of rfsup share. */
#ifndef RFS_HTML_STYLE_H
#define RFS_HTML_STYLE_H

/* html.c: the style sheet. */
extern const char rfs_html_style[];

#endif
