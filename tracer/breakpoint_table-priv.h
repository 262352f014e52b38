/* breakpoint_table-priv.h - the table of breakpoints and the bytes under them. */
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
	RFS_PASS_SKIP,	  /* no effect but the next address */
	RFS_PASS_EMULATE, /* control transfer */
	RFS_PASS_COPY,	  /* out of line; falls back to STEP if no slot is in reach */
	RFS_PASS_TRAP,	  /* int3: the target gets its SIGTRAP */
	RFS_PASS_STEP,	  /* in place */
};

struct rfs_breakpoint {
	rfs_addr address;
	struct rfs_space *space;
	unsigned uses;
	uint8_t original; /* the byte under it */
	bool guarded;	  /* the tests of the patch's stub trap instead; the code has the patch's byte, not int3 */
	bool looked;	  /* the next three are valid; set by rfs_breakpoint_look() */
	bool doubtful;	  /* rip - 1 does not prove a hit: the program may reach address + 1 in another way */
	enum rfs_pass pass;
	bool lent;	       /* insn belongs to the original of this copy (forker.h) */
	struct rfs_insn *insn; /* NULL: it cannot be decoded, and pass is STEP */
	struct rfs_slot *slot; /* NULL until the first pass */
	void *data;
	UT_hash_handle hh;
};

#define RFS_TRAP_BYTE 0xcc
/* Adds a breakpoint; its byte is still to be written. 0 and *out, -ENOMEM. */
int rfs_breakpoint_enter(struct rfs_space *space, rfs_addr address, uint8_t original, struct rfs_breakpoint **out)
	__attribute__((warn_unused_result));
/* Removes the breakpoint from the table; its byte is left as it is. */
void rfs_breakpoint_discard(struct rfs_space *space, struct rfs_breakpoint *breakpoint);
/* True if a page of [address, address + n) has breakpoints. */
bool rfs_breakpoint_near(const struct rfs_space *space, rfs_addr address, size_t n);
/* buf was read from address: replaces the breakpoints in it by the program's own bytes. */
void rfs_breakpoint_hide(const struct rfs_space *space, rfs_addr address, unsigned char *buf, size_t n);
/* buf is about to be written to address: puts the breakpoints into it. */
void rfs_breakpoint_cover(const struct rfs_space *space, rfs_addr address, unsigned char *buf, size_t n);
/* buf was written to address: from now on, the breakpoints hide its bytes. */
void rfs_breakpoint_replace(struct rfs_space *space, rfs_addr address, const unsigned char *buf, size_t n);
/* The patch at address is about to be removed, with its tests: the breakpoint there needs its own int3 again. */
void rfs_breakpoint_unguard(struct rfs_space *space, rfs_addr address);
/* Forgets all of [start, end) without writing a byte: the memory is gone. */
void rfs_breakpoint_drop(struct rfs_space *space, rfs_addr start, rfs_addr end);
void rfs_breakpoints_release(struct rfs_space *space);
/* Removes all breakpoints of space from child, a copy of its memory. */
void rfs_breakpoint_uncover(const struct rfs_space *space, struct rfs_space *child);
/* Call after the slots were copied. 0, -ENOMEM. */
int rfs_breakpoints_copy(const struct rfs_space *from, struct rfs_space *to) __attribute__((warn_unused_result));

#endif
