/*
 * predict.h - phase predict: makes a few runs under several policies with a detector (hybrid: O'Callahan & Choi, PPoPP
 * 2003). Collects the pairs that the detector reports in any of these runs.
 */
#ifndef RFS_PREDICT_H
#define RFS_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

/* Different predicting runs: their policies, in the order of the runs. */
#define RFS_PREDICT_KINDS 4

struct rfs_blob;
struct rfs_campaign;
struct rfs_detector_ops;
struct rfs_policy_ops;

void rfs_predict(struct rfs_campaign *c);
/* True if a predicting run was cut short by the budget, or was given up because it did not answer. */
bool rfs_predict_was_cut(const struct rfs_campaign *c);

/* The policy of predicting run number i, and its options, which may be NULL. Both are static. measured: the operations
 * of the measured run; 0: unknown. */
const struct rfs_policy_ops *rfs_predict_policy(uint64_t measured, uint64_t i, const char **options);

/* What the policy saved in its last predicting run, or in the measured one; data NULL: nothing. NULL: no predicting run
 * has the policy. */
struct rfs_blob *rfs_predict_saved(struct rfs_campaign *c, const struct rfs_policy_ops *policy);
/* Replaces that. Takes over blob.data, which may be NULL. A predicting run has the policy. */
void rfs_predict_keep(struct rfs_campaign *c, const struct rfs_policy_ops *policy, struct rfs_blob blob);

#endif
