/* divergence.h - what is printed of a run that went another way than the one it was compared with. */
#ifndef RFS_DIVERGENCE_H
#define RFS_DIVERGENCE_H

#include <stdio.h>

struct rfs_run_result;
struct rfs_symbols;

/* The likely cause and both stacks, as far as they are known. The message is the caller's to print. */
void rfs_divergence_print(struct rfs_symbols *symbols, const struct rfs_run_result *result, FILE *out);

#endif
