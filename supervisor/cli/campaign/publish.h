/* publish.h - writes the forms of a report to where the user wants them. */
#ifndef RFS_PUBLISH_H
#define RFS_PUBLISH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct rfs_options;
struct rfs_output;
struct rfs_report;

/*
 * Writes the report to the output folder, to the files that options name, and to standard output. False if it could not
 * be written to all of these; each failure is one line on standard error.
 */
bool rfs_publish(const struct rfs_report *report, const struct rfs_options *options, const struct rfs_output *output);
/* Writes the plot. True if it was written, or if plot is NULL because there is no --plot. */
bool rfs_publish_plot(const struct rfs_report *report, const char *name, FILE *plot);

/* Writes text to the file that an option names. Prints a line and returns false if that fails. */
bool rfs_publish_text(const char *option, const char *path, const char *text, size_t size);

#endif
