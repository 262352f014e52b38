/*
 * builds.h - the builds of the targets (targets/targets.mk), and which of them a test runs.
 */
#ifndef RFS_TESTS_E2E_BUILDS_H
#define RFS_TESTS_E2E_BUILDS_H

#include <stdbool.h>

/*
 * A full check has the first BUILDS_CHECKED of them, as targets.mk has. targets.txt says what is found in the first
 * BUILDS_MARKED. In others, marked statements may be merged.
 */
enum { BUILDS = 14, BUILDS_CHECKED = 7, BUILDS_MARKED = 3 };

extern const char *const builds[BUILDS];

/* Whether RFSUP_VARIANTS is set. */
bool builds_given(void);
/*
 * Whether the build is to be run: if RFSUP_VARIANTS is set, it names the builds, such as "O0g clang-O2g". Otherwise
 * these are BUILDS_CHECKED builds in a full check, and else O2g. Ends the program if RFSUP_VARIANTS names an unknown
 * build.
 */
bool builds_has(const char *build);

#endif
