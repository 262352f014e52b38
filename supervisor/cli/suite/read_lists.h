/*
 * read_lists.h - the tests in what build systems and test frameworks print. These functions only read text.
 *
 * Each adds its tests. 0, or -errno and a line in why. `from`: what printed the text, for messages.
 */
#ifndef RFS_READ_LISTS_H
#define RFS_READ_LISTS_H

#include <stddef.h>

struct rfs_suite_tests;

/* ctest --show-only=json-v1 (cmake 3.14 and later). Environments are changed as ctest(1) does. */
int rfs_read_ctest(const char *text, const char *from, struct rfs_suite_tests *tests, char *why, size_t n)
	__attribute__((warn_unused_result));
/* meson introspect --tests. It does not say which tests should fail. */
int rfs_read_meson(const char *text, const char *from, struct rfs_suite_tests *tests, char *why, size_t n)
	__attribute__((warn_unused_result));
/* The tests that should fail, [[SUITE, NAME], ...], which a script in Meson's own Python has printed. 0 or -EBADMSG. */
int rfs_read_meson_failing(const char *text, struct rfs_suite_tests *tests) __attribute__((warn_unused_result));

/* A test program of Cargo. Borrowed. */
struct rfs_cargo_program {
	const char *path, *target;
	const char *manifest; /* the path of its package's Cargo.toml; NULL: not said */
};
/* cargo test --no-run --message-format=json: calls `program` for each test program until it returns an error. */
int rfs_read_cargo(const char *text, int (*program)(void *arg, const struct rfs_cargo_program *program), void *arg)
	__attribute__((warn_unused_result));

enum rfs_framework { RFS_GOOGLETEST, RFS_CATCH2_V2, RFS_CATCH2, RFS_DOCTEST, RFS_LIBTEST, RFS_N_FRAMEWORKS };

/* How a framework lists its tests. */
struct rfs_framework_list {
	const char *name;
	const char *options[4]; /* for the list; ends with NULL */
	const char *marks[2];	/* texts of which one is in each such program; NULL: none */
};
extern const struct rfs_framework_list rfs_frameworks[RFS_N_FRAMEWORKS];
/* Adds the tests that the program has listed. suite: the name of the suite, if the framework has none. */
void rfs_read_framework(enum rfs_framework framework, const char *text, const char *program, const char *suite,
			struct rfs_suite_tests *tests);

#endif
