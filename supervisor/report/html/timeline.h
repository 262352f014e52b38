/*
 * timeline.h - rfsup --replay FILE --trace TIMELINE: writes a recorded run in the JSON format of Chrome's traces, which
 * Perfetto (https://ui.perfetto.dev) shows. Source: "Trace Event Format", a document of the Chromium project.
 */
#ifndef RFS_TIMELINE_H
#define RFS_TIMELINE_H

#include <stddef.h>

struct rfs_page;

/*
 * Writes the run of the page. A regular file is written completely or not at all. 0, or -errno and a line in why. Call
 * rfs_html_check() before the replay.
 */
int rfs_timeline_write(const struct rfs_page *page, const char *path, char *why, size_t n)
	__attribute__((warn_unused_result));

#endif
