/* pairs_txt.h - the file pairs.txt in the output folder, from which --pairs can repeat a campaign. */
#ifndef RFS_PAIRS_TXT_H
#define RFS_PAIRS_TXT_H

#include <stddef.h>

struct rfs_campaign;

#define RFS_NEXT_TXT "next.txt"

/* Writes the pairs, the predicted deadlocks and the predicted violations. */
void rfs_pairs_txt_save(struct rfs_campaign *c);
/* Writes what had no run to RFS_NEXT_TXT, if there is any. Returns how many lines that are. */
size_t rfs_pairs_txt_save_untried(struct rfs_campaign *c);

#endif
