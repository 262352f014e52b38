/* sample.h - the sampling mode: makes the runs of the first sampler of --policy, then those of the next, and so on. */
#ifndef RFS_SAMPLE_H
#define RFS_SAMPLE_H

struct rfs_campaign;

void rfs_sample(struct rfs_campaign *c);

#endif
