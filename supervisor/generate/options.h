/* options.h - the command line of rfsup --generate. */
#ifndef RFS_GENERATE_OPTIONS_H
#define RFS_GENERATE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Words, which end with NULL. They are borrowed from the argument vector. */
struct rfs_words {
	const char **list;
	size_t n;
};

/* What is compared with what the sequential orders of a test give. */
enum rfs_results_option {
	RFS_RESULTS_STATE, /* of a library of C: the state of the object after both threads */
	RFS_RESULTS_NEVER,
	RFS_RESULTS_ASKED, /* results of all calls too; a library of C++ is refused */
};

struct rfs_generate_options {
	const char *library;
	struct rfs_words headers, types, only, skip, init;
	const char *cflags; /* NULL: none */
	const char *hints;  /* a file; NULL: none */
	const char *output; /* NULL: the first free rfsup.out.N */
	bool help;	    /* print the help, and nothing else */
	bool list;	    /* print what the library has, and nothing else */
	enum rfs_results_option results;
	bool json, quiet, verbose;
	uint64_t tests, runs, findings, seed;
	uint64_t jobs; /* tests at a time */
	double budget; /* seconds */
};

/* Whether the command line has --generate, behind any options of rfsup --generate but before a program. */
bool rfs_generate_is_meant(int argc, char **argv);
/* Returns 0 (release with rfs_generate_options_release()), or -EINVAL and a line in why. */
int rfs_generate_options_parse(int argc, char **argv, struct rfs_generate_options *out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_generate_options_release(struct rfs_generate_options *options);
void rfs_generate_options_help(FILE *out);

#endif
