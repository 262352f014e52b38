/* suite_tests.h - the tests of a suite, as the build system or the test framework lists them. */
#ifndef RFS_SUITE_TESTS_H
#define RFS_SUITE_TESTS_H

#include <stdbool.h>
#include <stddef.h>

/* Lists of words end with NULL and are never NULL, except `words`. All is owned. */
struct rfs_suite_test {
	char *suite, *name; /* as the framework names them */
	bool in_suite;	    /* the suite is a part of its name: suite.name */
	char **words;	    /* what is executed; NULL: the build system does not know, because it is not built */
	char *folder;	    /* the working directory; NULL: that of rfsup */
	char **env;	    /* NAME=VALUE is set, and NAME without a value is removed */
	double timeout;	    /* seconds of a run without control; 0: not given */
	int skips;	    /* the exit status with which it says that it was skipped; -1: none */
	int errs;	    /* the exit status of an error, which is never what it should do; -1: none */
	bool disabled;
	bool fails;	  /* it passes if it fails */
	bool any_failure; /* with `fails`: a signal is a failure too */
	bool alone;	  /* no other test may run at the same time */
	char **passing;	  /* if there are any: its output must match one, and its exit status does not matter */
	char **failing;	  /* it fails if its output matches one */
	char **skipping;  /* it was skipped if its output matches one */
	char **locks;	  /* what it does not share with other tests that run */
	char **needs;	  /* fixtures */
	char **sets_up;	  /* fixtures that it sets up */
	char **cleans_up; /* fixtures that it cleans up */
	char **after;	  /* names of tests that run before it */
};

struct rfs_suite_tests {
	struct rfs_suite_test *list;
	size_t n;
};

/* Adds a test without properties. Names are copied. Valid until the next call. */
struct rfs_suite_test *rfs_suite_tests_add(struct rfs_suite_tests *tests, const char *suite, const char *name);
void rfs_suite_tests_release(struct rfs_suite_tests *tests);

/* Lists of words that end with NULL. */
void rfs_words_add(char ***list, const char *word); /* copies the word */
bool rfs_words_have(char *const *list, const char *word);
bool rfs_words_meet(char *const *a, char *const *b); /* whether a word is in both */
void rfs_words_free(char **list);		     /* or NULL */

#endif
