/*
 * html.h - rfsup --replay FILE --html PAGE: one recorded run as a picture, in one HTML file that needs nothing else: no
 * network, no script, no font.
 */
#ifndef RFS_PAGE_H
#define RFS_PAGE_H

#include <stddef.h>

struct rfs_page {
	const struct rfs_record *record;     /* with a trace that can be read */
	const struct rfs_run_result *result; /* of the replay */
	struct rfs_symbols *symbols;
	const char *outcome; /* in words */
};

/* Whether a page can be made of the record and will get to its path: asked before a run that may take long. 0, or
 * -errno and a line in why. */
int rfs_html_check(const struct rfs_record *record, const char *path, char *why, size_t n)
	__attribute__((warn_unused_result));
/* Writes it, whole or not at all where path is a file. 0, or -errno and a line in why. */
int rfs_html_write(const struct rfs_page *page, const char *path, char *why, size_t n)
	__attribute__((warn_unused_result));

#endif
