/*
 * insn.h - one x86-64 instruction: the memory that it reads and writes, where it continues, and a copy of it elsewhere.
 *
 * Capstone 4 tells length, name and operand width of legacy encodings. What is read and written comes from our own
 * table, and VEX and EVEX encodings from our own decoder (insn_vex.c, insn_vex_operand.c): Capstone 4.0.2 has mistakes
 * in the former and lacks much of the latter (all of AVX-512BW, for one). The unit tests compare with what the hardware
 * does.
 */
#ifndef RFS_INSN_H
#define RFS_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

#include "disasm/addr.h"

#define RFS_INSN_MAX 15	     /* bytes of the longest instruction */
#define RFS_INSN_ACCESSES 18 /* the most accesses of one instruction: a gather of 16, and room */
#define RFS_MASK_K 64	     /* in insn->mask: mask register k n is RFS_MASK_K + n */
#define RFS_COPY_MAX 64	     /* bytes of the longest relocated copy, jump back included */

struct rfs_decoder;								   /* a Capstone handle, reused */
int rfs_decoder_new(struct rfs_decoder **out) __attribute__((warn_unused_result)); /* 0, -ENOMEM, -ENOSYS */
void rfs_decoder_free(struct rfs_decoder *decoder);

enum rfs_flow {
	RFS_FLOW_NEXT,	 /* falls through */
	RFS_FLOW_JUMP,	 /* direct: target */
	RFS_FLOW_BRANCH, /* conditional (jcc, loop, jrcxz): target or next */
	RFS_FLOW_CALL,	 /* direct: target */
	RFS_FLOW_JUMP_INDIRECT,
	RFS_FLOW_CALL_INDIRECT,
	RFS_FLOW_RETURN,
	RFS_FLOW_SYSCALL,
	RFS_FLOW_TRAP, /* int3, ud2, hlt */
};

enum rfs_mem_flags {
	RFS_MEM_READ = 1,
	RFS_MEM_WRITE = 2,
	RFS_MEM_STACK = 4, /* implicit push, pop, call, ret */
};

/* One memory operand: segment base + base + index * scale + displacement. */
struct rfs_mem {
	uint8_t flags;
	uint16_t size;	    /* bytes; 0: depends on state (xsave); gather, scatter: of one element */
	uint8_t scale;	    /* 1, 2, 4, 8 */
	int8_t base, index; /* enum rfs_reg, or -1; an index may be a vector register (gather, scatter) */
	int8_t segment;	    /* 0 none, 1 fs, 2 gs */
	int64_t disp;	    /* RIP-relative: already the absolute vaddr, base -1 */
	bool rip_relative;
	bool addr32; /* address-size prefix: base, index and sum are cut to 32 bits */
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
	RFS_VECTOR = 32 /* xmm/ymm/zmm n is RFS_VECTOR + n */
};

/* How the operands turn into accesses. */
enum rfs_shape {
	RFS_SHAPE_PLAIN,
	RFS_SHAPE_STRING, /* movs, cmps, stos, lods, scas; with rep: count in rcx, direction flag counts */
	RFS_SHAPE_GATHER, /* element size and count, mask register */
	RFS_SHAPE_SCATTER,
	RFS_SHAPE_XSAVE,  /* and xrstor, fxsave, fxrstor: size by feature mask */
	RFS_SHAPE_MASKED, /* vmaskmov, AVX-512 masked moves, maskmovdqu: the mask says which elements */
	RFS_SHAPE_BIT,	  /* bt, bts, btr, btc with a register index: the address moves by index / width */
	RFS_SHAPE_XLAT,	  /* xlat: al is added to the base */
};

struct rfs_insn {
	rfs_addr vaddr;
	uint8_t bytes[RFS_INSN_MAX];
	uint8_t length;
	enum rfs_flow flow;
	rfs_addr target; /* direct jumps, branches, calls */
	uint8_t n_mem;
	struct rfs_mem mem[3];
	enum rfs_shape shape;
	uint8_t elements, element_size; /* gather, scatter, masked */
	uint8_t index_size;		/* gather, scatter: bytes of one index */
	int8_t mask;	   /* mask register: RFS_VECTOR + n, or RFS_MASK_K + n; -1 none; maskmov and AVX-512 */
	bool packed;	   /* masked: compress, expand; the active elements lie side by side from the start */
	int8_t bit_index;  /* bit: the register that holds the index, else -1 */
	bool rep;	   /* string with rep, repe or repne (see rep_until) */
	uint8_t rep_until; /* 0 none (rep), 1 repe, 2 repne: cmps and scas may stop early */
	bool atomic;	   /* lock prefix, or xchg with memory */
	bool unseen;	   /* atomic, and only its flags tell of the old value: add, or, and, xor, inc */
	bool rmw;	   /* reads and writes one memory operand and is not atomic */
	bool plain_move;   /* mov between a general register or immediate and memory, 1, 2, 4 or 8 bytes */
	bool pause;	   /* pause */
	bool rdtsc;	   /* rdtsc, rdtscp */
	bool cannot_copy;  /* far transfers (lcall, ljmp, retf, iret, sysenter), xbegin */
	uint8_t rip_disp; /* the offset in bytes of the 32-bit displacement of a RIP-relative operand (lea too); 0: none
			   */
	uint8_t opcode_at; /* the offset of the opcode in bytes, after legacy prefixes and REX */
	uint8_t prefixes;  /* enum rfs_prefixes */
	uint8_t rex;	   /* REX byte, 0: none */
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
 * Decodes the instruction at bytes (n of them readable, n may be less than 15) as if it were at vaddr. 0; -EILSEQ if
 * the bytes are not an instruction; insn is complete only on 0.
 */
int rfs_insn_decode(struct rfs_decoder *decoder, const uint8_t *bytes, size_t n, rfs_addr vaddr, struct rfs_insn *out)
	__attribute__((warn_unused_result));

/* Shapes that a sweep of a function must tell apart to see whether a frame address escapes. */
enum rfs_form {
	RFS_FORM_OTHER,
	RFS_FORM_MOVE,	  /* mov between two general registers of 8 bytes */
	RFS_FORM_LEA,	  /* lea to a general register of 8 bytes */
	RFS_FORM_ADJUST,  /* add, sub, and with a general register of 8 bytes as its destination */
	RFS_FORM_COMPARE, /* cmp, test: their register operands end up in the flags only */
	RFS_FORM_PUSH,
	RFS_FORM_POP,
	RFS_FORM_ENTER,
};

struct rfs_insn_detail {
	enum rfs_form form;
	uint16_t registers; /* bits RFS_RSP, RFS_RBP: that register, in any width, is an operand (not part of an
			       address) */
	int8_t destination; /* the first operand: RFS_RSP, RFS_RBP, -1 anything else */
	int8_t source;	    /* the second operand: likewise */
	struct rfs_mem lea; /* lea of any width; base and index -1 otherwise */
};

/* rfs_insn_decode() with detail. */
int rfs_insn_decode_detail(struct rfs_decoder *decoder, const uint8_t *bytes, size_t n, rfs_addr vaddr,
			   struct rfs_insn *out, struct rfs_insn_detail *detail) __attribute__((warn_unused_result));

/* Segment base + base + index * scale + disp; no vector index. */
rfs_addr rfs_mem_address(const struct rfs_mem *mem, uint64_t bias, const struct user_regs_struct *regs);

struct rfs_insn_access {
	rfs_addr address;
	uint64_t size;
	uint8_t flags; /* enum rfs_mem_flags; READ | WRITE for a read-modify-write of one operand */
};

/* The machine state that accesses are computed from. Pointers borrowed. */
struct rfs_machine {
	const struct user_regs_struct *regs;
	/*
	 * Copies vector register n (64 bytes, upper part zero if the CPU has none), or mask register k n if mask is
	 * true (8 bytes). NULL allowed: then masked moves give their whole span, gathers and scatters -ENOTSUP.
	 */
	int (*vector)(void *arg, int n, bool mask, void *out);
	/* Reads target memory (cmps and scas stop early; xrstor's header). NULL allowed: the full count is assumed. */
	int (*read)(void *arg, rfs_addr address, void *buf, size_t n);
	void *arg;
};

/*
 * The accesses that insn, loaded bias bytes above its vaddr, would make in this state, implicit stack accesses
 * (RFS_MEM_STACK) included. A string instruction with rep makes one access for each operand, which spans the whole
 * range. A masked move makes one for each run of active elements; the last one spans the rest if there are too many
 * runs. Returns how many, at most RFS_INSN_ACCESSES (0 for no access, a rep with rcx 0, or a masked move with an empty
 * mask), or -errno from the callbacks.
 */
int rfs_insn_accesses(const struct rfs_insn *insn, uint64_t bias, const struct rfs_machine *machine,
		      struct rfs_insn_access *out);

enum rfs_copy { RFS_COPY_OK, RFS_COPY_CANNOT };

/*
 * Writes a copy of insn that does at address `to` what the original does at `from` (both run-time addresses), followed
 * by a jump to from + length. RIP-relative operands are corrected; `to` must lie within 2 GiB of what they name and of
 * `from`. Only for flow NEXT (and SYSCALL, whose rcx shows the copy's address); *length is the copy without the jump,
 * *total with it. buf holds RFS_COPY_MAX bytes. CANNOT: out of reach, control transfer, cannot_copy.
 */
enum rfs_copy rfs_insn_copy(const struct rfs_insn *insn, rfs_addr from, rfs_addr to, uint8_t *buf, size_t *length,
			    size_t *total);

/*
 * Executes a control transfer (jump, branch, call, return) on regs as the hardware would, with the instruction loaded
 * at run-time address `at`. A call stores its return address through write, an indirect one and a return read through
 * read. 0, -EFAULT from the callbacks (regs unchanged), -EINVAL for flow NEXT, SYSCALL and TRAP.
 */
struct rfs_memory {
	int (*read)(void *arg, rfs_addr address, void *buf, size_t n);
	int (*write)(void *arg, rfs_addr address, const void *buf, size_t n);
	void *arg;
};
int rfs_insn_emulate(const struct rfs_insn *insn, rfs_addr at, struct user_regs_struct *regs,
		     const struct rfs_memory *memory) __attribute__((warn_unused_result));

#endif
