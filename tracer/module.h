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
	char *path;	     /* absolute: the program's as /proc/PID/exe has it, others as the loader names them */
	uint64_t bias;	     /* run-time address = vaddr + bias */
	rfs_addr start, end; /* run-time range of its segments */
	struct rfs_elf *elf; /* borrowed from a cache that lives as long as the process */
	unsigned number;     /* 0: the program; then in order of appearance, never used twice */
	bool is_interpreter;
	void *data; /* the caller's own mark, NULL at first */
};

/*
 * Updates the list of mapped files. Call at RFS_STOP_EXEC (gives the program and the interpreter, and sets a breakpoint
 * in the interpreter, where it notifies debuggers of changes), and at each RFS_STOP_BREAKPOINT for which
 * rfs_modules_changed_here() holds. Calls added for each new module, and gone for each that dlclose() took away (its
 * breakpoints are dropped already). 0, -errno.
 */
int rfs_modules_update(struct rfs_task *task, void (*added)(void *arg, struct rfs_module *module),
		       void (*gone)(void *arg, struct rfs_module *module), void *arg)
	__attribute__((warn_unused_result));
/* True if address is the interpreter's notification point. Resume after the update. */
bool rfs_modules_changed_here(const struct rfs_space *space, rfs_addr address);
/* The module that holds a run-time address, or NULL. Borrowed. */
struct rfs_module *rfs_module_at(const struct rfs_space *space, rfs_addr address);
/* All of them, ascending by number. Borrowed until the next update. Returns how many. */
size_t rfs_modules(const struct rfs_space *space, struct rfs_module *const **out);
/* True if a loaded file is missing in the list, because it cannot be read. */
bool rfs_modules_left_out(const struct rfs_space *space);

/* The process-wide cache of read ELF files, by path, device, inode and time: the same struct each time. -errno and why
 * as rfs_elf_open(). */
int rfs_elf_cache_get(const char *path, struct rfs_elf **out, char *why, size_t n) __attribute__((warn_unused_result));

#endif
