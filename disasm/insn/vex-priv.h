/*
 * vex-priv.h - the fields of a VEX or EVEX prefix, and what its opcode says of the memory operand.
 */
#ifndef RFS_VEX_PRIV_H
#define RFS_VEX_PRIV_H

#include <stdbool.h>
#include <stdint.h>

/* Mandatory prefix, the pp field. */
enum rfs_vex_prefix { RFS_PP_NONE, RFS_PP_66, RFS_PP_F3, RFS_PP_F2 };

struct rfs_vex {
	bool evex, w, broadcast;
	uint8_t map, opcode, reg; /* reg: ModRM.reg without its extension bits, if it is part of the opcode */
	enum rfs_vex_prefix pp;
	uint8_t vl;    /* vector length in bytes */
	uint8_t vvvv;  /* second source, or VEX mask */
	uint8_t k;     /* EVEX aaa */
	uint8_t b, x;  /* 8 or 0: extensions of base and index */
	uint8_t v_hi;  /* 16 or 0: EVEX extension of a vector index */
	uint8_t modrm; /* its offset */
};

struct rfs_vex_operand {
	unsigned size;	     /* 0: no memory form */
	unsigned element;    /* under a mask only the active elements of this size are accessed; 0: all of it */
	unsigned elements;   /* 0: size / element; more if the operand is repeated over the vector */
	unsigned flags;	     /* RFS_MEM_READ unless set */
	unsigned index_size; /* gather, scatter */
	bool packed;	     /* compress, expand */
	bool vector_mask;    /* VEX masked move: vvvv says which */
	bool none;	     /* names memory without accessing it */
};

/* The operand size that the W bit chooses. */
static inline unsigned rfs_vex_wide(const struct rfs_vex *v)
{
	return v->w ? 8 : 4;
}

/* The memory operand of the opcode; map is 1 to 3. */
struct rfs_vex_operand rfs_vex_operand(const struct rfs_vex *v);

#endif
