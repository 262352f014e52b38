/* json_pair_groups.h - the groups of all pairs for report.json. */
#ifndef RFS_JSON_PAIR_GROUPS_H
#define RFS_JSON_PAIR_GROUPS_H

#include <jansson.h>

struct rfs_report;

/* A new array. */
json_t *rfs_json_pair_groups(const struct rfs_report *report);

#endif
