/* breakpoint_table-priv.h - the table of a space's breakpoints, and the program's bytes under them. */
#ifndef RFS_TRACER_BREAKPOINT_TABLE_PRIV_H
#define RFS_TRACER_BREAKPOINT_TABLE_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "disasm/addr.h"
#include "tracer/breakpoint.h"

struct rfs_insn;
struct rfs_slot;
struct rfs_space;

/* How the instruction under a breakpoint is executed. */
enum rfs_pass {
	RFS_PASS_SKIP,	  /* the instruction does nothing: continue after it */
	RFS_PASS_EMULATE, /* emulate a jump, call or return */
	RFS_PASS_COPY,	  /* run the copy in the slot; becomes RFS_PASS_STEP if no slot can be made in reach */
	RFS_PASS_TRAP,	  /* the target's own int3: the target gets its SIGTRAP */
	RFS_PASS_STEP,	  /* single-step the instruction in place */
};

struct rfs_breakpoint {
	rfs_addr address;
	struct rfs_space *space;
	unsigned uses;	  /* 0 only in a copy: the copy has removed this breakpoint of its original */
	uint8_t original; /* the program's byte under the int3 */
	bool guarded;	  /* there is no int3, because a patch with tests begins here: its stub traps if a test fails */
	bool is_fault;	  /* there is no int3, because its page is closed (closed_code.h) */
	bool looked;	  /* doubtful, pass and insn are valid; set by rfs_breakpoint_look() */
	bool doubtful;	  /* after a SIGTRAP, rip - 1 == address does not prove a hit: a task can get to address + 1
			     without the int3 */
	enum rfs_pass pass;
	bool lent;	       /* in a copy: insn belongs to the breakpoint of the original */
	struct rfs_insn *insn; /* NULL if it cannot be decoded; pass is then STEP */
	struct rfs_slot *slot; /* NULL until it is made, when a task first passes or in rfs_breakpoints_prepare() */
	bool wanted;	       /* in an original: a copy has reached it */
	struct rfs_breakpoint *next_wanted; /* in the list of the space */
	void *data;
	UT_hash_handle hh;
};

#define RFS_TRAP_BYTE 0xcc
/* Adds a breakpoint to the table. The caller must write its int3. Returns 0 and *out, or -ENOMEM. */
int rfs_breakpoint_enter(struct rfs_space *space, rfs_addr address, uint8_t original, struct rfs_breakpoint **out)
	__attribute__((warn_unused_result));
/* Removes the breakpoint from the table and frees it. Does not change the target's memory. */
void rfs_breakpoint_discard(struct rfs_space *space, struct rfs_breakpoint *breakpoint);
/* False if no page of [address, address + n) has a breakpoint. True may also mean that the range is too large to check.
 * */
bool rfs_breakpoint_near(const struct rfs_space *space, rfs_addr address, size_t n);
/* buf was read from address: replaces the int3 of each breakpoint in it by the program's own byte. */
void rfs_breakpoint_hide(const struct rfs_space *space, rfs_addr address, unsigned char *buf, size_t n);
/* buf is about to be written to address: puts the int3 of each breakpoint into it, so that breakpoints stay. */
void rfs_breakpoint_cover(const struct rfs_space *space, rfs_addr address, unsigned char *buf, size_t n);
/* buf was written to address: its bytes are now the program's own bytes under the breakpoints there. */
void rfs_breakpoint_replace(struct rfs_space *space, rfs_addr address, const unsigned char *buf, size_t n);
/* Call it before the patch at address and its tests are removed: a breakpoint there needs its own int3 again. */
void rfs_breakpoint_unguard(struct rfs_space *space, rfs_addr address);
/* The breakpoint at address lies on a patch with tests from now on, so it needs no int3. */
void rfs_breakpoint_guard(struct rfs_space *space, rfs_addr address);
/* Forgets all breakpoints in [start, end). Does not restore bytes, because the memory no longer exists. */
void rfs_breakpoint_drop(struct rfs_space *space, rfs_addr start, rfs_addr end);
void rfs_breakpoints_release(struct rfs_space *space);
/* Restores the program's bytes in `child`, a forked process whose memory has the int3 bytes of `space`. */
void rfs_breakpoint_uncover(const struct rfs_space *space, struct rfs_space *child);
/* Gives `to`, a copy of `from`, the same breakpoints. `from` must not change as long as `to` exists. */
void rfs_breakpoints_lend(const struct rfs_space *from, struct rfs_space *to);

#endif
