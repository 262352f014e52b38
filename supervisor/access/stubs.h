#ifndef RFS_STUBS_H
#define RFS_STUBS_H

#include <stdbool.h>
#include <stdint.h>

#include "disasm/addr.h"

struct rfs_run;
struct rfs_thread;
struct rfs_module;
struct rfs_task;

/* What the records of one operand stand for, beside what its stream site of the same number says (stubs.c). */
struct rfs_operand {
	uint8_t kind;  /* enum rfs_operand_kind */
	bool fs;       /* relative to the thread pointer */
	bool writes;   /* perhaps reads as well */
	uint16_t size; /* COUNT: bytes of an element */
};

/* A new program is about to start: decides what it gets stubs for. */
void rfs_stubs_open(struct rfs_run *run, struct rfs_thread *thread);
/*
 * Gives a watched module its stubs, in functions that skip does not name (NULL: all). Returns which of its sites (by
 * index) they record; NULL: none. Caller frees.
 */
bool *rfs_stubs_add_module(struct rfs_run *run, struct rfs_thread *thread, struct rfs_module *module,
			   bool (*skip)(const struct rfs_module *module, uint64_t vaddr));
/* Gives a C library that is not watched the stubs of its allocators: run->recorded. */
void rfs_stubs_add_allocators(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module);
/* The same for its mutex functions: what they record is lent (stopless_locks.c). */
void rfs_stubs_add_locks(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module);
/* A task got to an instruction inside a patch: plans it again. */
void rfs_stubs_learn(struct rfs_run *run, struct rfs_task *task, rfs_addr address);
/* The target is about to write there: what it finds, and changes, is its own code. */
void rfs_stubs_remove_patches(struct rfs_run *run, struct rfs_thread *thread, rfs_addr start, uint64_t size);
/* No operation can be lent any more. */
void rfs_stubs_stop_lending(struct rfs_run *run, struct rfs_thread *thread);
#define RFS_GS_IN_USE "the program uses the gs register, which the stubs need"
/* There can be no stubs any more: goes on with breakpoints. */
void rfs_stubs_give_up(struct rfs_run *run, struct rfs_thread *thread, const char *why);
void rfs_stubs_release(struct rfs_run *run);

#endif
