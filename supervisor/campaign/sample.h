/* sample.h - the sampling mode: each sampler of --policy in its turn. */
#ifndef RFS_SAMPLE_H
#define RFS_SAMPLE_H

struct rfs_campaign;

void rfs_sample(struct rfs_campaign *c);

#endif
