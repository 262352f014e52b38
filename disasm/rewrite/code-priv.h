/*
 * code-priv.h - how sites and targets of a module are collected.
 */
#ifndef RFS_CODE_PRIV_H
#define RFS_CODE_PRIV_H

#include "disasm/rewrite/code.h"

struct rfs_code {
	struct rfs_code_site *sites;
	size_t n, room;
	rfs_addr *targets; /* in order of appearance until rfs_code_settle() */
	size_t n_targets, targets_room;
	size_t unknown;
};

/* 0 or -ENOMEM. */
int rfs_code_add_site(struct rfs_code *code, const struct rfs_code_site *site);
/* The target of insn, if it is a direct jump, branch or call. 0 or -ENOMEM. */
int rfs_code_add_target(struct rfs_code *code, const struct rfs_insn *insn);
/* Call after all targets were added. */
void rfs_code_settle(struct rfs_code *code);

#endif
