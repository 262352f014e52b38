/*
 * lines.h - source lines for a report on a target that was built without debug information.
 *
 * The same source is also built with -g (targets/targets.mk). That adds sections but changes no instruction, so an
 * offset is the same statement in both builds. lines_add() checks that the code is the same.
 */
#ifndef RFS_TESTS_E2E_LINES_H
#define RFS_TESTS_E2E_LINES_H

#include "tests/e2e/harness.h"

/*
 * Adds file and line to the statements of all pairs, and to the frames of their stacks, if they are in a program or
 * library of this build (such as "O0"). Inlined functions get separate frames. Asserts that the build with debug
 * information (such as "O0g") exists.
 */
void lines_add(struct e2e *e2e, const char *variant);

#endif
