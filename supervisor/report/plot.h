/*
 * plot.h - draws how often each partial order was executed, like figure 6 of the RAPOS paper (Sen, ASE 2007).
 *
 * The different orders are side by side, most frequent first; the height is the number of executions. There is one
 * panel per policy, all with the same scale. A good sampler has a flat and wide panel.
 */
#ifndef RFS_PLOT_H
#define RFS_PLOT_H

#include <stdio.h>

struct rfs_report;

/* Writes SVG 1.1. Policies without orders (native) get no panel. */
void rfs_plot_write(const struct rfs_report *report, FILE *out);

#endif
