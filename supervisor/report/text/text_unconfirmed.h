/* text_unconfirmed.h - the pairs of a report that are no findings, in words: those with one cause together. */
#ifndef RFS_TEXT_UNCONFIRMED_H
#define RFS_TEXT_UNCONFIRMED_H

#include <stdbool.h>

struct rfs_report;
struct rfs_text;

bool rfs_text_has_unconfirmed_pair(const struct rfs_report *report);
/* Writes these pairs. Of those with the same functions and memory, one is written in full and the others on a line
 * each.
 */
void rfs_text_put_unconfirmed_pairs(struct rfs_text *text, const struct rfs_report *report);

#endif
