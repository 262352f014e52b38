/* stubs.h - the stubs of a run: which sites get them, what their records mean, and when they must be removed. */
#ifndef RFS_STUBS_H
#define RFS_STUBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"

struct rfs_run;
struct rfs_thread;
struct rfs_module;
struct rfs_task;

/* What the records of one operand mean, in addition to the stream site of the same number. */
struct rfs_operand {
	uint8_t kind;  /* enum rfs_operand_kind */
	bool fs;       /* relative to the thread pointer */
	bool writes;   /* it may also read */
	uint16_t size; /* COUNT: bytes of an element */
};

/* Prepares a run without stubs. */
void rfs_stubs_init(struct rfs_run *run);
/* A new program is about to start: decides what gets stubs. */
void rfs_stubs_open(struct rfs_run *run, struct rfs_thread *thread);
/*
 * Adds stubs to a watched module, except in functions for which skip returns true (skip NULL: in all functions).
 * Returns a flag for each site: whether stubs record it. NULL: none. The caller frees the array.
 */
bool *rfs_stubs_add_module(struct rfs_run *run, struct rfs_thread *thread, struct rfs_module *module,
			   bool (*skip)(const struct rfs_module *module, uint64_t vaddr));
/* Adds stubs to the allocators of a C library that is not watched. Their calls are then recorded (recorded_calls.h). */
void rfs_stubs_add_allocators(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module);
/* The same for its mutex functions. Their calls need no stop while the thread may execute them ahead
 * (run/stopless_locks.c). */
void rfs_stubs_add_locks(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module);
/* A task arrived at an instruction inside a patch: plans the patch again. */
void rfs_stubs_learn(struct rfs_run *run, struct rfs_task *task, rfs_addr address);
/* The target is about to write to its code: removes the patches there, so that it finds and changes its own bytes. */
void rfs_stubs_remove_patches(struct rfs_run *run, struct rfs_thread *thread, rfs_addr start, uint64_t size);
/* From now on no operation can be lent. */
void rfs_stubs_stop_lending(struct rfs_run *run, struct rfs_thread *thread);
#define RFS_GS_IN_USE "the program uses the gs register, which the stubs need"
/* Stubs cannot be used any more: the run continues with breakpoints. */
void rfs_stubs_give_up(struct rfs_run *run, struct rfs_thread *thread, const char *why);
/* Frees what the run knows of its stubs. */
void rfs_stubs_release(struct rfs_run *run);
/* `to` is a copy of `from` that continues from main. */
void rfs_stubs_copy(const struct rfs_run *from, struct rfs_run *to);
/* Whether stubs at mutex functions record calls instead of stopping, as many as the thread was lent. */
bool rfs_stubs_lend(const struct rfs_run *run);
/* What records mean, by their number. Returns how many there are. *out is borrowed until a module is added. */
size_t rfs_stubs_operands(const struct rfs_run *run, const struct rfs_operand **out);

#endif
