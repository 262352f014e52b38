/* sample.h - the sampling mode: makes the runs of each sampler of --policy in turn. */
#ifndef RFS_SAMPLE_H
#define RFS_SAMPLE_H

struct rfs_campaign;

void rfs_sample(struct rfs_campaign *c);

#endif
