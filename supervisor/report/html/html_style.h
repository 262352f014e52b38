/* html_style.h - what all HTML pages of rfsup share. */
#ifndef RFS_HTML_STYLE_H
#define RFS_HTML_STYLE_H

/* The style sheet, for light and dark colour schemes, and for narrow screens. */
extern const char rfs_html_style[];

#endif
