/* judge.h - whether a run of a test without control passed, as ctest(1) and Meson judge it. */
#ifndef RFS_SUITE_JUDGE_H
#define RFS_SUITE_JUDGE_H

struct rfs_suite_test;
struct rfs_watch;

enum rfs_judged {
	RFS_JUDGED_PASSES,
	RFS_JUDGED_FAILS,
	RFS_JUDGED_SKIPPED,
	RFS_JUDGED_UNKNOWN, /* a regular expression has no match in the part of the output that was kept */
};

/*
 * Judges a run that ended by itself or sleeps forever. *why: what about its output decided, "its output matches ...";
 * NULL: its end did. Caller frees.
 */
enum rfs_judged rfs_suite_judge(const struct rfs_suite_test *test, const struct rfs_watch *watch, char **why);

#endif
