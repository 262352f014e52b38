/* warnings.h - lines for the user, each given once in a campaign. */
#ifndef RFS_WARNINGS_H
#define RFS_WARNINGS_H

#include <stddef.h>

/* Zero: none was given. */
struct rfs_warnings {
	char **lines;
	size_t n;
};

/* Prints the line unless it was given before. */
void rfs_warnings_give(struct rfs_warnings *warnings, const char *line);
void rfs_warnings_release(struct rfs_warnings *warnings);

#endif
