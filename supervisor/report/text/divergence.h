/* divergence.h - prints why a replay differs from the run that it was compared with. */
#ifndef RFS_DIVERGENCE_H
#define RFS_DIVERGENCE_H

#include <stdio.h>

struct rfs_run_result;
struct rfs_symbols;

/* Prints the likely cause and both stacks, if they are known. The caller itself prints result->message. */
void rfs_divergence_print(struct rfs_symbols *symbols, const struct rfs_run_result *result, FILE *out);

#endif
