/* space_code-priv.h - what the files of this folder keep of a space: which of its code bytes are ours. */
#ifndef RFS_TRACER_SPACE_CODE_PRIV_H
#define RFS_TRACER_SPACE_CODE_PRIV_H

#include <stddef.h>

struct rfs_breakpoint;
struct rfs_closed_page;
struct rfs_code_page;
struct rfs_patches;

struct rfs_space_code {
	struct rfs_breakpoint *breakpoints; /* breakpoint_table.c: hash by address */
	struct rfs_breakpoint *wanted; /* breakpoint.c: list of those that rfs_breakpoints_prepare() will prepare */
	struct rfs_code_page *pages;   /* breakpoint_table.c: hash by number of the page */
	/*
	 * In a copy: the tables of its original (forker.h), for what the copy's own tables do not have. A program may
	 * have 50,000 breakpoints, of which a run meets a few dozen. So a breakpoint is copied when it is first needed.
	 */
	struct rfs_breakpoint *lent_breakpoints;
	struct rfs_code_page *lent_pages;
	struct rfs_patches *patches;	/* patch.c */
	struct rfs_closed_page *closed; /* closed_code.c: hash by number of the page */
	size_t n_opened;		/* closed_code.c: pages that could not stay closed */
};

#endif
