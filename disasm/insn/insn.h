/*
 * insn.h - one x86-64 instruction: which memory it accesses, where control continues, and how to copy it to another
 * address.
 *
 * For legacy encodings, Capstone 4 gives length, name and operand width. What is read and written comes from a table of
 * rfsup (insn_table.c), because Capstone 4.0.2 has mistakes there. VEX and EVEX encodings are decoded by rfsup
 * (insn_vex.c, insn_vex_operand.c), because Capstone lacks many of them, such as all of AVX-512BW. The unit tests
 * compare the results with the hardware.
 */
#ifndef RFS_INSN_H
#define RFS_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

#include "disasm/addr.h"

#define RFS_INSN_MAX 15	     /* bytes of the longest instruction */
#define RFS_INSN_ACCESSES 18 /* the most accesses of one instruction: 16 of a gather, and room */
#define RFS_MASK_K 64	     /* in insn->mask: mask register number n is RFS_MASK_K + n */
#define RFS_COPY_MAX 64	     /* bytes of the longest copy, with its jump back */

struct rfs_decoder; /* holds a Capstone handle, for many instructions */
int rfs_decoder_new(struct rfs_decoder **out) __attribute__((warn_unused_result)); /* returns 0, -ENOMEM or -ENOSYS */
void rfs_decoder_free(struct rfs_decoder *decoder);

enum rfs_flow {
	RFS_FLOW_NEXT,	 /* continues with the next instruction */
	RFS_FLOW_JUMP,	 /* direct, to `target` */
	RFS_FLOW_BRANCH, /* conditional (jcc, loop, jrcxz): to `target` or the next instruction */
	RFS_FLOW_CALL,	 /* direct, to `target` */
	RFS_FLOW_JUMP_INDIRECT,
	RFS_FLOW_CALL_INDIRECT,
	RFS_FLOW_RETURN,
	RFS_FLOW_SYSCALL,
	RFS_FLOW_TRAP, /* int3, ud2, hlt */
};

enum rfs_mem_flags {
	RFS_MEM_READ = 1,
	RFS_MEM_WRITE = 2,
	RFS_MEM_STACK = 4, /* an implicit access to the stack: push, pop, call, ret */
};

/* One memory operand: segment base + base + index * scale + displacement. */
struct rfs_mem {
	uint8_t flags;
	uint16_t size; /* in bytes; gather and scatter: of one element; xsave: 0, because it depends on machine state */
	uint8_t scale; /* 1, 2, 4, 8 */
	int8_t base, index; /* enum rfs_reg, or -1; the index of gather and scatter is a vector register */
	int8_t segment;	    /* 0: none, 1: fs, 2: gs */
	int64_t disp;	    /* if rip_relative: the absolute vaddr, with base -1 */
	bool rip_relative;
	bool addr32; /* address-size prefix: the address without the segment base is cut to 32 bits */
};

/* General registers in the order of their encoding numbers. */
enum rfs_reg {
	RFS_RAX,
	RFS_RCX,
	RFS_RDX,
	RFS_RBX,
	RFS_RSP,
	RFS_RBP,
	RFS_RSI,
	RFS_RDI,
	RFS_R8,
	RFS_R9,
	RFS_R10,
	RFS_R11,
	RFS_R12,
	RFS_R13,
	RFS_R14,
	RFS_R15,
	RFS_VECTOR = 32 /* xmm, ymm or zmm number n is RFS_VECTOR + n */
};

/* How to compute the accesses from the operands. */
enum rfs_shape {
	RFS_SHAPE_PLAIN,
	RFS_SHAPE_STRING, /* movs, cmps, stos, lods, scas; rcx is the count with rep; the direction flag matters */
	RFS_SHAPE_GATHER, /* uses elements, element_size, index_size and mask */
	RFS_SHAPE_SCATTER,
	RFS_SHAPE_XSAVE,  /* xsave, xrstor and variants: the feature mask determines the size */
	RFS_SHAPE_MASKED, /* vmaskmov, maskmovdqu, masked instructions of AVX-512: the mask selects the elements */
	RFS_SHAPE_BIT,	  /* bt, bts, btr, btc with a bit index in a register, which also changes the address */
	RFS_SHAPE_XLAT,	  /* xlat: al is added to the address */
};

struct rfs_insn {
	rfs_addr vaddr;
	uint8_t bytes[RFS_INSN_MAX];
	uint8_t length;
	enum rfs_flow flow;
	rfs_addr target; /* of direct jumps, branches and calls */
	uint8_t n_mem;
	struct rfs_mem mem[3];
	enum rfs_shape shape;
	uint8_t elements, element_size; /* for gather, scatter and masked shapes: number and size of elements */
	uint8_t index_size;		/* for gather and scatter: bytes of one index */
	int8_t mask;			/* the mask register: RFS_VECTOR + n or RFS_MASK_K + n; -1: none */
	bool packed;	   /* compress, expand: the active elements are contiguous in memory, from its start */
	int8_t bit_index;  /* RFS_SHAPE_BIT: the register with the bit index; otherwise -1 */
	bool rep;	   /* a string instruction with rep, repe or repne */
	uint8_t rep_until; /* 1: repe, 2: repne (cmps and scas may end early); otherwise 0 */
	bool atomic;	   /* lock prefix, or xchg with memory */
	bool rmw;	   /* reads and writes one memory operand, and is not atomic */
	bool plain_move;   /* mov of 1, 2, 4 or 8 bytes between memory and a general register or immediate */
	bool pause;
	bool rdtsc;	  /* rdtsc or rdtscp */
	bool cannot_copy; /* rfs_insn_copy() refuses it: far transfers (lcall, ljmp, retf, iret, sysenter), xbegin */
	/* offset in `bytes` of the 32-bit displacement of a RIP-relative operand, also of lea; 0: none */
	uint8_t rip_disp;
	uint8_t opcode_at; /* offset in `bytes` of the opcode, after legacy prefixes and REX */
	uint8_t prefixes;  /* enum rfs_prefixes */
	uint8_t rex;	   /* the REX byte; 0: none */
};

enum rfs_prefixes {
	RFS_PREFIX_66 = 1,
	RFS_PREFIX_67 = 2,
	RFS_PREFIX_F2 = 4,
	RFS_PREFIX_F3 = 8,
	RFS_PREFIX_LOCK = 16,
	RFS_PREFIX_FS = 32,
	RFS_PREFIX_GS = 64,
};

/*
 * Decodes the instruction in bytes as if it were at vaddr. n bytes are readable, which may be fewer than 15. Returns 0,
 * or -EILSEQ if the bytes are not an instruction; *out is valid only on 0.
 */
int rfs_insn_decode(struct rfs_decoder *decoder, const uint8_t *bytes, size_t n, rfs_addr vaddr, struct rfs_insn *out)
	__attribute__((warn_unused_result));

/* The kinds of instructions that the sweep of a function distinguishes to find out whether a frame address escapes
 * (disasm/rewrite). */
enum rfs_form {
	RFS_FORM_OTHER,
	RFS_FORM_MOVE,	  /* mov between two general registers of 8 bytes */
	RFS_FORM_LEA,	  /* lea to a general register of 8 bytes */
	RFS_FORM_ADJUST,  /* add, sub or and, whose destination is a general register of 8 bytes */
	RFS_FORM_COMPARE, /* cmp or test: only flags depend on their register operands */
	RFS_FORM_PUSH,
	RFS_FORM_POP,
	RFS_FORM_ENTER,
};

/* What an instruction does with rax, which has the result of a function that was called before. */
enum rfs_result_use {
	RFS_RESULT_READ, /* reads it or a part of it, or this is unknown */
	RFS_RESULT_KEPT,
	RFS_RESULT_OVERWRITTEN, /* replaces it without reading it */
};

struct rfs_insn_detail {
	enum rfs_form form;
	enum rfs_result_use result;
	/* bits 1 << RFS_RSP and 1 << RFS_RBP: an operand is this register, in any width; registers in an address do not
	 * count */
	uint16_t registers;
	int8_t destination; /* RFS_RSP or RFS_RBP if it is the first operand; otherwise -1 */
	int8_t source;	    /* the same for the second operand */
	struct rfs_mem lea; /* the address of a lea of any width; otherwise base and index are -1 */
};

/* Like rfs_insn_decode(), and fills *detail. */
int rfs_insn_decode_detail(struct rfs_decoder *decoder, const uint8_t *bytes, size_t n, rfs_addr vaddr,
			   struct rfs_insn *out, struct rfs_insn_detail *detail) __attribute__((warn_unused_result));

/* The address of an operand without a vector index. bias: run-time address - vaddr. */
rfs_addr rfs_mem_address(const struct rfs_mem *mem, uint64_t bias, const struct user_regs_struct *regs);

struct rfs_insn_access {
	rfs_addr address;
	uint64_t size;
	uint8_t flags; /* enum rfs_mem_flags; READ | WRITE if one operand is read and written */
};

/* The machine state from which accesses are computed. All pointers are borrowed. */
struct rfs_machine {
	const struct user_regs_struct *regs;
	/*
	 * Copies vector register n to out (64 bytes, with zeros for what the CPU lacks). If mask is true, copies mask
	 * register n (8 bytes). Returns 0 or -errno. NULL: a masked move counts as an access to all its elements, and
	 * gather and scatter give -ENOTSUP.
	 */
	int (*vector)(void *arg, int n, bool mask, void *out);
	/* Reads target memory, for cmps and scas, which may stop early, and for the header of xrstor. Returns 0 or
	 * -errno. NULL: cmps and scas count as running to the end. */
	int (*read)(void *arg, rfs_addr address, void *buf, size_t n);
	void *arg;
};

/*
 * Writes the accesses that insn would make in this machine state to out, with implicit stack accesses (RFS_MEM_STACK).
 * insn is loaded at vaddr + bias.
 *
 * A string instruction with rep makes one access for each operand, to its whole range. A masked move makes one for each
 * run of active elements. If there are too many runs, the last access spans the rest.
 *
 * Returns the number of accesses, at most RFS_INSN_ACCESSES; or -errno from a callback. 0: no access, rep with rcx 0,
 * or an empty mask.
 */
int rfs_insn_accesses(const struct rfs_insn *insn, uint64_t bias, const struct rfs_machine *machine,
		      struct rfs_insn_access *out);

/*
 * The value that the instruction stores in its memory operand, whose value before is `old`: a move or integer
 * arithmetic. False if it is unknown: another instruction, several operands in memory, 16 bytes, or a carry.
 */
bool rfs_insn_update(const struct rfs_insn *insn, const struct user_regs_struct *regs, uint64_t old, uint64_t *new);

/* Whether an atomic instruction adds to its memory operand or subtracts from it: add, sub, inc, dec, xadd. */
bool rfs_insn_counts(const struct rfs_insn *insn);
/* Whether an atomic instruction sets or clears bits of its memory operand: or, and, xor, bts, btr, btc. */
bool rfs_insn_changes_bits(const struct rfs_insn *insn);

enum rfs_copy { RFS_COPY_OK, RFS_COPY_CANNOT };

/*
 * Writes a copy of insn to buf, for address `to`. It does the same as the original at `from` (both are run-time
 * addresses), then jumps to from + length. RIP-relative operands are corrected. So their targets and `from` must be
 * within 2 GiB of `to`.
 *
 * Only for flow NEXT and SYSCALL. *length is the length of the copied instruction, *total that of the whole copy.
 * (Right after a copied syscall, rcx has the address of the copy's next instruction, which corrects it.) buf has
 * RFS_COPY_MAX bytes. RFS_COPY_CANNOT: out of reach, a control transfer, or cannot_copy.
 */
enum rfs_copy rfs_insn_copy(const struct rfs_insn *insn, rfs_addr from, rfs_addr to, uint8_t *buf, size_t *length,
			    size_t *total);

/*
 * rfs_insn_emulate() executes a control transfer (jump, branch, call, return) on regs, as the hardware would. The
 * instruction is at run-time address `at`. A call stores its return address with write. Returns, and indirect calls and
 * jumps through memory, load their target with read.
 *
 * Returns 0; -EFAULT if a callback fails (regs are unchanged); -EINVAL for flow NEXT, SYSCALL and TRAP.
 */
struct rfs_memory {
	int (*read)(void *arg, rfs_addr address, void *buf, size_t n);
	int (*write)(void *arg, rfs_addr address, const void *buf, size_t n);
	void *arg;
};
int rfs_insn_emulate(const struct rfs_insn *insn, rfs_addr at, struct user_regs_struct *regs,
		     const struct rfs_memory *memory) __attribute__((warn_unused_result));

#endif
