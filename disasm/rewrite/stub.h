/*
 * stub.h - a group of instructions that runs elsewhere and records its accesses.
 *
 * A stub runs copies of consecutive instructions. Right before a copy, it writes a record for each memory operand of
 * that instruction to a buffer. Then it continues after the group, or at the target of a branch of the group. The added
 * code changes neither flags nor stack:
 *
 *     mov %r11,%gs:0          saves two scratch registers, which these instructions do not use
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
 *     jmp past the group
 *
 * Some instructions work on a range: repeated string instructions, and calls of functions such as memcpy. Their records
 * are the registers with start and length. At the entry or return of a function, records are arguments or the result.
 *
 * At the entry of a function, tests may decide whether the call is recorded, or stops as at a breakpoint:
 *
 *     …                       saves the scratch registers
 *     cmpl $0,%gs:24          how many more calls of this kind may be recorded
 *     jle stop
 *     mov 16(%rdi),%r10d      a word that an argument points to; it must have this value
 *     and $mask,%r10d
 *     cmp $value,%r10d        or: cmp %gs:32,%r10d
 *     jne stop
 *     mov %rdi,%r10           or an argument itself; it must be the address at %gs:40, unless %gs:48 is 0
 *     xor %gs:40,%r10
 *     and %gs:48,%r10
 *     jne stop
 *     decl %gs:24
 *     …                       records, copies, jump
 *   stop:
 *     mov %gs:8,%r10
 *     mov %gs:0,%r11
 *     int3
 *     …                       copies, jump; a call that stopped continues here
 *
 * gs points to the control block of the thread; the x86-64 ABI leaves gs unused. A stub does not use the stack, so a
 * red zone, a small stack, or a stack pointer used for something else does no harm. An inaccessible page ends the
 * buffer: the fault there is the only check for room.
 *
 * rfs_stub_leave() takes a thread out of a stub, wherever in the stub it is. It computes the state that the thread
 * would have without the stub, at an instruction of the program. rfs_stub_enter() brings the thread back into the stub.
 */
#ifndef RFS_STUB_H
#define RFS_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

#include "disasm/insn/insn.h"
#include "disasm/rewrite/stub_control.h"

#define RFS_STUB_INSNS 24   /* most instructions of one group */
#define RFS_STUB_RECORDS 14 /* most records that one group writes */
#define RFS_STUB_CODE 4096  /* most bytes of a stub */
#define RFS_STUB_MARKS 800
#define RFS_STUB_FIXUPS 160
#define RFS_STUB_TESTS 5

/* The record that a stub writes for one operand. */
struct rfs_stub_record {
	rfs_addr address; /* an address without the base of fs, or the value that the operand's kind names */
	uint64_t number;  /* number of instruction and operand; rfs_stub_place() sets a stub's first number */
};

enum rfs_operand_kind {
	RFS_OPERAND_MEMORY,  /* an operand in memory, as large as the instruction says */
	RFS_OPERAND_COUNT,   /* not an address: the number of elements in each of the instruction's ranges */
	RFS_OPERAND_RANGE,   /* the start of a range */
	RFS_OPERAND_BLOCK,   /* the start of a heap block, whose size is in the heap's own data */
	RFS_OPERAND_RESIZED, /* the same for a block that is resized */
	/* the following kinds are not accesses, but values at the entry or return of a function */
	RFS_OPERAND_FRAME,     /* the stack address that holds the return address */
	RFS_OPERAND_CALLER,    /* the return address, to which the register points */
	RFS_OPERAND_OLD,       /* the block that an allocator resizes */
	RFS_OPERAND_TIMES,     /* the number of elements requested from an allocator */
	RFS_OPERAND_REQUESTED, /* the number of bytes requested, or the size of each element */
	RFS_OPERAND_ALLOCATED, /* the block that the allocator returns */
	RFS_OPERAND_FREED,     /* the block that is freed */
	RFS_OPERAND_LOCKED,    /* the mutex that the thread holds from now on */
	RFS_OPERAND_UNLOCKED,  /* the mutex that the thread releases */
	/* the same for calls that try, for readers-writer locks, semaphores and condition variables */
	RFS_OPERAND_TRY_LOCKED,
	RFS_OPERAND_READ_LOCKED,
	RFS_OPERAND_WRITE_LOCKED,
	RFS_OPERAND_TRY_READ_LOCKED,
	RFS_OPERAND_TRY_WRITE_LOCKED,
	RFS_OPERAND_RW_UNLOCKED,
	RFS_OPERAND_POSTED,
	RFS_OPERAND_TAKEN,
	RFS_OPERAND_TRY_TAKEN,
	RFS_OPERAND_ONCE_DONE, /* a pthread_once_t whose routine has run */
	RFS_OPERAND_SIGNALLED,
	RFS_OPERAND_BROADCAST,
};

/* A test: the call is recorded only if this condition is true. */
enum rfs_stub_test_kind {
	RFS_TEST_WORD, /* the 32 bits at offset(%reg), masked, are `value` */
	RFS_TEST_ANY,  /* one of the masked bits of that word is set */
	RFS_TEST_SELF, /* the same as WORD, with the thread id (rfs_stub_lent.self) as value */
	RFS_TEST_ONLY, /* the register holds rfs_stub_lent.only, or rfs_stub_lent.mask is 0 */
	RFS_TEST_LENT, /* rfs_stub_lent.calls[value] is not 0 */
};
struct rfs_stub_test {
	uint8_t kind;  /* enum rfs_stub_test_kind */
	int8_t reg;    /* enum rfs_reg, but not r8 to r15, and not rsp */
	int8_t offset; /* bytes */
	uint32_t mask, value;
};

/* What one record of an instruction holds: the address of mem. */
struct rfs_stub_operand {
	uint8_t kind; /* enum rfs_operand_kind */
	struct rfs_mem mem;
};
#define RFS_STUB_OPERANDS 4 /* most operands of one instruction */

/*
 * How to record an instruction that causes more accesses than its own, such as a call whose callee works on ranges.
 * The records are the values of n registers. If n is 0, the instruction is recorded like any other. With tests, it must
 * be the first instruction of its group and of a function, because tests change the flags.
 */
struct rfs_stub_call {
	uint8_t n, insn; /* insn: its index in the group */
	struct {
		uint8_t kind, flags; /* enum rfs_operand_kind, rfs_mem_flags */
		int8_t reg;	     /* enum rfs_reg, but not r8 to r15 */
	} argument[RFS_STUB_OPERANDS];
	uint8_t n_tests; /* 0: the call is always recorded and never stops */
	uint8_t lent;	 /* with tests: the index in rfs_stub_lent.calls */
	struct rfs_stub_test test[RFS_STUB_TESTS];
};

/* How instruction i of the group is recorded. NULL if it is recorded by its own operands. call may be NULL. */
static inline const struct rfs_stub_call *rfs_stub_call_of(const struct rfs_stub_call *call, size_t i)
{
	return call && call->n && call->insn == i ? call : NULL;
}

enum rfs_fixup_kind {
	RFS_FIXUP_NEAR,	    /* 32 bits: distance of target from the instruction's end, `tail` bytes after the value */
	RFS_FIXUP_ABSOLUTE, /* 64 bits: the address of target */
	RFS_FIXUP_RECORD,   /* 32 bits: the number of the group's first record must be added */
	RFS_FIXUP_SLOTS,    /* 32 bits: where slots begin in the table; less if the table is smaller */
};

/* A value in the code of a stub that depends on the addresses of module and stub. It is at offset `at`. */
struct rfs_fixup {
	rfs_addr target; /* vaddr */
	uint16_t at;
	uint8_t kind, tail;
};

/* The state before one instruction of the stub, which is at offset `at`. */
struct rfs_stub_mark {
	uint16_t at;
	uint8_t insn;	    /* index of the first instruction of the group that has not run */
	uint8_t scratch[2]; /* while open: the program's values are in the control block; [0] points to the buffer */
	bool open;	    /* the scratch registers are in use */
	bool committed;	    /* open, and control->next is already correct */
	bool copy;	    /* this instruction is the copy of insn */
	bool partly;	    /* the copy may have done a part of its work: it is a repeated string instruction */
	bool pushed;	    /* the return address of a call was pushed, but the call was not executed yet */
	int8_t kept;	    /* open, not committed: how many records earlier instructions wrote from scratch[0] on */
	int8_t own;	 /* how many insn itself wrote after the kept ones; if committed, they end at control->next */
	bool rcx;	 /* the program's rcx is in the control block */
	uint8_t dropped; /* the filter dropped the access of insn, and counted this many accesses */
	bool summed;	 /* its address, which is in scratch[1], was added to the sum */
	uint8_t passed;	 /* the execution of insn was counted by counter passed - 1; 0: it was not */
};

struct rfs_stub {
	size_t n_insns;
	uint16_t insn_at[RFS_STUB_INSNS + 1]; /* offset of each instruction in the group, and of the group's end */
	uint8_t code[RFS_STUB_CODE];
	size_t length;
	struct rfs_fixup fixups[RFS_STUB_FIXUPS];
	size_t n_fixups;
	bool unmarked; /* the caller sets it before rfs_stub_build(), if the marks are not needed */
	struct rfs_stub_mark marks[RFS_STUB_MARKS]; /* ascending by at; not set if `unmarked` */
	size_t n_marks, n_records;
	uint16_t tests_end; /* the tests are before this offset; 0: there are no tests */
	uint16_t stop_at;   /* with tests: offset of the trap; a call that stopped continues after it */
};

/* Whether a group may contain this instruction. Only the last one may be a control transfer other than a branch. */
bool rfs_stub_can_hold(const struct rfs_insn *insn);
/*
 * Whether registers determine the instruction's accesses before it runs. They do not for masks, for gs, and for strings
 * that are repeated until something is found. Other repeated strings are assumed to go upwards.
 */
bool rfs_stub_can_log(const struct rfs_insn *insn);
/* The operand whose accesses a filter may drop. False: none; the instruction is always recorded. */
bool rfs_stub_filtered(const struct rfs_insn *insn, const struct rfs_stub_call *call, struct rfs_stub_operand *out);
/* The operands for which the instruction writes records, in order. call NULL is the same as n 0. Returns how many. */
unsigned rfs_stub_operands(const struct rfs_insn *insn, const struct rfs_stub_call *call,
			   struct rfs_stub_operand out[RFS_STUB_OPERANDS]);

/*
 * The records that a stub would write right before insn, which is at its vaddr. machine: the registers, and how to read
 * memory, for RFS_OPERAND_CALLER. number: that of the first record. Returns how many.
 */
unsigned rfs_stub_records(const struct rfs_insn *insn, const struct rfs_stub_call *call,
			  const struct rfs_machine *machine, uint64_t number,
			  struct rfs_stub_record out[RFS_STUB_OPERANDS]);

/*
 * Builds the stub of n consecutive instructions. logged[i]: instruction i writes records. call: how one of them is
 * recorded, or NULL. filter: which accesses are not recorded (stub_control.h). out->unmarked must be set. The same
 * input gives the same stub. Returns 0; -ENOTSUP if one instruction cannot be held or logged; or -E2BIG if the stub
 * would exceed one of the RFS_STUB_ limits.
 */
int rfs_stub_build(const struct rfs_insn *insns, size_t n, const bool *logged, const struct rfs_stub_call *call,
		   enum rfs_stub_filter filter, struct rfs_stub *out) __attribute__((warn_unused_result));

/*
 * Writes the code of a stub for run-time address `at` to out. The module is loaded bias bytes above its vaddrs. `first`
 * is the number of the stub's first record. The table of the filter has RFS_FILTER_SIZE >> shift bytes. Returns 0, or
 * -ERANGE if `at` is too far from an address that the code uses.
 */
int rfs_stub_place(const uint8_t *code, size_t length, const struct rfs_fixup *fixups, size_t n_fixups, uint64_t bias,
		   rfs_addr at, uint32_t first, unsigned shift, uint8_t *out) __attribute__((warn_unused_result));

/*
 * Takes a thread out of a stub: sets registers and control block to their values without the stub. The stub begins at
 * `stub_at`, its group at run-time address `group_at`. fault: the instruction at regs->rip faulted. If that is a copy,
 * the program's instruction was reached, and its records stay. False if no instruction of the stub begins at regs->rip.
 */
bool rfs_stub_leave(const struct rfs_stub *stub, rfs_addr stub_at, rfs_addr group_at, bool fault,
		    struct user_regs_struct *regs, struct rfs_stub_control *control);
/* Moves a thread into the stub: changes registers and control block. regs->rip is at instruction `insn`. */
void rfs_stub_enter(const struct rfs_stub *stub, rfs_addr stub_at, size_t insn, struct user_regs_struct *regs,
		    struct rfs_stub_control *control);

#endif
