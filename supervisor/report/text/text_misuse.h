/* text_misuse.h - writes wrong uses of the thread library, as lines of the summary. */
#ifndef RFS_TEXT_MISUSE_H
#define RFS_TEXT_MISUSE_H

struct rfs_report;
struct rfs_text;

void rfs_text_put_misuses(struct rfs_text *text, const struct rfs_report *report);

#endif
