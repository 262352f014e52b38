/* warnings.h - prints warnings for the user, each only once in a campaign. */
#ifndef RFS_WARNINGS_H
#define RFS_WARNINGS_H

#include <stddef.h>

/* The lines that were printed. Zeroed: no line was printed. */
struct rfs_warnings {
	char **lines;
	size_t n;
};

/* Prints the line unless it was printed before. */
void rfs_warnings_give(struct rfs_warnings *warnings, const char *line);
void rfs_warnings_release(struct rfs_warnings *warnings);

#endif
