/* pairs_file.h - reads the file of --pairs or --triage, and says by its contents what it is. */
#ifndef RFS_PAIRS_FILE_H
#define RFS_PAIRS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/import/import.h"
#include "supervisor/record/pairs.h"

struct rfs_pairs_file {
	bool imported; /* reports of another tool; otherwise pairs */
	struct rfs_pairs pairs;
	struct rfs_import import;
};

/* triage: only reports are accepted. 0 and *out (free with rfs_pairs_file_release()), or -errno and a line in why. */
int rfs_pairs_file_read(const char *path, bool triage, struct rfs_pairs_file *out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_pairs_file_release(struct rfs_pairs_file *file);

#endif
