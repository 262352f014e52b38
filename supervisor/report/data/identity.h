/* identity.h - makes the ids and fingerprints of findings. */
#ifndef RFS_IDENTITY_H
#define RFS_IDENTITY_H

struct rfs_report_deadlock;
struct rfs_report_failure;
struct rfs_report_misuse;
struct rfs_report_pair;
struct rfs_source_place;

/* Compares by the base name of the module, because the same build may be in another folder, and by the offset. */
int rfs_identity_compare_places(const struct rfs_source_place *a, const struct rfs_source_place *b);

void rfs_identify_pair(struct rfs_report_pair *pair);
void rfs_identify_deadlock(struct rfs_report_deadlock *deadlock);
void rfs_identify_failure(struct rfs_report_failure *failure);
void rfs_identify_misuse(struct rfs_report_misuse *misuse);

#endif
