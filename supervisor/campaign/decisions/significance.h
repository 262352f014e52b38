/*
 * significance.h - whether two rates differ by more than chance: Fisher's exact test (R. A. Fisher, Statistical Methods
 * for Research Workers, 1934), and Holm's correction for many such tests (S. Holm, A Simple Sequentially Rejective
 * Multiple Test Procedure, Scandinavian Journal of Statistics 6, 1979). Pure.
 */
#ifndef RFS_SIGNIFICANCE_H
#define RFS_SIGNIFICANCE_H

#include <stddef.h>
#include <stdint.h>

/*
 * hits[k] of runs[k] runs of kind k had some property. Returns how probable a difference at least as unlikely as this
 * one is, if both kinds have the same rate: the two-sided test. 1 if there are no runs of one kind.
 */
double rfs_fisher(const uint64_t hits[2], const uint64_t runs[2]);

/*
 * Replaces each of n p-values by its corrected value, at most 1. If all values below a limit are believed, the
 * probability that any of them is wrong is at most this limit.
 */
void rfs_holm(double *p, size_t n);

#endif
