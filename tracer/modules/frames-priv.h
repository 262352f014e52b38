/* frames-priv.h - the unwind tables of a module. */
#ifndef RFS_TRACER_FRAMES_PRIV_H
#define RFS_TRACER_FRAMES_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"

struct rfs_module_entry;

/* An entry of the binary search table of .eh_frame_hdr: where a function starts and where its FDE is. Both are relative
 * to rfs_frame_table.base. */
struct rfs_frame_entry {
	int32_t start, fde;
};

/*
 * Where a module's unwind tables are (LSB Core, "Exception Frames"). Most files have a search table in .eh_frame_hdr.
 * Static programs often have only .eh_frame; frames.c makes a search table for them.
 */
struct rfs_frame_table {
	bool looked;	/* the other fields are valid */
	rfs_addr base;	/* address of .eh_frame_hdr, or of the module if `made` is used; 0: no tables */
	rfs_addr table; /* address of the search table in the target; 0: see `made` */
	uint64_t entries;
	struct rfs_frame_entry *made; /* the search table that frames.c made; NULL if the target has one */
};

/* Finds the module's unwind tables. Does nothing if this was done before. `read` reads the target's memory and returns
 * 0 or -errno. */
void rfs_frames_find(struct rfs_module_entry *entry, int (*read)(void *arg, rfs_addr address, void *buf, size_t n),
		     void *arg);

#endif
