/*
 * plan_items.h - plans: the work of a campaign after phase 1, in items that several machines can carry out.
 *
 * A plan has the results of phase 1 (its journal, pool/journal.h). From them, each machine makes the same campaign up
 * to this point, and the same items: the runs of a predicted deadlock, of a pair, or of a predicted atomicity
 * violation, with the replays and tests of what they find; and some runs of a sampler. An item is carried out in a
 * separate process, which begins in the state after phase 1. So its results depend only on the plan, not on other
 * items: a pair that one item predicts has no runs, and the switch points are those of the plan.
 *
 * The results of an item are in a journal too. To merge, the campaign makes the items in their order with the results
 * of their journals, and then what needs several items: tests whether a race decides a failure of a sampler, and
 * stories.
 */
#ifndef RFS_CAMPAIGN_ITEMS_H
#define RFS_CAMPAIGN_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rfs_campaign;

/* The files of a plan, in its directory. */
#define RFS_PLAN_FILE "plan"
#define RFS_PLAN_ITEMS "items"
/* The texts in the journal of a plan: path, build-id and checksum of each module and input; features of the processor;
 * name and number of runs of each item.
 */
#define RFS_PLAN_FILES "[files]"
#define RFS_PLAN_PROCESSOR "[processor]"
#define RFS_PLAN_ITEM_LIST "[items]"
/* A larger plan, or larger results of an item, are refused. */
#define RFS_PLAN_MAX ((uint64_t)1 << 30)

/* What a campaign does with a plan. Strings are borrowed. */
struct rfs_plan_work {
	bool makes;	      /* --plan: end after phase 1. The other members are then unused */
	const char *id;	      /* of the plan */
	const char *items;    /* the folder with the journals of items */
	unsigned part, parts; /* carry out this part, from 1; part 0: only merge. parts 0: not known */
	bool whole;	      /* make the report of the whole plan, not of a part */
};

/* Adds to the journal of the campaign what a plan needs besides results. 0, or -errno and a line in why. */
int rfs_plan_seal(struct rfs_campaign *c, char *why, size_t n) __attribute__((warn_unused_result));
/* Carries out the items of the part and merges all that are there. 0, or -errno and a line in why. */
int rfs_plan_work(struct rfs_campaign *c, char *why, size_t n) __attribute__((warn_unused_result));

#endif
