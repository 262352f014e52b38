/*
 * module.h - which ELF files are mapped at which addresses: the program, its interpreter, and all files that the loader
 * maps.
 */
#ifndef RFS_MODULE_H
#define RFS_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"
#include "disasm/elf/elf.h"

struct rfs_task;
struct rfs_space;

struct rfs_module {
	char *path;	     /* absolute; the program's comes from /proc/PID/exe, others from the loader */
	uint64_t bias;	     /* run-time address = vaddr + bias */
	rfs_addr start, end; /* run-time range of its segments */
	struct rfs_elf *elf; /* borrowed from a cache that lives as long as the process */
	unsigned number;     /* the program has 0, others follow in order of appearance; never used twice */
	bool is_interpreter;
	void *data; /* for the caller's use, NULL at first */
};

/* The module that holds a run-time address, or NULL. Borrowed. */
struct rfs_module *rfs_module_at(const struct rfs_space *space, rfs_addr address);
/* All modules, ascending by number. Borrowed until the next rfs_modules_update(). Returns how many. */
size_t rfs_modules(const struct rfs_space *space, struct rfs_module *const **out);
/* True if a loaded file is not in the list, because it cannot be read. */
bool rfs_modules_left_out(const struct rfs_space *space);

#endif
