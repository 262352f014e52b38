/* html_index.h - index.html in the output folder: all findings, with links to their pages. */
#ifndef RFS_HTML_INDEX_H
#define RFS_HTML_INDEX_H

#include <stdbool.h>
#include <stdio.h>

struct rfs_report;

/* Writes the page. colour is not used. */
void rfs_html_index_write(const struct rfs_report *report, bool colour, FILE *out);

#endif
