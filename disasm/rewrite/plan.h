/*
 * plan.h - which instructions of a module are replaced by jumps to stubs, and what those stubs contain.
 *
 *     before:  48 8b 47 18 | 85 c0 | 74 05        mov 0x18(%rdi),%rax; test %eax,%eax; je …
 *     after:   e9 .. .. .. cc   c0   cc 05        jmp stub
 *
 * A group is a sequence of instructions that control enters only at the first one, as far as is known: no direct jump
 * of the module goes to a later one. Control may leave the group in the middle, by a branch. For example, the
 * instruction of a short `if` follows a branch, and only together do the two have five bytes.
 *
 * Other jumps into a group are unknown: through jump tables, to landing pads of exceptions, and to addresses in data.
 * They need not be guessed, because every instruction of the group except the first begins with a byte that traps. If
 * this byte is inside the jump, the stub is placed so that the jump's distance contains a trapping byte there. Duck,
 * Gao & Roychoudhury (PLDI 2020) call that punning. A thread that gets there traps and continues in the stub. From then
 * on the address is a leader: the group is planned again, so that it ends before this address.
 *
 * A group is the first of these that has five bytes:
 *
 *   - the site's instruction alone;
 *   - several instructions, with one or more sites;
 *   - the same, and the control transfer or the padding after them;
 *   - instructions with two to four bytes, if there is a ledge: padding elsewhere in the function, but in reach of a
 *     short jump. The padding begins with a byte that traps, and the jump to the stub follows:
 *
 *     before:  44 88 10               mov %r10b,(%rax)      0f 1f 84 00 .. .. .. ..    nopl 0(%rax,%rax)
 *     after:   eb .. 10               jmp ledge             cc e9 .. .. .. .. 00 00    ledge: jmp stub
 *
 * A site gets a trap instead of a stub in three cases: there are no five bytes and no ledge, its accesses cannot be
 * determined before it runs, or the instructions of its function overlap or have no known end.
 */
#ifndef RFS_PLAN_H
#define RFS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/rewrite/code.h"
#include "disasm/rewrite/stub.h"

#define RFS_JUMP_LENGTH 5
#define RFS_SHORT_JUMP_LENGTH 2
/* A ledge is one padding instruction that is at least this long: a byte that traps, and the jump. */
#define RFS_LEDGE_LENGTH (1 + RFS_JUMP_LENGTH)
/* Each byte of a ledge is less than this far from the beginning of its group. */
#define RFS_LEDGE_REACH 140
#define RFS_PLAN_STARTS (RFS_STUB_INSNS + RFS_JUMP_LENGTH)

struct rfs_plan_group {
	rfs_addr vaddr;
	uint16_t length;	/* bytes of the module that the group replaces */
	int16_t ledge;		/* the distance of its first byte from vaddr; 0: the group has room for the jump */
	uint8_t n_insns;	/* instructions in the stub */
	uint8_t n_starts;	/* instructions in the stub, and in the padding after them that the jump covers */
	const uint8_t *lengths; /* the length of each of them, in bytes; borrowed from the plan */
	const uint8_t *code;	/* for rfs_stub_place() */
	size_t code_length;
	const struct rfs_fixup *fixups;
	size_t n_fixups;
	uint32_t logged;		  /* bit i: instruction i writes records */
	uint16_t tests_end, stop_at;	  /* as in struct rfs_stub */
	uint8_t filter;			  /* enum rfs_stub_filter */
	struct rfs_stub_call call;	  /* how the instruction with a callee is recorded, if the group has one */
	uint32_t first_record, n_records; /* the group's part of rfs_plan_records() */
};

/* What one stub record means: an operand of an instruction in a stub. */
struct rfs_plan_record {
	const struct rfs_code_site *site; /* borrowed from the code */
	uint16_t size;
	uint8_t flags; /* enum rfs_mem_flags */
	uint8_t kind;  /* enum rfs_operand_kind */
	bool fs;       /* the base of fs must be added to the recorded address */
	bool plain_move;
};

struct rfs_plan;

/* A request for a plan. Addresses are vaddrs in ascending order. */
struct rfs_plan_request {
	rfs_addr start, end; /* only sites in [start, end) are planned; 0, -1: all sites */
	/* If not NULL, only sites for which this is true are planned. arg is its argument. */
	bool (*in_part)(const void *arg, rfs_addr vaddr);
	const void *arg;
	const rfs_addr *leaders; /* addresses that control may reach in ways that the code does not show */
	size_t n_leaders;
	const rfs_addr *barriers; /* instructions that must stay as they are, because they have breakpoints */
	size_t n_barriers;
	/* Ledges are used. No other plan of the module that is in use at the same time may have this. */
	bool ledges;
	/* Sets *out to how a site with a callee is recorded. False: this site is not recorded. NULL: no such site is.
	 * */
	bool (*call)(const struct rfs_code_site *site, struct rfs_stub_call *out);
	/*
	 * Of the stubs. With each filter, the plan has the same groups and records. From RFS_STUB_PASS on, the plan has
	 * at most one group: it begins at `start`, and its stub records nothing. With RFS_STUB_COUNT, any instruction
	 * can be there.
	 */
	enum rfs_stub_filter filter;
};

/*
 * Plans the sites of plain accesses (kind RFS_CODE_ACCESS, not atomic), and the sites that request->call accepts.
 * Returns 0 and *out (free with rfs_plan_free(); borrows elf and code), or -errno.
 */
int rfs_plan_make(const struct rfs_elf *elf, struct rfs_decoder *decoder, const struct rfs_code *code,
		  const struct rfs_plan_request *request, struct rfs_plan **out) __attribute__((warn_unused_result));
void rfs_plan_free(struct rfs_plan *plan);

/* These functions set *out to a list, which is borrowed and ascending by address, and return its length. */
size_t rfs_plan_groups(const struct rfs_plan *plan, const struct rfs_plan_group **out);
size_t rfs_plan_records(const struct rfs_plan *plan, const struct rfs_plan_record **out);
/* The sites that need a trap. */
size_t rfs_plan_traps(const struct rfs_plan *plan, const struct rfs_code_site *const **out);

#endif
