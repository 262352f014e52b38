/* summary_html.h - index.html in the output folder of rfsup --generate: all findings, with links to their pages. */
#ifndef RFS_GENERATE_SUMMARY_HTML_H
#define RFS_GENERATE_SUMMARY_HTML_H

struct rfs_summary;

/* The caller frees the page. */
char *rfs_summary_html(const struct rfs_summary *summary);

#endif
