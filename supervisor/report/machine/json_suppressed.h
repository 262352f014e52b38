/* json_suppressed.h - suppressions, and what each has hidden, as JSON. */
#ifndef RFS_JSON_SUPPRESSED_H
#define RFS_JSON_SUPPRESSED_H

#include <jansson.h>
#include <stddef.h>

struct rfs_report_suppressions;

/* As the value of a key. The caller owns the reference. */
json_t *rfs_json_suppressions(const struct rfs_report_suppressions *suppressions);
/* Puts the suppression with this number, from 1, into *object as the key "suppressed". 0: puts nothing. */
void rfs_json_put_suppressed(json_t *object, const struct rfs_report_suppressions *suppressions, size_t number);

#endif
