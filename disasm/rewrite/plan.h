/*
 * plan.h - which instructions of a module are replaced by jumps to stubs, and what those stubs contain.
 *
 *     before:  48 8b 47 18 | 85 c0 | 74 05        mov 0x18(%rdi),%rax; test %eax,%eax; je …
 *     after:   e9 .. .. .. cc   c0   cc 05        jmp stub
 *
 * A group is a run of instructions that control enters only at the first one, as far as is known: no direct jump of the
 * module goes to a later one. It may leave in the middle, by a branch: for example, the short instruction of a
 * one-statement `if` follows a branch, and the two together have five bytes. What is not known (jump tables, landing
 * pads of exceptions, addresses taken) need not be guessed: every instruction of the group except the first begins with
 * a byte that traps. If this byte is inside the jump, the jump's target is chosen accordingly (Duck, Gao &
 * Roychoudhury, PLDI 2020, call that punning). A thread that gets there traps and continues in the stub, and the
 * address is a leader from then on: the group is planned again.
 *
 * The tactics, best first: one instruction of five bytes or more; several instructions; the same with the control
 * transfer or the padding after them; and a trap if there are no five bytes, an instruction's accesses cannot be
 * determined beforehand, or the function's instructions overlap or have no known end.
 */
#ifndef RFS_PLAN_H
#define RFS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/rewrite/code.h"
#include "disasm/rewrite/stub.h"

#define RFS_JUMP_LENGTH 5
#define RFS_PLAN_STARTS (RFS_STUB_INSNS + RFS_JUMP_LENGTH)

struct rfs_plan_group {
	rfs_addr vaddr;
	uint16_t length;	/* bytes of the module that it replaces */
	uint8_t n_insns;	/* instructions in the stub */
	uint8_t n_starts;	/* instructions in the stub and in the padding after them */
	const uint8_t *lengths; /* their lengths in bytes; borrowed from the plan */
	const uint8_t *code;	/* for rfs_stub_place() */
	size_t code_length;
	const struct rfs_fixup *fixups;
	size_t n_fixups;
	uint32_t logged;		  /* bit i: instruction i writes records */
	uint16_t tests_end, stop_at;	  /* as in struct rfs_stub */
	struct rfs_stub_call call;	  /* how one of them is recorded */
	uint32_t first_record, n_records; /* in rfs_plan_records() */
};

/* An operand of an instruction in a stub. */
struct rfs_plan_record {
	const struct rfs_code_site *site; /* borrowed from the code */
	uint16_t size;
	uint8_t flags; /* enum rfs_mem_flags */
	uint8_t kind;  /* enum rfs_operand_kind */
	bool fs;       /* the base of fs must be added */
	bool plain_move;
};

struct rfs_plan;

/* The request for a plan. Addresses are vaddrs, ascending. */
struct rfs_plan_request {
	rfs_addr start, end;	 /* sites outside are not planned; 0, -1: all */
	const rfs_addr *leaders; /* addresses that control may reach in ways that the code does not show */
	size_t n_leaders;
	const rfs_addr *barriers; /* instructions that must stay as they are: breakpoints */
	size_t n_barriers;
	/* How a site with a callee is recorded. False: this one is not recorded. NULL: none is. */
	bool (*call)(const struct rfs_code_site *site, struct rfs_stub_call *out);
};

/*
 * Plans the plain accesses of the module (RFS_CODE_ACCESS, not atomic) and what else the request knows. 0 and *out
 * (free with rfs_plan_free; borrows elf and code), or -errno.
 */
int rfs_plan_make(const struct rfs_elf *elf, struct rfs_decoder *decoder, const struct rfs_code *code,
		  const struct rfs_plan_request *request, struct rfs_plan **out) __attribute__((warn_unused_result));
void rfs_plan_free(struct rfs_plan *plan);

/* All ascending by address, borrowed. Return how many. */
size_t rfs_plan_groups(const struct rfs_plan *plan, const struct rfs_plan_group **out);
size_t rfs_plan_records(const struct rfs_plan *plan, const struct rfs_plan_record **out);
/* Sites that need a trap. */
size_t rfs_plan_traps(const struct rfs_plan *plan, const struct rfs_code_site *const **out);

#endif
