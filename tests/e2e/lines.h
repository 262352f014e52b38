/*
 * lines.h - the source lines behind a report on a target that was built without debug information.
 *
 * The same source is built with -g too (targets/targets.mk), which adds sections but changes no instruction: an offset
 * is the same statement in both. That the code is the same is checked, by comparing it.
 */
#ifndef RFS_TESTS_E2E_LINES_H
#define RFS_TESTS_E2E_LINES_H

#include "tests/e2e/harness.h"

/*
 * Adds file and line to the statements of the report's pairs, and to the frames of their stacks, if they are in a
 * program or library of this build ("O0"); functions inlined there get separate frames. Asserts that the build with
 * debug information ("O0g") is there.
 */
void lines_add(struct e2e *e2e, const char *variant);

#endif
