/*
 * identity.h - what tells a finding from others: an id within one build, and a fingerprint over builds.
 *
 * An id contains offsets in modules, so the same finding has another id after a change of the program. A fingerprint
 * contains names of modules and functions instead. Findings that differ in nothing else have one fingerprint.
 */
#ifndef RFS_REPORT_IDENTITY_H
#define RFS_REPORT_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_report_deadlock;
struct rfs_report_failure;
struct rfs_report_misuse;
struct rfs_report_pair;
struct rfs_source_place;

/* rfs_report_finish() sets the first two members. */
struct rfs_report_identity {
	char id[17];
	char fingerprint[17];
	bool known;	   /* an earlier report has it, see known.h */
	size_t suppressed; /* the number, from 1, of the suppression that hides it; 0: none (report_suppressed.h) */
};

/* Compares by the base name of the module, because the same build may be in another folder, and by the offset. */
int rfs_identity_compare_places(const struct rfs_source_place *a, const struct rfs_source_place *b);

void rfs_identify_pair(struct rfs_report_pair *pair);
void rfs_identify_deadlock(struct rfs_report_deadlock *deadlock);
void rfs_identify_failure(struct rfs_report_failure *failure);
void rfs_identify_misuse(struct rfs_report_misuse *misuse);

#endif
