/*
 * passes.h - executions whose detector works in two passes (policy/passes.h). The pool makes such an execution twice
 * with the same spec. The second execution also knows what the first one has saved, and replays what came from outside.
 * For the pool's caller, both are one execution with one result.
 */
#ifndef RFS_POOL_PASSES_H
#define RFS_POOL_PASSES_H

#include <stdbool.h>

struct rfs_entry;
struct rfs_pool_settings;

enum rfs_pass {
	RFS_PASS_ONLY, /* one execution with the detector itself */
	RFS_PASS_FIRST,
	RFS_PASS_SECOND,
};

/* Sets the pass with which a new entry begins. */
void rfs_passes_begin(struct rfs_entry *entry);
/* Sets what the spec of the entry's pass needs. Call it before each start of an execution. */
void rfs_passes_give(struct rfs_entry *entry);
/*
 * Call it with a finished execution that is not restarted. If another pass is needed, returns true, and the entry must
 * be started again. Otherwise its reply is that of the whole execution.
 */
bool rfs_passes_continue(const struct rfs_pool_settings *settings, struct rfs_entry *entry);
/*
 * Call it if the second pass was not made or has no answer. If the first pass has failed, returns true, and the entry's
 * reply is that of the first pass.
 */
bool rfs_passes_keep_failure(struct rfs_entry *entry);
/* Gives the entry the spec of the caller, and forgets the first pass. */
void rfs_passes_end(struct rfs_entry *entry);

#endif
