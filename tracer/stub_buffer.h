/*
 * stub_buffer.h - the memory to which stubs (patch.h) write their records.
 *
 * All threads of the target write to one buffer. This works because only one of them runs at a time, and its records
 * are taken at its next stop. Each task has its own control block, to which its gs points. A child process that shares
 * the target's memory has a control block too. Copies of a stopped program (forker.h) share one buffer, because only
 * one copy lives at a time.
 */
#ifndef RFS_TRACER_STUB_BUFFER_H
#define RFS_TRACER_STUB_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "disasm/rewrite/stub_control.h"

struct rfs_space;
struct rfs_task;
struct rfs_stub_record;

/* How many records a task can write between two of its stops. */
#define RFS_RECORDS_ROOM 16384
/* How many accesses the filter can drop between two stops of a task. */
#define RFS_DROPS_ROOM 131072

/*
 * Maps the buffer. `task` must be the only one of its space and must not be in a system call. Returns 0; -EEXIST if the
 * target uses gs; -ESRCH; -ENOMEM, also if the target's address space is limited; or another -errno if the target
 * cannot map the memory.
 */
int rfs_stub_buffer_open(struct rfs_task *task) __attribute__((warn_unused_result));
/* Sets *out to the records that a stopped task has written since the last call, oldest first. Returns how many, at most
 * RFS_RECORDS_ROOM. They are borrowed until any task of the space is resumed. */
size_t rfs_stub_buffer_take(struct rfs_task *task, const struct rfs_stub_record **out);
/*
 * Sets how many calls with tests (struct rfs_stub_call) the task may make without a stop, until its next stop. Without
 * this call, each of them stops.
 */
void rfs_stub_buffer_lend(struct rfs_task *task, const struct rfs_stub_lent *lent);

/*
 * The filter of stubs (disasm/rewrite/stub_control.h). After rfs_stub_buffer_open(), this function says with which
 * filter stubs are built; the table is empty. False: there is no memory for the table.
 */
bool rfs_stub_buffer_filter_open(struct rfs_space *space, enum rfs_stub_filter filter);
/* RFS_FILTER_PLACES: accesses to this memory are recorded from now on. */
void rfs_stub_buffer_filter_place(struct rfs_space *space, rfs_addr address, uint64_t size);
/*
 * The filter may drop accesses of the task until its next stop. Without this call, all accesses are recorded. Only one
 * task of a space may have the filter at a time. same_segment: the task that had it last continues its segment;
 * otherwise a new one begins.
 */
void rfs_stub_buffer_filter(struct rfs_task *task, bool same_segment);

/*
 * Whether the target has written to the table. Zeroes in the table of RFS_FILTER_REPEATS are not noticed: with them,
 * the filter drops less. With a filter that is overwritten, accesses may be missing.
 */
bool rfs_stub_buffer_overwritten(const struct rfs_space *space);

#define RFS_PLACES_MOST 32 /* most places of rfs_stub_buffer_places() */

/* A range of memory. */
struct rfs_place_range {
	rfs_addr address;
	uint64_t size;
};

/*
 * For stubs that let executions pass (RFS_STUB_PASS). This says that there is a table and no filter, so that such stubs
 * can be used.
 */
bool rfs_stub_buffer_can_pass(const struct rfs_space *space);
/* Executions stop at these places only, instead of those of the last call. */
void rfs_stub_buffer_places(struct rfs_space *space, const struct rfs_place_range *list, size_t n);
/*
 * So many executions that use the counter need not stop until the task's next stop. Without this call, each of them
 * stops. stops: they stop at the places of rfs_stub_buffer_places(). False: the task has no control block.
 */
bool rfs_stub_buffer_pass(struct rfs_task *task, unsigned counter, uint64_t left, bool stops);
/* How many of them were left at the last call of rfs_stub_buffer_take(). */
uint64_t rfs_stub_buffer_passes(const struct rfs_task *task, unsigned counter);

/* What the filter has dropped. */
struct rfs_stub_dropped {
	uint64_t n;   /* accesses; a read-modify-write counts as two */
	uint64_t sum; /* of their addresses; a read-modify-write has one address */
};
/* What the filter has dropped since the last call of this function, up to the last call of rfs_stub_buffer_take(). */
struct rfs_stub_dropped rfs_stub_buffer_dropped(struct rfs_task *task);

/*
 * Another task is about to write to the buffer, although this one may continue to run at any moment. Its first record
 * then stops it, as if the buffer were full. The caller has just taken its records.
 */
void rfs_stub_buffer_close(struct rfs_task *task);
/*
 * Call it at RFS_STOP_RECORDS. The fault at the end of the buffer was a SIGSEGV. If the thread blocks or ignores that
 * signal, the kernel has reset its action (force_sig), and this function sets the action again. action is in the layout
 * of rt_sigaction: handler, flags, restorer, mask. Returns 0, -ESRCH or -EIO.
 */
int rfs_stub_buffer_repair(struct rfs_task *task, const uint64_t action[4]) __attribute__((warn_unused_result));
/* Whether address is in the memory that the target shares with us: control blocks, buffer or table. */
bool rfs_stub_buffer_hold(const struct rfs_space *space, rfs_addr address);
/* True after rfs_patches_give_up(). The tracer itself calls that function if there are more tasks than control blocks.
 * */
bool rfs_stub_buffer_given_up(const struct rfs_space *space);

#endif
