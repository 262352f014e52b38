/* pairs_txt.h - the file pairs.txt in the output folder, from which --pairs can repeat a campaign. */
#ifndef RFS_PAIRS_TXT_H
#define RFS_PAIRS_TXT_H

struct rfs_campaign;

/* Writes the pairs, the predicted deadlocks and the predicted violations. */
void rfs_pairs_txt_save(struct rfs_campaign *c);

#endif
