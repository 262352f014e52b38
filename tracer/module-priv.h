/* module-priv.h - what module.c keeps of a module beside what callers see, for unwind.c. */
#ifndef RFS_TRACER_MODULE_PRIV_H
#define RFS_TRACER_MODULE_PRIV_H

#include "tracer/module.h"

/* An entry of the binary search table of .eh_frame_hdr: both relative to rfs_frame_table.base. */
struct rfs_frame_entry {
	int32_t start, fde;
};

/*
 * The places of a module's unwind tables (LSB Core, "Exception Frames"). Most files have a search table in
 * .eh_frame_hdr; static programs often have only .eh_frame, and get a table made here.
 */
struct rfs_frame_table {
	bool looked;	/* the rest is valid */
	rfs_addr base;	/* address of .eh_frame_hdr, or of the module; 0: no tables at all */
	rfs_addr table; /* its address in the target; 0: it is `made` */
	uint64_t entries;
	struct rfs_frame_entry *made; /* NULL if the target has one */
};

struct rfs_module_entry {
	struct rfs_module module;
	struct rfs_frame_table frames; /* filled by frames.c */
	bool lent;		       /* frames.made belongs to the original's module (forker.h) */
	bool seen;		       /* in the walk that is going on */
};

/* frames.c: fills module's frames, once. read gives the target's memory (0 or -errno). */
void rfs_frames_find(struct rfs_module_entry *entry, int (*read)(void *arg, rfs_addr address, void *buf, size_t n),
		     void *arg);

#endif
