/* find_tests.h - asks a build folder, or a test program, for its tests. */
#ifndef RFS_FIND_TESTS_H
#define RFS_FIND_TESTS_H

#include "supervisor/cli/suite/suite_tests.h"

/*
 * BUILD of --suite: a build folder of CMake or Meson, a folder with a Cargo.toml, or a test program. 0 and the tests,
 * at least one, or -errno and a line in why.
 */
int rfs_find_tests(const char *build, struct rfs_suite_tests *tests, char *why, size_t n)
	__attribute__((warn_unused_result));

#endif
