/* module-priv.h - what module.c keeps of a module beside what callers see, for unwind.c. */
#ifndef RFS_TRACER_MODULE_PRIV_H
#define RFS_TRACER_MODULE_PRIV_H

#include "tracer/module.h"

/* The binary search table of .eh_frame_hdr (LSB Core, "Exception Frames"). */
struct rfs_frame_table {
	bool looked;	 /* the rest is valid */
	rfs_addr header; /* 0: the module has none */
	rfs_addr table;
	uint64_t entries;
};

struct rfs_module_entry {
	struct rfs_module module;
	struct rfs_frame_table frames; /* filled by unwind.c */
	bool seen;		       /* in the walk that is going on */
};

#endif
