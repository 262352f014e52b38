/* json_triage.h - what became of the reports of other tools, as JSON. */
#ifndef RFS_JSON_TRIAGE_H
#define RFS_JSON_TRIAGE_H

#include <jansson.h>

struct rfs_report_triage;

/* As the value of a key. The caller owns the reference. */
json_t *rfs_json_triage(const struct rfs_report_triage *triage);

#endif
