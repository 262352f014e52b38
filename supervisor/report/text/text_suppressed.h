/* text_suppressed.h - writes what suppressions hid, and which hid nothing. */
#ifndef RFS_TEXT_SUPPRESSED_H
#define RFS_TEXT_SUPPRESSED_H

struct rfs_report;
struct rfs_text;

/* Writes lines of the summary. */
void rfs_text_put_suppressed(struct rfs_text *text, const struct rfs_report *report);
/* Writes the blocks of --gen-suppressions. */
void rfs_text_put_generated(struct rfs_text *text, const struct rfs_report *report);

#endif
