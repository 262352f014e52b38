/* violation_names.h - predicted atomicity violations as lines of a pairs file, and back; and in the report. */
#ifndef RFS_VIOLATION_NAMES_H
#define RFS_VIOLATION_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_campaign;
struct rfs_pairs;
struct rfs_report_violations;
struct rfs_resolve_module;

/* Adds the predicted violations of the campaign to the file, or only those that had no run. */
void rfs_violation_names_add(struct rfs_campaign *c, bool untried, struct rfs_pairs *file);
/* Finds the violations that the file names, and adds them to the campaign. 0, or -errno and a line in why. */
int rfs_violation_names_resolve(struct rfs_campaign *c, const struct rfs_pairs *file,
				const struct rfs_resolve_module *modules, size_t n_modules, char *why, size_t n)
	__attribute__((warn_unused_result));
/* Adds the violations of the campaign to the report. */
void rfs_violations_report(struct rfs_campaign *c, struct rfs_report_violations *out);

#endif
