/*
 * options.h - parses the command line.
 *
 * Two tables define the parser, --help and, through tests/lint/options, the check of rfsup(1). One holds the options of
 * each execution (record/run_options.c), the other holds all others (option_table.c).
 */
#ifndef RFS_CLI_OPTIONS_H
#define RFS_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "supervisor/base/error.h"
#include "supervisor/campaign/options.h"

/* Parses the command line; accesses no file. 0 and *out (rfs_options_release), or -EINVAL and a line in why that says
 * what is wrong and what to do. */
int rfs_options_parse(int argc, char **argv, struct rfs_options *out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_options_release(struct rfs_options *options);

/* Checks the files named by --stdin, --fresh-dir, --pairs, --replay and a --policy that contains a slash. 0, or -errno
 * and a line in why. */
int rfs_options_check_files(const struct rfs_options *options, char *why, size_t n) __attribute__((warn_unused_result));

/* Writes what --help, --version and --list-policies print. */
void rfs_options_print(const struct rfs_options *options, FILE *out);

#endif
