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

/* What the records of one operand stand for, beside what its stream site of the same number says (stubs.c). */
struct rfs_operand {
	uint8_t kind;  /* enum rfs_operand_kind */
	bool fs;       /* relative to the thread pointer */
	bool writes;   /* perhaps reads as well */
	uint16_t size; /* COUNT: bytes of an element */
};

void rfs_stubs_init(struct rfs_run *run);
/* A new program is about to start: decides what it gets stubs for. */
void rfs_stubs_open(struct rfs_run *run, struct rfs_thread *thread);
/*
 * Gives a watched module its stubs, in functions that skip does not name (NULL: all). Returns which of its sites (by
 * index) they record; NULL: none. Caller frees.
 */
bool *rfs_stubs_add_module(struct rfs_run *run, struct rfs_thread *thread, struct rfs_module *module,
			   bool (*skip)(const struct rfs_module *module, uint64_t vaddr));
/* Gives a C library that is not watched the stubs of its allocators: recorded calls. */
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
/* `to` is a copy of `from` that goes on from main. */
void rfs_stubs_copy(const struct rfs_run *from, struct rfs_run *to);
/* Stubs at mutex functions record calls instead of stopping, as many as the thread was lent (run/stopless_locks.c). */
bool rfs_stubs_lend(const struct rfs_run *run);
/* What records stand for, by their numbers: how many there are. *out: borrowed until a module is added. */
size_t rfs_stubs_operands(const struct rfs_run *run, const struct rfs_operand **out);

#endif
