/* module-priv.h - what module.c keeps of a module beside what callers see. */
#ifndef RFS_TRACER_MODULE_PRIV_H
#define RFS_TRACER_MODULE_PRIV_H

#include <stdbool.h>

#include "disasm/addr.h"
#include "tracer/frames-priv.h"
#include "tracer/module.h"

struct rfs_module_entry {
	struct rfs_module module;
	struct rfs_frame_table frames; /* filled by frames.c */
	bool lent;		       /* frames.made belongs to the original's module (forker.h) */
	bool seen;		       /* in the walk that is going on */
};

void rfs_modules_release(struct rfs_space *space);
int rfs_modules_copy(const struct rfs_space *from, struct rfs_space *to) __attribute__((warn_unused_result));
/* As rfs_module_at(), for unwind.c. */
struct rfs_module_entry *rfs_module_entry_at(const struct rfs_space *space, rfs_addr address);

#endif
