/*
 * report_identity.h - what tells a finding from others: an id within one build, and a fingerprint over builds.
 *
 * An id contains offsets in modules, so the same finding has another id after a change of the program. A fingerprint
 * contains names of modules and functions instead. Findings that differ in nothing else have one fingerprint.
 */
#ifndef RFS_REPORT_IDENTITY_H
#define RFS_REPORT_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>

/* rfs_report_finish() sets the first two members. */
struct rfs_report_identity {
	char id[17];
	char fingerprint[17];
	bool known;	   /* an earlier report has it, see known.h */
	size_t suppressed; /* the number, from 1, of the suppression that hides it; 0: none (report_suppressed.h) */
};

#endif
