/* module-priv.h - the list of modules, and the fields of a module that callers do not see. */
#ifndef RFS_TRACER_MODULE_PRIV_H
#define RFS_TRACER_MODULE_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "tracer/module.h"
#include "tracer/modules/frames-priv.h"

struct rfs_module_entry {
	struct rfs_module module;
	struct rfs_frame_table frames; /* filled by frames.c */
	bool lent;		       /* in a copy: frames.made belongs to the original's module (forker.h) */
	bool seen;		       /* loader.c: the loader's list still contains the module */
};

/* The modules of one space, in three arrays of the same size. */
struct rfs_modules {
	struct rfs_module_entry **entries; /* in ascending order of module.number */
	struct rfs_module **shown;	   /* what rfs_modules() returns */
	struct rfs_module_entry **by_start;
	size_t n;
	unsigned next;	      /* the number of the next module */
	rfs_addr debug_entry; /* loader.c: address of the program's DT_DEBUG entry; 0: not searched yet, or none */
	rfs_addr changed;     /* loader.c: address of the interpreter's notification point; 0: none */
	bool left_out;	      /* a loaded file is not in the list, because it cannot be read */
};

/* Makes space->modules if it does not exist. Returns 0 or -ENOMEM. */
int rfs_modules_make(struct rfs_space *space) __attribute__((warn_unused_result));
/* Adds a module and marks it as seen. Copies path and borrows elf. Returns 0 and *out (borrowed until the module is
 * dropped), or -ENOMEM. */
int rfs_modules_add(struct rfs_modules *all, const char *path, struct rfs_elf *elf, uint64_t bias, bool interpreter,
		    struct rfs_module_entry **out) __attribute__((warn_unused_result));
/* Frees entries[i] and moves the entries after it. */
void rfs_modules_drop(struct rfs_modules *all, size_t i);
void rfs_modules_release(struct rfs_space *space);
int rfs_modules_copy(const struct rfs_space *from, struct rfs_space *to) __attribute__((warn_unused_result));
/* Like rfs_module_at(), but returns the entry. */
struct rfs_module_entry *rfs_module_entry_at(const struct rfs_space *space, rfs_addr address);

#endif
