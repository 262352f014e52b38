/* text_cycle.h - writes the predicted deadlocks that no run created, inversions by one thread, and their numbers. */
#ifndef RFS_TEXT_CYCLE_H
#define RFS_TEXT_CYCLE_H

struct rfs_report;
struct rfs_text;

void rfs_text_put_cycles(struct rfs_text *text, const struct rfs_report *report);
void rfs_text_put_cycle_counts(struct rfs_text *text, const struct rfs_report *report);

#endif
