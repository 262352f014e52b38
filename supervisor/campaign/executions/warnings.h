/* warnings.h - prints warnings for the user, each only once in a campaign. */
#ifndef RFS_WARNINGS_H
#define RFS_WARNINGS_H

#include <stddef.h>

struct rfs_output;

/* All warnings; the first of them were printed. Zeroed: none. */
struct rfs_warnings {
	char **lines;
	size_t n;
};

/* Keeps the line, and prints it unless it was given before or many lines were. */
void rfs_warnings_give(struct rfs_warnings *warnings, const char *line);
/* If not all warnings were printed, writes all of them to warnings.txt in the output folder, and says so. */
void rfs_warnings_save(const struct rfs_warnings *warnings, const struct rfs_output *output);
void rfs_warnings_release(struct rfs_warnings *warnings);

#endif
