/* text_proof.h - writes what --prove has covered, as lines of the summary. */
#ifndef RFS_TEXT_PROOF_H
#define RFS_TEXT_PROOF_H

struct rfs_report;
struct rfs_text;

void rfs_text_put_proof(struct rfs_text *text, const struct rfs_report *report);

#endif
