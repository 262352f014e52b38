/*
 * options.h - parses the command line.
 *
 * There are two tables of options: those of each execution (record/run_options.c), and all others (option_table.c).
 * The parser and --help are made from them. tests/lint/options compares them with rfsup(1).
 */
#ifndef RFS_CLI_OPTIONS_H
#define RFS_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "supervisor/base/error.h"
#include "supervisor/campaign/settings/options.h"

/*
 * Parses the command line; accesses no file. 0 and *out (free with rfs_options_release()), or -EINVAL and a line in
 * why: what is wrong and what to do.
 */
int rfs_options_parse(int argc, char **argv, struct rfs_options *out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_options_release(struct rfs_options *options);

/*
 * Checks the files that options name: they must exist and be readable. The options are --stdin, --fresh-dir, --pairs,
 * --replay, --simplify, and shared objects in --policy or --explore-with. 0, or -errno and a line in why.
 */
int rfs_options_check_files(const struct rfs_options *options, char *why, size_t n) __attribute__((warn_unused_result));

/* Writes what --help, --usage, --version or --list-policies prints. */
void rfs_options_print(const struct rfs_options *options, FILE *out);

#endif
