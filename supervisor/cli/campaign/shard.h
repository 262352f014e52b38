/*
 * shard.h - the directories of --plan, --shard and --merge.
 *
 * A plan's directory has the plan (campaign/phases/plan_items.h), and records and outputs of phase 1. That of a shard
 * or of a merge has a copy of them, and the items that were carried out. Each file appears under its name when it is
 * whole, so a shard that was killed continues when it is run again.
 */
#ifndef RFS_SHARD_H
#define RFS_SHARD_H

#include <stddef.h>

#include "supervisor/base/output.h"
#include "supervisor/campaign/phases/plan_items.h"
#include "supervisor/cli/campaign/resume.h"
#include "supervisor/record/checksum.h"

struct rfs_options;

/* The copy of the file of --pairs in a plan's directory. */
#define RFS_PLAN_PAIRS "pairs.in"

/* What was at the path of the output directory before a merge. NOTHING: this is no merge. */
enum rfs_merge_into { RFS_MERGE_NOTHING, RFS_MERGE_NEW, RFS_MERGE_EMPTY, RFS_MERGE_USED };

/* A plan that is carried out or merged. */
struct rfs_shard {
	struct rfs_resumed resumed; /* its journal is the plan */
	struct rfs_plan_work work;
	struct rfs_output output;
	char id[RFS_CHECKSUM_SIZE];
	char *items, *pairs; /* folder of items; the plan's copy of the pairs file. Owned */
	int lock;	     /* only one process works in the output directory */
	enum rfs_merge_into merges_into;
};

/*
 * Opens the directories that --shard or --merge names, and checks and copies their files. Then restores working
 * directory and environment of the plan. command: the words of the command line. 0, or -errno and a line in why.
 */
int rfs_shard_open(const struct rfs_options *given, char **command, struct rfs_shard *out, char *why, size_t n)
	__attribute__((warn_unused_result));
/* Copies the options that --shard and --merge accept to those of the plan. */
void rfs_shard_take_options(const struct rfs_shard *shard, const struct rfs_options *given, struct rfs_options *plan);
/*
 * After a merge that failed: the output directory is again what it was before, so the same command can be repeated. A
 * directory that had other files keeps everything. The directory of a shard stays, because the shard can continue.
 */
void rfs_shard_discard(struct rfs_shard *shard);
void rfs_shard_close(struct rfs_shard *shard);

/* Gives the plan of a campaign its name, and prints what is in it. 0, or -errno and a line in why. */
int rfs_plan_finish(const struct rfs_output *output, const char *pairs, char *why, size_t n)
	__attribute__((warn_unused_result));
/* The name of the plan before. */
#define RFS_PLAN_UNFINISHED "plan.new"

#endif
