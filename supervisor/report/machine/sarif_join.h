/* sarif_join.h - one SARIF run for the reports of several tests: code hosts refuse several runs of one tool. */
#ifndef RFS_REPORT_SARIF_JOIN_H
#define RFS_REPORT_SARIF_JOIN_H

#include <jansson.h>
#include <stdio.h>

struct rfs_sarif_join {
	json_t *run; /* owned; NULL: no report was added */
	json_t *root;
	char *folder; /* the URI of the working directory, to which all locations will be relative */
};

void rfs_sarif_join_begin(struct rfs_sarif_join *join);
/* Moves what is in the only run of the report, which rfs_report_write_sarif() has written. Takes the report, or NULL.
 */
void rfs_sarif_join_add(struct rfs_sarif_join *join, json_t *report);
/* Writes the joined report, and releases it. */
void rfs_sarif_join_end(struct rfs_sarif_join *join, FILE *out);

#endif
