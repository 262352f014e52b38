/* slot-priv.h - slots: out-of-line copies of instructions, which are executed instead of the originals. */
#ifndef RFS_TRACER_SLOT_PRIV_H
#define RFS_TRACER_SLOT_PRIV_H

#include <stdbool.h>

#include "disasm/addr.h"

struct rfs_insn;
struct rfs_slot;
struct rfs_space;
struct rfs_task;

/* Returns the slot for insn, and makes it if necessary. NULL if there is no place in reach, or if the instruction
 * cannot be copied. */
struct rfs_slot *rfs_slot_get(struct rfs_task *task, const struct rfs_insn *insn);
/* The same in two steps. Only the first one makes a system call in the target, so only it needs a task that can. */
void rfs_slot_reserve(struct rfs_task *task, rfs_addr near);
struct rfs_slot *rfs_slot_get_reserved(struct rfs_space *space, const struct rfs_insn *insn);
rfs_addr rfs_slot_address(const struct rfs_slot *slot);
/* If rip is in a slot, returns true and sets *original to the corresponding address of the program. *before is true if
 * the instruction has not run yet. */
bool rfs_slot_translate(const struct rfs_space *space, rfs_addr rip, rfs_addr *original, bool *before);
/* Whether the address is in memory that we have mapped for slots. */
bool rfs_slots_hold(const struct rfs_space *space, rfs_addr address);
void rfs_slot_release_all(struct rfs_space *space);
/* Gives `to`, a copy of `from`, the same slots. `from` must not change as long as `to` exists. 0 or -ENOMEM. */
int rfs_slots_lend(const struct rfs_space *from, struct rfs_space *to) __attribute__((warn_unused_result));

#endif
