/* module-priv.h - the list of modules, and what is kept of one beside what callers see. */
#ifndef RFS_TRACER_MODULE_PRIV_H
#define RFS_TRACER_MODULE_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "tracer/frames-priv.h"
#include "tracer/module.h"

struct rfs_module_entry {
	struct rfs_module module;
	struct rfs_frame_table frames; /* filled by frames.c */
	bool lent;		       /* frames.made belongs to the original's module (forker.h) */
	bool seen;		       /* in the walk that is going on */
};

/* The modules of one space, in three arrays of the same size. */
struct rfs_modules {
	struct rfs_module_entry **entries; /* ascending by number */
	struct rfs_module **shown;	   /* as rfs_modules() gives them */
	struct rfs_module_entry **by_start;
	size_t n;
	unsigned next;	      /* module number */
	rfs_addr debug_entry; /* loader.c: the program's DT_DEBUG; 0: not looked for, or none */
	rfs_addr changed;     /* loader.c: the interpreter's notification point; 0: none */
	bool left_out;	      /* something that was loaded cannot be read */
};

/* Makes space->modules, unless that was done. 0, -ENOMEM. */
int rfs_modules_make(struct rfs_space *space) __attribute__((warn_unused_result));
/* One more, as seen; path is copied, elf borrowed. 0 and *out (borrowed until it is dropped), -ENOMEM. */
int rfs_modules_add(struct rfs_modules *all, const char *path, struct rfs_elf *elf, uint64_t bias, bool interpreter,
		    struct rfs_module_entry **out) __attribute__((warn_unused_result));
/* entries[i] is forgotten, and those behind it move up. */
void rfs_modules_drop(struct rfs_modules *all, size_t i);
void rfs_modules_release(struct rfs_space *space);
int rfs_modules_copy(const struct rfs_space *from, struct rfs_space *to) __attribute__((warn_unused_result));
/* As rfs_module_at(). */
struct rfs_module_entry *rfs_module_entry_at(const struct rfs_space *space, rfs_addr address);

#endif
