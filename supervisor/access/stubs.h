/* stubs.h - the stubs of a run: which sites get stubs, what their stub records mean, and when stubs must be removed. */
#ifndef RFS_STUBS_H
#define RFS_STUBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"

struct rfs_run;
struct rfs_thread;
struct rfs_module;
struct rfs_module_info;
struct rfs_task;

/*
 * What a stub record with a certain number means. The number belongs to one operand of one instruction. The stream site
 * with this number (struct rfs_stream_site) says the rest.
 */
struct rfs_operand {
	uint8_t kind;  /* enum rfs_operand_kind */
	bool fs;       /* the recorded address is relative to the base of fs */
	bool writes;   /* the operand is written, and perhaps also read */
	uint16_t size; /* bytes of the access; RFS_OPERAND_COUNT: of one element */
};

/* Initialises run->stubs. Call rfs_stubs_open() before stubs are added. */
void rfs_stubs_init(struct rfs_run *run);
/* Call when the target has executed a program: maps the stub buffer, and decides what this run uses stubs for. */
void rfs_stubs_open(struct rfs_run *run, struct rfs_thread *thread);
/*
 * Adds stubs to a watched module. skip: returns true for a function that must get no stubs; skip may be NULL. Returns
 * an array that says for each site of the module whether a stub records it; the caller frees the array. Returns NULL if
 * the module gets no stubs.
 */
bool *rfs_stubs_add_module(struct rfs_run *run, struct rfs_thread *thread, struct rfs_module *module,
			   bool (*skip)(const struct rfs_module *module, uint64_t vaddr));
/* Whether the part of the module that this run watches contains this address of the ELF file. */
bool rfs_stubs_is_in_part(const struct rfs_run *run, const struct rfs_module_info *info, uint64_t vaddr);
/*
 * Adds stubs to the allocators of a C library that is not watched, and adds these functions to the list of
 * recorded_calls.h.
 */
void rfs_stubs_add_allocators(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module);
/*
 * Adds stubs to the mutex functions of a C library that is not watched. The calls that were lent to a thread then do
 * not stop (run/stops/stopless_locks.c).
 */
void rfs_stubs_add_locks(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module);
/*
 * Lets a stub decide whether an execution of the instruction at address stops (hot_statements.h), by counter `counter`.
 * There is a breakpoint at the address. False: the breakpoint stays as it is.
 */
bool rfs_stubs_add_hot(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, unsigned counter);
/*
 * The same for a debugger: any instruction, by a counter of RFS_STUB_COUNT. False also if the run needs each stop at
 * the address.
 */
bool rfs_stubs_add_count(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, unsigned counter);
/*
 * A task jumped to an instruction inside a patch. Removes the patch and plans its instructions again, with that
 * instruction as the start of a group.
 */
void rfs_stubs_learn(struct rfs_run *run, struct rfs_task *task, rfs_addr address);
/*
 * The target is about to write to its code in this range: removes the patches there. Then the target reads and changes
 * its own bytes, not those of the patches.
 */
void rfs_stubs_remove_patches(struct rfs_run *run, struct rfs_thread *thread, rfs_addr start, uint64_t size);
/* From now on no operations are lent to threads, so mutex calls stop again. */
void rfs_stubs_stop_lending(struct rfs_run *run, struct rfs_thread *thread);
#define RFS_GS_IN_USE "the program uses the gs register, which the stubs need"
/* Stubs cannot be used any more, for the reason `why`: breakpoints replace them. */
void rfs_stubs_give_up(struct rfs_run *run, struct rfs_thread *thread, const char *why);
/*
 * The thread is about to run. If the detector works in two passes, stubs then drop what the pass need not see, until
 * the thread's next stop (disasm/rewrite/stub_control.h).
 */
void rfs_stubs_filter(const struct rfs_run *run, struct rfs_thread *thread);
/*
 * Call it before the target is gone. Notes in the result whether the target has overwritten what decides which accesses
 * are recorded, or which executions of hot statements stop.
 */
void rfs_stubs_check_table(struct rfs_run *run, const struct rfs_task *task);
/* Frees run->stubs. */
void rfs_stubs_release(struct rfs_run *run);
/* For a copy of the fork server: `to` continues from main with the stubs of `from`. */
void rfs_stubs_copy(const struct rfs_run *from, struct rfs_run *to);
/*
 * Whether operations can be lent to threads. If so, stubs at the mutex functions record as many calls as were lent, and
 * these calls do not stop.
 */
bool rfs_stubs_lend(const struct rfs_run *run);
/*
 * Sets *out to an array that says what stub records mean; the index is the number in a stub record. Returns the length
 * of the array. The array is borrowed until the next module is added.
 */
size_t rfs_stubs_operands(const struct rfs_run *run, const struct rfs_operand **out);

#endif
