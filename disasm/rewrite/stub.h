/*
 * stub.h - a group of instructions that runs elsewhere and records its accesses.
 *
 * A stub runs copies of consecutive instructions, writes a record for each of their memory operands to a buffer right
 * before the instruction, and continues after the group, or at the target of a branch of the group. What it adds
 * changes neither flags nor stack:
 *
 *     mov %r11,%gs:0          the two scratch registers are saved: no instruction of the segment names them
 *     mov %r10,%gs:8
 *     mov %gs:16,%r11         where the next record goes
 *     lea 24(%rbx),%r10       the operand's address
 *     mov %r10,(%r11)
 *     movq $number,8(%r11)
 *     mov 24(%rbx),%rax       the copy
 *     …                       more of them
 *     lea 16(%r11),%r11
 *     mov %r11,%gs:16
 *     mov %gs:8,%r10
 *     mov %gs:0,%r11
 *     jmp behind the group
 *
 * An instruction that works on a range (a repeated string, a call whose callee does) is recorded by the registers with
 * its start and length; at the beginning or return of a function, by arguments and result.
 *
 * At the beginning of a function, tests may decide whether the call is recorded or stops, as at a breakpoint:
 *
 *     …                       scratch registers are saved
 *     cmpl $0,%gs:24          so many more calls of this kind may be recorded
 *     jle stop
 *     mov 16(%rdi),%r10d      a word that an argument points to, and what it has to be
 *     and $mask,%r10d
 *     cmp $value,%r10d        or: cmp %gs:32,%r10d
 *     jne stop
 *     mov %rdi,%r10           or an argument itself
 *     xor %gs:40,%r10
 *     and %gs:48,%r10
 *     jne stop
 *     decl %gs:24
 *     …                       records, copies, jump
 *   stop:
 *     mov %gs:8,%r10
 *     mov %gs:0,%r11
 *     int3
 *     …                       copies, jump: from here a call that stopped continues
 *
 * %gs:0 is a control block for each thread (the x86-64 ABI leaves gs unused), so nothing depends on the stack: a red
 * zone, a small stack or a stack pointer used for something else are harmless. A read-only page ends the buffer: the
 * fault there is the only check for room.
 *
 * For any position of a thread in a stub, rfs_stub_leave() gives the state that it would have without the stub, at an
 * instruction of the program, and rfs_stub_enter() brings it back in.
 */
#ifndef RFS_STUB_H
#define RFS_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

#include "disasm/insn/insn.h"

#define RFS_STUB_INSNS 24   /* of one group */
#define RFS_STUB_RECORDS 14 /* that one group writes */
#define RFS_STUB_CODE 2048  /* bytes of the longest stub */
#define RFS_STUB_MARKS 320
#define RFS_STUB_FIXUPS 64
#define RFS_STUB_TESTS 5
#define RFS_STUB_LENT 2 /* kinds of calls that are lent */

/* The record that a stub writes for one operand. */
struct rfs_stub_record {
	rfs_addr address; /* without the base of fs; COUNT: the number */
	uint64_t number;  /* identifies operand and instruction; rfs_stub_place() sets the first number */
};

enum rfs_operand_kind {
	RFS_OPERAND_MEMORY, /* as large as the instruction says */
	RFS_OPERAND_COUNT,  /* not memory: how many elements, of this size, each of the instruction's ranges has */
	RFS_OPERAND_RANGE,  /* begins there */
	RFS_OPERAND_BLOCK,  /* a block of the heap; the heap's data have its size */
	/* no accesses: values at the entry and the returns of functions that allocate and free */
	RFS_OPERAND_FRAME,     /* the place of the return address */
	RFS_OPERAND_CALLER,    /* what the register points to: the return address */
	RFS_OPERAND_TIMES,     /* the number of elements requested */
	RFS_OPERAND_REQUESTED, /* bytes */
	RFS_OPERAND_ALLOCATED, /* the block */
	RFS_OPERAND_FREED,     /* the block */
	RFS_OPERAND_LOCKED,    /* the mutex: held from now on */
	RFS_OPERAND_UNLOCKED,  /* the mutex */
};

/* A condition for recording a call. */
enum rfs_stub_test_kind {
	RFS_TEST_WORD, /* the 32 bits at offset(%reg), masked, equal this value */
	RFS_TEST_SELF, /* the same with the thread's own number as value */
	RFS_TEST_ONLY, /* the register must be the lent object, if there is only one */
};
struct rfs_stub_test {
	uint8_t kind;  /* enum rfs_stub_test_kind */
	int8_t reg;    /* enum rfs_reg; none of r8 to r15, and not rsp */
	int8_t offset; /* bytes */
	uint32_t mask, value;
};

/* The calls that a thread may make without stopping. */
struct rfs_stub_lent {
	int32_t calls[RFS_STUB_LENT]; /* the number of calls of each kind */
	uint32_t self, unused;	      /* the thread's number, for tests */
	uint64_t only, mask;	      /* RFS_TEST_ONLY: the object; mask 0: any object; otherwise all bits */
};

/* What one record of an instruction shows: the address of mem. */
struct rfs_stub_operand {
	uint8_t kind; /* enum rfs_operand_kind */
	struct rfs_mem mem;
};
#define RFS_STUB_OPERANDS 4 /* of one instruction */

/*
 * How to record an instruction that represents more than its own operands, such as a call whose callee works on ranges:
 * n registers. n 0: it is recorded like any other instruction. With tests, it must be the first one of its group and of
 * a function, because flags are changed.
 */
struct rfs_stub_call {
	uint8_t n, insn; /* insn: its index in the group */
	struct {
		uint8_t kind, flags; /* enum rfs_operand_kind, rfs_mem_flags */
		int8_t reg;	     /* enum rfs_reg; none of r8 to r15 */
	} argument[RFS_STUB_OPERANDS];
	uint8_t n_tests; /* 0: the call is always recorded and never stops */
	uint8_t lent;	 /* with tests: the kind of the call, below RFS_STUB_LENT */
	struct rfs_stub_test test[RFS_STUB_TESTS];
};

/* How instruction i of the group is recorded; NULL: by its own operands. call may be NULL. */
static inline const struct rfs_stub_call *rfs_stub_call_of(const struct rfs_stub_call *call, size_t i)
{
	return call && call->n && call->insn == i ? call : NULL;
}

/* The control block, to which gs points; one for each thread. */
struct rfs_stub_control {
	uint64_t saved[2];	   /* the scratch registers, while inside */
	rfs_addr next;		   /* address of the next record; exact after rfs_stub_leave() */
	struct rfs_stub_lent lent; /* the calls that are left */
	uint64_t unused[9];
};

enum rfs_fixup_kind {
	RFS_FIXUP_NEAR,	    /* 32 bits: distance of target from the end of the instruction, `tail` bytes on */
	RFS_FIXUP_ABSOLUTE, /* 64 bits: target */
	RFS_FIXUP_RECORD,   /* 32 bits: the number of the group's first record is added */
};

/* A value that depends on the addresses of module and stub. */
struct rfs_fixup {
	rfs_addr target; /* vaddr */
	uint16_t at;
	uint8_t kind, tail;
};

/* The state before one instruction of the stub. */
struct rfs_stub_mark {
	uint16_t at;
	uint8_t insn;	    /* first instruction of the group that has not run */
	uint8_t scratch[2]; /* open: their values are in the control block; scratch[0] points to the buffer */
	bool open;
	bool committed; /* open, and control->next is already correct */
	bool copy;	/* this instruction is the copy of insn */
	bool partly;	/* the copy may have done a part of its work */
	bool pushed;	/* the return address of a call was pushed, but the call was not executed yet */
	int8_t kept;	/* open, not committed: records from scratch[0] on that earlier instructions wrote */
	int8_t own;	/* records that insn itself wrote: after those, or the last ones before control->next */
};

struct rfs_stub {
	size_t n_insns;
	uint16_t insn_at[RFS_STUB_INSNS +
			 1]; /* the offset of each instruction in the group, and the end of the last one */
	uint8_t code[RFS_STUB_CODE];
	size_t length;
	struct rfs_fixup fixups[RFS_STUB_FIXUPS];
	size_t n_fixups;
	struct rfs_stub_mark marks[RFS_STUB_MARKS]; /* ascending by at */
	size_t n_marks;
	size_t n_records;
	uint16_t tests_end; /* tests are before this offset; 0: there are none */
	uint16_t stop_at;   /* with tests: the trap; a call that stopped continues after it */
};

/* Whether a group may contain this instruction. A control transfer that is not a branch may only be the last one. */
bool rfs_stub_can_hold(const struct rfs_insn *insn);
/*
 * Whether registers determine its accesses before it runs: no masks, no gs, no strings that are repeated until
 * something is found. A repeated string is taken to go upwards.
 */
bool rfs_stub_can_log(const struct rfs_insn *insn);
/* The operands for which the instruction writes records, in order; call NULL: the same as n 0. Returns how many. */
unsigned rfs_stub_operands(const struct rfs_insn *insn, const struct rfs_stub_call *call,
			   struct rfs_stub_operand out[RFS_STUB_OPERANDS]);

/*
 * What a stub writes right before insn, which is at its vaddr, in the state of the machine, which must read memory for
 * a CALLER; the first operand has this number. Returns how many.
 */
unsigned rfs_stub_records(const struct rfs_insn *insn, const struct rfs_stub_call *call,
			  const struct rfs_machine *machine, uint64_t number,
			  struct rfs_stub_record out[RFS_STUB_OPERANDS]);

/*
 * Builds the stub of n consecutive instructions; logged says which of them write records, call (NULL: as n 0) how one
 * of them does. The same input gives the same stub. 0; -ENOTSUP: one of them cannot be held or logged; -E2BIG: too
 * many of something.
 */
int rfs_stub_build(const struct rfs_insn *insns, size_t n, const bool *logged, const struct rfs_stub_call *call,
		   struct rfs_stub *out) __attribute__((warn_unused_result));

/*
 * Writes the code of a stub, which is placed at run-time address `at`, for a module loaded bias bytes above its vaddrs;
 * records are numbered from first on. 0; -ERANGE: `at` is too far from what it refers to.
 */
int rfs_stub_place(const uint8_t *code, size_t length, const struct rfs_fixup *fixups, size_t n_fixups, uint64_t bias,
		   rfs_addr at, uint32_t first, uint8_t *out) __attribute__((warn_unused_result));

/*
 * regs->rip is in a stub that begins at `stub_at`, of the group at run-time address `group_at`: changes registers and
 * control block to their values without the stub. fault: the instruction there faulted, so the program's own
 * instruction was reached (its records stay); otherwise it was not. False if no instruction of the stub begins at rip.
 */
bool rfs_stub_leave(const struct rfs_stub *stub, rfs_addr stub_at, rfs_addr group_at, bool fault,
		    struct user_regs_struct *regs, struct rfs_stub_control *control);
/* regs->rip is at instruction `insn` of the group: changes both so that it continues in the stub. */
void rfs_stub_enter(const struct rfs_stub *stub, rfs_addr stub_at, size_t insn, struct user_regs_struct *regs,
		    struct rfs_stub_control *control);

#endif
