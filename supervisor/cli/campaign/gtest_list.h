/* gtest_list.h - the tests of a GoogleTest program. */
#ifndef RFS_GTEST_LIST_H
#define RFS_GTEST_LIST_H

#include <stddef.h>

struct rfs_gtest_list {
	char **names; /* "Suite.Test", in the order of the program */
	size_t n;
};

/*
 * Runs the program in this environment, uncontrolled, with --gtest_list_tests added, and reads the names of its tests.
 * Disabled tests are left out. words: the program and its arguments, end with NULL. 0, or -errno and a line in why.
 * Free with rfs_gtest_list_release().
 */
int rfs_gtest_list(char *const *words, char *const *environment, struct rfs_gtest_list *out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_gtest_list_release(struct rfs_gtest_list *list);

/* The words of a command line with an option at the end. Caller frees the list; the words and the option are borrowed.
 */
char **rfs_gtest_words(char *const *words, char *option);
/* Adds the tests in what such a program has written. */
void rfs_gtest_list_parse(const char *text, struct rfs_gtest_list *out);

#endif
