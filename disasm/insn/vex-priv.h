/* vex-priv.h - the fields of a VEX or EVEX prefix, and the memory operand of its opcode. */
#ifndef RFS_VEX_PRIV_H
#define RFS_VEX_PRIV_H

#include <stdbool.h>
#include <stdint.h>

/* The mandatory prefix, in the encoding of the field pp. */
enum rfs_vex_prefix { RFS_PP_NONE, RFS_PP_66, RFS_PP_F3, RFS_PP_F2 };

struct rfs_vex {
	bool evex, w, broadcast;
	uint8_t map, opcode, reg; /* reg: ModRM.reg without extension bits; part of some opcodes */
	enum rfs_vex_prefix pp;
	uint8_t vl;    /* vector length in bytes */
	uint8_t vvvv;  /* a register: the second source, or the mask of a VEX masked move */
	uint8_t k;     /* the EVEX field aaa: number of the mask register */
	uint8_t b, x;  /* 8 or 0, to add to base and index */
	uint8_t v_hi;  /* 16 or 0, to add to a vector index (EVEX) */
	uint8_t modrm; /* offset of ModRM in the bytes of the instruction */
};

struct rfs_vex_operand {
	unsigned size;	     /* in bytes; 0: the opcode has no memory operand */
	unsigned element;    /* size of the elements if a mask selects which of them are accessed; 0: all bytes are
				accessed */
	unsigned elements;   /* number of elements in the vector; 0: size / element */
	unsigned flags;	     /* enum rfs_mem_flags; 0: RFS_MEM_READ */
	unsigned index_size; /* gather, scatter: bytes of one index; otherwise 0 */
	bool packed;	     /* compress, expand: active elements are contiguous in memory */
	bool vector_mask;    /* VEX masked move: the mask is vector register vvvv */
	bool none;	     /* has a memory operand but does not access it */
};

/* The operand size that the W bit selects. */
static inline unsigned rfs_vex_wide(const struct rfs_vex *v)
{
	return v->w ? 8 : 4;
}

/* The memory operand of this opcode. v->map must be 1 to 3. */
struct rfs_vex_operand rfs_vex_operand(const struct rfs_vex *v);

#endif
