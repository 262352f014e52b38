/*
 * plot.h - how often each partial order was executed, as a picture in the manner of figure 6 of the RAPOS paper (Sen,
 * ASE 2007): the different orders side by side, most frequent first, each as high as its number of executions; one
 * panel a policy, all to one scale. A flat and wide panel is a good sampler.
 */
#ifndef RFS_PLOT_H
#define RFS_PLOT_H

#include <stdio.h>

struct rfs_report;

/* Writes SVG 1.1. Policies without orders (native) get no panel. */
void rfs_plot_write(const struct rfs_report *report, FILE *out);

#endif
