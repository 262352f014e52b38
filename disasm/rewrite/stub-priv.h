/* stub-priv.h - how the code of a stub is written: stub.c writes groups and records, stub_filter.c what drops accesses,
 * stub_count.c what lets executions of hot statements pass. */
#ifndef RFS_STUB_PRIV_H
#define RFS_STUB_PRIV_H

#include <stddef.h>

#include "disasm/rewrite/stub.h"

#define CONTROL(member) ((int32_t)offsetof(struct rfs_stub_control, member))
#define RECORD_SIZE ((int32_t)sizeof(struct rfs_stub_record))
#define RCX 1u

/* Writes one instruction without fixups. */
#define PUT(b, ...)                                                                                                    \
	do {                                                                                                           \
		const uint8_t put_bytes_[] = {__VA_ARGS__};                                                            \
		rfs_stub_mark(b);                                                                                      \
		rfs_stub_put(b, put_bytes_, sizeof(put_bytes_));                                                       \
	} while (0)

/* Writes an instruction that ends with 32 bits of displacement. */
#define PUT_WITH(b, disp, ...)                                                                                         \
	do {                                                                                                           \
		const int32_t put_disp_ = (disp);                                                                      \
                                                                                                                       \
		PUT(b, __VA_ARGS__);                                                                                   \
		rfs_stub_put(b, &put_disp_, sizeof(put_disp_));                                                        \
	} while (0)

static inline uint8_t modrm(unsigned mod, unsigned reg, unsigned rm)
{
	return (uint8_t)(mod << 6 | (reg & 7) << 3 | (rm & 7));
}

static inline uint8_t sib(unsigned scale, unsigned index, unsigned base)
{
	return modrm(scale, index, base);
}

/* An instruction whose access the filter may drop: what the stub does if it must be recorded. */
struct rfs_stub_miss {
	size_t insn;
	struct rfs_stub_mark state; /* at the jump to the code that records */
	size_t jump, back;	    /* offsets of the distance of that jump, and of the code after the instruction */
	size_t number;		    /* of the record */
	uint8_t size;		    /* of the access, as binary logarithm */
	int32_t slots;		    /* where the slots of this kind of access begin in the table */
};

struct rfs_stub_builder {
	struct rfs_stub *stub;
	const struct rfs_insn *insns;
	const bool *logged;
	const struct rfs_stub_call *call; /* how one instruction is recorded, or NULL */
	enum rfs_stub_filter filter;
	size_t n;
	struct rfs_stub_mark state;	    /* the state before the next instruction to write */
	size_t segment_end;		    /* while a segment is open: index of the first instruction after it */
	struct rfs_stub_mark untested;	    /* the state before the tests */
	uint16_t stops[RFS_STUB_TESTS + 1]; /* where put_trap() writes the distances to the trap */
	size_t n_stops;
	struct rfs_stub_miss misses[RFS_STUB_RECORDS];
	size_t n_misses;
	int error;
};

/* ---- stub.c ---- */

void rfs_stub_put(struct rfs_stub_builder *b, const void *bytes, size_t n);
/* Adds a mark for the next instruction of the stub. */
void rfs_stub_mark(struct rfs_stub_builder *b);
/* Adds a fixup for the value at offset `at` of the stub. tail: as in struct rfs_fixup. */
void rfs_stub_fix(struct rfs_stub_builder *b, enum rfs_fixup_kind kind, size_t at, unsigned tail, rfs_addr target);
/* Writes a mov between register reg and %gs:offset. opcode: 0x89 to memory, 0x8b from memory. */
void rfs_stub_put_control(struct rfs_stub_builder *b, unsigned opcode, unsigned reg, int32_t offset);
/* Writes an instruction that sets register `to` (r8 to r15) to the address of the operand. For RFS_OPERAND_CALLER, it
 * loads the operand instead. */
void rfs_stub_put_address(struct rfs_stub_builder *b, const struct rfs_stub_operand *operand, unsigned to);
/* Saves the scratch registers. They can be used up to the next instruction that needs one of them. */
void rfs_stub_open_segment(struct rfs_stub_builder *b, size_t i);
void rfs_stub_close_segment(struct rfs_stub_builder *b);
/* Writes 32 bits that become the distance to the trap of the stub. They end an instruction. */
void rfs_stub_put_stop(struct rfs_stub_builder *b);
/* Writes the copy of an instruction after which control continues, with its mark. */
void rfs_stub_put_plain_copy(struct rfs_stub_builder *b, const struct rfs_insn *insn);

/* ---- stub_filter.c: all this is for a segment in which nothing else needs rcx or the scratch registers ---- */

/* Writes the question whether the access of instruction i is dropped. The copy must follow. */
void rfs_stub_put_question(struct rfs_stub_builder *b, size_t i, const struct rfs_stub_operand *operand);
/* Call it after that copy. */
void rfs_stub_end_question(struct rfs_stub_builder *b);
/* Writes the code that records what the filter did not drop. Call it after the group. */
void rfs_stub_put_misses(struct rfs_stub_builder *b);
/* Writes the instruction that sets rcx to the slot of the address in register v. size: binary logarithm. */
void rfs_stub_put_slot(struct rfs_stub_builder *b, unsigned v, unsigned size);
/* The last instruction ends with this offset of slots in the table. */
void rfs_stub_fix_slots(struct rfs_stub_builder *b, int32_t slots);

/* ---- stub_count.c ---- */

/* Writes the decision whether the execution of instruction 0 stops. That instruction's copy must follow. */
void rfs_stub_put_count(struct rfs_stub_builder *b, const struct rfs_stub_operand *operand);

#endif
