/*
 * code-priv.h - how the sites and jump targets of a module are collected.
 */
#ifndef RFS_CODE_PRIV_H
#define RFS_CODE_PRIV_H

#include "disasm/rewrite/code.h"

struct rfs_code {
	struct rfs_code_site *sites;
	size_t n, room;
	rfs_addr *targets; /* ascending and without duplicates only after rfs_code_settle() */
	size_t n_targets, targets_room;
	/* see rfs_code_unknown() */
	size_t unknown;
};

/* Adds a site after those added before. Returns 0 or -ENOMEM. */
int rfs_code_add_site(struct rfs_code *code, const struct rfs_code_site *site);
/* Adds the target of insn, if insn is a direct jump, branch or call. Returns 0 or -ENOMEM. */
int rfs_code_add_target(struct rfs_code *code, const struct rfs_insn *insn);
/* Sorts the targets. Call it after all of them were added. */
void rfs_code_settle(struct rfs_code *code);

#endif
