/*
 * html.h - rfsup --replay FILE --html PAGE: writes one HTML file with a picture of a recorded run. The page needs no
 * network and no other font. Its script (page.js) searches, follows keys and shows all of a long run; without scripts,
 * the page has what matters.
 */
#ifndef RFS_HTML_H
#define RFS_HTML_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_page {
	const struct rfs_record *record;     /* the record; its trace must be readable */
	const struct rfs_run_result *result; /* result of the replay */
	const char *record_path;	     /* as the user can name it; NULL: not known */
	struct rfs_symbols *symbols;
	const char *outcome;	   /* how the run ended, as text */
	const char *title, *cause; /* of the finding, as the report has them; NULL: not known */
	const char *other;	   /* the name of another page of the finding in the same folder; NULL: none */
	bool other_is_simple;	   /* that page has the run with the fewest switches; false: the recorded run */
	const char *not_simple;	   /* why there is no run with fewer switches; NULL: there is, or it is not known */
	const char *variable;	   /* what the race of the run is on; NULL: not known, or no race */
};

/*
 * Call this before the replay, which may take long. Checks that a page of the record can be made and written to path.
 * option: the option that names the file, for messages. 0, or -errno and a line in why.
 */
int rfs_html_check(const struct rfs_record *record, const char *option, const char *path, char *why, size_t n)
	__attribute__((warn_unused_result));
/* Writes the page. A regular file is written completely or not at all. 0, or -errno and a line in why. */
int rfs_html_write(const struct rfs_page *page, const char *path, char *why, size_t n)
	__attribute__((warn_unused_result));

#endif
