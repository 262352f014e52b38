/*
 * c_results.h - the part of a generated C program that compares the results of its calls with those of the sequential
 * orders. The program aborts if no order gives them.
 */
#ifndef RFS_C_RESULTS_H
#define RFS_C_RESULTS_H

#include <stddef.h>
#include <stdio.h>

struct rfs_sequence;
struct rfs_value;
struct rfs_wrong_result;

/* Writes the variables of the memory and strings of the test, and the functions that keep results. */
void rfs_c_results_keep(const struct rfs_wrong_result *result, const struct rfs_sequence *test, FILE *out);
/* Writes the function that compares them. It uses the test's variables. */
void rfs_c_results_check(const struct rfs_wrong_result *result, const struct rfs_sequence *test, FILE *out);

/* Writes what comes before a call, so that its result is kept. Returns what must follow it. */
const char *rfs_c_results_before(const struct rfs_wrong_result *result, int section, size_t call, FILE *out);
/* Writes statements that keep what the call has stored where its arguments point. */
void rfs_c_results_after(const struct rfs_wrong_result *result, const struct rfs_sequence *test, int section,
			 size_t call, FILE *out);

/* The number of a value that is memory of the test, among all of these. */
size_t rfs_c_results_memory(const struct rfs_sequence *test, const struct rfs_value *value);
/* The number of a string's variable; SIZE_MAX: it needs none, because no result is an object. */
size_t rfs_c_results_text(const struct rfs_wrong_result *result, const struct rfs_sequence *test, const char *text);

#endif
