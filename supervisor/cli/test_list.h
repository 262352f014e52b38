/*
 * test_list.h - a test program that is asked for the list of its tests: it runs no test, so it runs without rfsup.
 *
 * Build systems start test programs through rfsup, and ask them for their tests first (gtest_discover_tests() of CMake,
 * catch_discover_tests(), cargo-nextest). They read the list from standard output.
 */
#ifndef RFS_TEST_LIST_H
#define RFS_TEST_LIST_H

#include <stdbool.h>

/*
 * Whether these words ask a program of a known test framework for its tests. The first word is the program; a name
 * without a slash is searched for in PATH.
 */
bool rfs_test_list_is_asked(char *const *words);
/* Replaces this process with the program. Returns only if this fails: -errno. */
int rfs_test_list_execute(char *const *words, char *const *env);

#endif
