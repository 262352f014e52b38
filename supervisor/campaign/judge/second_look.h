/*
 * second_look.h - makes each new failure again with a detector.
 *
 * A run that fails has seldom a detector, so rfsup does not know the heap in it. The schedule may be the only one in
 * which a thread uses a block that another one has freed: a pointer that was read twice is nearly always the same one.
 * No predicting run has shown this pair then. The same choices are followed again with a detector. What it predicts
 * joins the predictions of the campaign, so the next round tries to create it, and the failure is tested with it
 * (cause.h).
 */
#ifndef RFS_SECOND_LOOK_H
#define RFS_SECOND_LOOK_H

struct rfs_campaign;

/* Looks at each failure that was replayed and not looked at yet. Call it between batches, because it adds pairs. */
void rfs_second_look(struct rfs_campaign *c);

#endif
