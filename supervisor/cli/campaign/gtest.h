/*
 * gtest.h - rfsup --gtest: a campaign for each test of a GoogleTest program, and one summary.
 *
 * The campaign of a test is what `rfsup OPTIONS PROGRAM --gtest_filter=TEST` does. It runs in a separate process of
 * rfsup. Its reports are in a separate folder below the output folder.
 */
#ifndef RFS_GTEST_H
#define RFS_GTEST_H

#include "supervisor/base/error.h"

struct rfs_options;
struct rfs_report_own;

/* Runs one campaign in this process, and returns its status. words: the program and its arguments. */
typedef enum rfs_exit rfs_gtest_run(void *arg, const struct rfs_options *options, char *const *words, char **command);

/*
 * command: the words of the command line, for the output folder. *own: how the tests fail by themselves; status 1 if
 * they fail in different ways. Ends the program if nothing can be done.
 */
enum rfs_exit rfs_gtest(const struct rfs_options *options, char **command, int cancel_fd, rfs_gtest_run *run, void *arg,
			struct rfs_report_own *own);

#endif
