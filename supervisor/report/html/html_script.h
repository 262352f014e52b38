/* html_script.h - the script of the page of a run. */
#ifndef RFS_HTML_SCRIPT_H
#define RFS_HTML_SCRIPT_H

/* page.js */
extern const char rfs_html_script[];

#endif
