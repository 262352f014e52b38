/*
 * plot.h - draws how often each partial order was executed, like figure 6 of the RAPOS paper (Sen, ASE 2007).
 *
 * A panel is a bar chart. Each partial order has a bar, the most frequent first, whose height is the number of
 * executions. There is one panel per policy, all with the same scale. The panel of a good sampler is flat and wide.
 */
#ifndef RFS_PLOT_H
#define RFS_PLOT_H

#include <stdio.h>

struct rfs_report;

/* Writes SVG 1.1. Policies without orders (native) get no panel. */
void rfs_plot_write(const struct rfs_report *report, FILE *out);

#endif
