/*
 * insn_vex.c - the memory operand of VEX and EVEX instructions (AVX to AVX-512, BMI), by opcode.
 *
 * Layout: Intel SDM vol. 2, 2.3 (VEX) and 2.7 (EVEX); widths: the tuple types of 2.7.5 and each instruction's page. The
 * length follows from map and opcode alone, so that forms with registers only need no table. Capstone 4.0.2 lacks
 * AVX-512BW and later, and gives wrong widths for others.
 *
 * Under an EVEX write mask most instructions access the active elements only ("fault suppression", exception types E1
 * to E6 without NF). Those get an element size in the tables below; the NF types, which access the whole operand, none.
 */
#include "disasm/insn/insn-priv.h"

#include <errno.h>

/* Mandatory prefix, the pp field. */
enum pp { PP_NONE, PP_66, PP_F3, PP_F2 };

struct vex {
	bool evex, w, broadcast;
	uint8_t map, opcode, reg; /* reg: ModRM.reg without extension, if it extends the opcode */
	enum pp pp;
	uint8_t vl;    /* vector length in bytes */
	uint8_t vvvv;  /* second source, or VEX mask */
	uint8_t k;     /* EVEX aaa */
	uint8_t b, x;  /* 8 or 0: extensions of base and index */
	uint8_t v_hi;  /* 16 or 0: EVEX extension of a vector index */
	uint8_t modrm; /* its offset */
};

struct operand {
	unsigned size;	     /* 0: no memory form */
	unsigned element;    /* under a mask only the active elements of this size are accessed; 0: all of it */
	unsigned elements;   /* 0: size / element; more if the operand is repeated over the vector */
	unsigned flags;	     /* RFS_MEM_READ unless set */
	unsigned index_size; /* gather, scatter */
	bool packed;	     /* compress, expand */
	bool vector_mask;    /* VEX masked move: vvvv says which */
	bool none;	     /* names memory without accessing it */
};

static struct operand whole(unsigned size)
{
	return (struct operand){.size = size};
}

static struct operand masked(unsigned size, unsigned element)
{
	return (struct operand){.size = size, .element = element};
}

static struct operand store(struct operand operand)
{
	operand.flags = RFS_MEM_WRITE;
	return operand;
}

/* One tuple of memory repeated over the whole vector. */
static struct operand repeated(const struct vex *v, unsigned size, unsigned element)
{
	return (struct operand){.size = size, .element = element, .elements = v->vl / element};
}

static unsigned wide(const struct vex *v)
{
	return v->w ? 8 : 4;
}

/* ps, pd, ss, sd by mandatory prefix. */
static struct operand by_prefix(const struct vex *v)
{
	switch (v->pp) {
	case PP_NONE:
		return masked(v->vl, 4);
	case PP_66:
		return masked(v->vl, 8);
	case PP_F3:
		return masked(4, 4);
	default:
		return masked(8, 8);
	}
}

/* Conversions of AVX-512 between floats and unsigned or 64-bit integers. */
static struct operand convert_78_to_7b(const struct vex *v)
{
	const struct operand half = masked(v->vl / 2, 4), full = masked(v->vl, wide(v));

	if (!v->evex)
		return whole(0);
	if (v->pp == PP_66)
		return v->w ? full : half;
	if (v->opcode == 0x7a)
		return v->pp == PP_F3 && !v->w ? half : full;
	if (v->opcode == 0x7b)
		return v->pp == PP_NONE ? whole(0) : whole(wide(v));
	if (v->pp == PP_NONE)
		return full;
	return whole(v->pp == PP_F3 ? 4 : 8);
}

/* kmov between memory and a mask register; w and prefix give the width. */
static struct operand mask_move(const struct vex *v)
{
	unsigned size;

	if (v->evex || v->pp > PP_66)
		return whole(0);
	size = v->pp == PP_NONE ? (v->w ? 8 : 2) : (v->w ? 4 : 1);
	return v->opcode == 0x91 ? store(whole(size)) : whole(size);
}

/* Packed integer arithmetic of the 0f map, d0 to ff. */
static struct operand integer_d0(const struct vex *v)
{
	switch (v->opcode) {
	case 0xd1: /* shifts by the low quadword of an xmm or 16 bytes of memory, for every vector length */
	case 0xd2:
	case 0xd3:
	case 0xe1:
	case 0xe2:
	case 0xf1:
	case 0xf2:
	case 0xf3:
		return whole(16);
	case 0xd6: /* vmovq */
		return v->pp == PP_66 ? store(whole(8)) : whole(0);
	case 0xe6:
		if (v->pp == PP_F3)
			return v->w && v->evex ? masked(v->vl, 8) : masked(v->vl / 2, 4);
		return masked(v->vl, 8);
	case 0xe7: /* vmovntdq */
		return store(whole(v->vl));
	case 0xd7: /* vpmovmskb, vmaskmovdqu: registers only */
	case 0xf7:
	case 0xff:
		return whole(0);
	case 0xdb:
	case 0xdf:
	case 0xeb:
	case 0xef:
		return masked(v->vl, wide(v));
	case 0xd4:
	case 0xf4:
	case 0xfb:
		return masked(v->vl, 8);
	case 0xfa:
	case 0xfe:
		return masked(v->vl, 4);
	case 0xd8:
	case 0xda:
	case 0xdc:
	case 0xde:
	case 0xe0:
	case 0xe8:
	case 0xec:
	case 0xf8:
	case 0xfc:
		return masked(v->vl, 1);
	case 0xd5:
	case 0xd9:
	case 0xdd:
	case 0xe3:
	case 0xe4:
	case 0xe5:
	case 0xe9:
	case 0xea:
	case 0xed:
	case 0xee:
	case 0xf9:
	case 0xfd:
		return masked(v->vl, 2);
	default:
		return whole(v->vl);
	}
}

static struct operand map_0f(const struct vex *v)
{
	struct operand o;

	switch (v->opcode) {
	case 0x10:
		return by_prefix(v);
	case 0x11:
		return store(by_prefix(v));
	case 0x12:
		if (v->pp == PP_F3)
			return whole(v->vl);
		return whole(v->pp == PP_F2 && v->vl > 16 ? v->vl : 8);
	case 0x13:
	case 0x17:
		return v->pp > PP_66 ? whole(0) : store(whole(8));
	case 0x16:
		return whole(v->pp == PP_F3 ? v->vl : 8);
	case 0x14:
	case 0x15:
	case 0xc6:
		return whole(v->vl);
	case 0x28:
		return by_prefix(v);
	case 0x29:
		return store(by_prefix(v));
	case 0x2a:
		return v->pp < PP_F3 ? whole(0) : whole(wide(v));
	case 0x2b:
		return store(whole(v->vl));
	case 0x2c:
	case 0x2d:
		return v->pp < PP_F3 ? whole(0) : whole(v->pp == PP_F3 ? 4 : 8);
	case 0x2e:
	case 0x2f:
		return whole(v->pp == PP_NONE ? 4 : 8);
	case 0x5a:
		o = by_prefix(v);
		if (v->pp == PP_NONE)
			o.size = v->vl / 2;
		return o;
	case 0x5b:
		return masked(v->vl, wide(v));
	case 0x51 ... 0x59:
	case 0x5c ... 0x5f:
	case 0xc2:
		return by_prefix(v);
	case 0x64:
	case 0x74:
		return masked(v->vl, 1);
	case 0x65:
	case 0x75:
		return masked(v->vl, 2);
	case 0x66:
	case 0x76:
		return masked(v->vl, 4);
	case 0x60 ... 0x63:
	case 0x67 ... 0x6d:
	case 0x70:
	case 0x7c:
	case 0x7d:
		return whole(v->vl);
	case 0x6e:
		return whole(wide(v));
	case 0x6f:
	case 0x7f:
		o = masked(v->vl, v->evex && v->pp == PP_F2 ? (v->w ? 2 : 1) : wide(v));
		return v->opcode == 0x7f ? store(o) : o;
	case 0x71:
		return v->evex ? masked(v->vl, 2) : whole(0);
	case 0x72:
		return v->evex ? masked(v->vl, wide(v)) : whole(0);
	case 0x73: /* /3 and /7 shift bytes and know no mask */
		return v->evex ? masked(v->vl, v->reg == 3 || v->reg == 7 ? 0 : 8) : whole(0);
	case 0x78 ... 0x7b:
		return convert_78_to_7b(v);
	case 0x7e:
		return v->pp == PP_F3 ? whole(8) : v->pp == PP_66 ? store(whole(wide(v))) : whole(0);
	case 0x90:
	case 0x91:
		return mask_move(v);
	case 0xae:
		return v->reg == 2 ? whole(4) : v->reg == 3 ? store(whole(4)) : whole(0);
	case 0xc4:
		return whole(2);
	case 0xd0 ... 0xff:
		return integer_d0(v);
	default:
		return whole(0);
	}
}

/* Sign and zero extensions (20 to 25, 30 to 35), and with prefix f3 the narrowing stores (10 to 15, 20 to 25, 30 to
 * 35). */
static struct operand narrow(const struct vex *v)
{
	static const uint8_t divisor[] = {2, 4, 8, 2, 4, 2}, element[] = {1, 1, 1, 2, 2, 4};
	unsigned i = v->opcode & 15;

	return masked(v->vl / divisor[i], element[i]);
}

static struct operand gather(const struct vex *v)
{
	struct operand o = masked(wide(v), wide(v));

	o.index_size = v->opcode & 1 ? 8 : 4;
	o.elements = v->vl / (o.index_size > o.element ? o.index_size : o.element);
	return o;
}

static struct operand masked_move(const struct vex *v, unsigned element)
{
	struct operand o = masked(v->vl, element);

	o.vector_mask = true;
	return o;
}

static struct operand packed(const struct vex *v, unsigned element)
{
	struct operand o = masked(v->vl, element);

	o.packed = true;
	return v->evex ? o : whole(0);
}

/* Multiply-add (96 to 9f, a6 to af, b6 to bf) and other pairs in which odd opcodes are scalar. */
static struct operand scalar_if(const struct vex *v, bool scalar)
{
	return masked(scalar ? wide(v) : v->vl, wide(v));
}

static struct operand map_0f38(const struct vex *v)
{
	if (v->evex && v->pp == PP_F3) {
		switch (v->opcode) {
		case 0x10 ... 0x15:
		case 0x20 ... 0x25:
		case 0x30 ... 0x35:
			return store(narrow(v));
		case 0x26:
		case 0x27:
			return masked(v->vl, v->opcode == 0x26 ? (v->w ? 2 : 1) : wide(v));
		case 0x72: /* vcvtneps2bf16, vdpbf16ps */
		case 0x52:
			return masked(v->vl, 4);
		default:
			return whole(0);
		}
	}
	if (v->evex && v->pp == PP_F2 &&
	    (v->opcode == 0x52 || v->opcode == 0x53 || v->opcode == 0x9a || v->opcode == 0x9b || v->opcode == 0xaa ||
	     v->opcode == 0xab))
		return whole(16); /* the 4-iteration instructions of Xeon Phi */
	switch (v->opcode) {
	case 0x1c:
	case 0x38:
	case 0x3c:
		return masked(v->vl, 1);
	case 0x0b:
	case 0x10 ... 0x12:
	case 0x1d:
	case 0x3a:
	case 0x3e:
	case 0x70:
		return masked(v->vl, 2);
	case 0x54:
		return masked(v->vl, v->w ? 2 : 1);
	case 0x28:
	case 0x29:
	case 0x37:
		return masked(v->vl, 8);
	case 0x00 ... 0x0a: /* bytes and words of SSSE3 */
	case 0x0c ... 0x0f:
	case 0x16:
	case 0x17:
	case 0x2a:
	case 0x2b:
	case 0x36:
	case 0x68:
	case 0x75:
	case 0x76:
	case 0x77:
	case 0x7d:
	case 0x7e:
	case 0x7f:
	case 0x83:
	case 0x8d:
	case 0x8f:
	case 0xc4:
	case 0xcf:
	case 0xdb ... 0xdf:
		return whole(v->vl);
	case 0x13:
		return masked(v->vl / 2, 2);
	case 0x14:
	case 0x15:
	case 0x1e:
	case 0x1f:
	case 0x27:
	case 0x39:
	case 0x3b:
	case 0x3d:
	case 0x3f:
	case 0x40:
	case 0x42:
	case 0x44 ... 0x47:
	case 0x4c:
	case 0x4e:
	case 0x50 ... 0x53:
	case 0x55:
	case 0x64:
	case 0x65:
	case 0x71:
	case 0x72:
	case 0x73:
	case 0xb4:
	case 0xb5:
	case 0xc8:
	case 0xca:
	case 0xcc:
		return masked(v->vl, wide(v));
	case 0x18:
	case 0x58:
		return repeated(v, 4, 4);
	case 0x19:
	case 0x59:
		return repeated(v, 8, v->evex ? wide(v) : 8);
	case 0x1a:
	case 0x5a:
		return repeated(v, 16, wide(v));
	case 0x1b:
	case 0x5b:
		return v->evex ? repeated(v, 32, wide(v)) : whole(0);
	case 0x78:
		return repeated(v, 1, 1);
	case 0x79:
		return repeated(v, 2, 2);
	case 0x20 ... 0x25:
	case 0x30 ... 0x35:
		return narrow(v);
	case 0x26:
		return masked(v->vl, v->w ? 2 : 1);
	case 0x2c:
		return v->evex ? masked(v->vl, wide(v)) : masked_move(v, 4);
	case 0x2d:
		return v->evex ? masked(wide(v), wide(v)) : masked_move(v, 8);
	case 0x2e:
		return v->evex ? whole(0) : store(masked_move(v, 4));
	case 0x2f:
		return v->evex ? whole(0) : store(masked_move(v, 8));
	case 0x8c:
		return v->evex ? whole(0) : masked_move(v, wide(v));
	case 0x8e:
		return v->evex ? whole(0) : store(masked_move(v, wide(v)));
	case 0x41: /* vphminposuw */
		return whole(16);
	case 0x43:
	case 0x4d:
	case 0x4f:
	case 0xcb:
	case 0xcd:
		return masked(wide(v), wide(v));
	case 0x62:
		return packed(v, v->w ? 2 : 1);
	case 0x63:
		return store(packed(v, v->w ? 2 : 1));
	case 0x66:
		return masked(v->vl, v->w ? 2 : 1);
	case 0x88:
	case 0x89:
		return packed(v, wide(v));
	case 0x8a:
	case 0x8b:
		return store(packed(v, wide(v)));
	case 0x90 ... 0x93:
		return gather(v);
	case 0xa0 ... 0xa3:
		return v->evex ? store(gather(v)) : whole(0);
	case 0x96 ... 0x98:
	case 0xa6 ... 0xa8:
	case 0xb6 ... 0xb8:
		return scalar_if(v, false);
	case 0x99 ... 0x9f:
	case 0xa9 ... 0xaf:
	case 0xb9 ... 0xbf:
		return scalar_if(v, v->opcode & 1);
	case 0xc6: /* prefetches of elements */
	case 0xc7:
		return (struct operand){.size = wide(v), .element = wide(v), .none = true};
	case 0xf2:
	case 0xf3:
	case 0xf5 ... 0xf7:
		return v->evex ? whole(0) : whole(wide(v));
	default:
		return whole(0);
	}
}

static struct operand map_0f3a(const struct vex *v)
{
	switch (v->opcode) {
	case 0x00 ... 0x06:
	case 0x0c ... 0x0f:
	case 0x23:
	case 0x40:
	case 0x42:
	case 0x43:
	case 0x44:
	case 0x46:
	case 0x4a ... 0x4c:
	case 0xce:
	case 0xcf:
		return whole(v->vl);
	case 0x08:
	case 0x09:
	case 0x1e:
	case 0x1f:
	case 0x25:
	case 0x26:
	case 0x50:
	case 0x54:
	case 0x56:
	case 0x66:
	case 0x71:
	case 0x73:
		return masked(v->vl, wide(v));
	case 0x3e:
	case 0x3f:
		return masked(v->vl, v->w ? 2 : 1);
	case 0x70:
	case 0x72:
		return masked(v->vl, 2);
	case 0x0a:
		return masked(4, 4);
	case 0x0b:
		return masked(8, 8);
	case 0x27:
	case 0x51:
	case 0x55:
	case 0x57:
	case 0x67:
		return masked(wide(v), wide(v));
	case 0x14:
		return store(whole(1));
	case 0x15:
		return store(whole(2));
	case 0x16:
		return store(whole(wide(v)));
	case 0x17:
		return store(whole(4));
	case 0x18:
	case 0x38:
		return whole(16);
	case 0x19:
	case 0x39:
		return store(masked(16, v->evex ? wide(v) : 0));
	case 0x1a:
	case 0x3a:
		return v->evex ? whole(32) : whole(0);
	case 0x1b:
	case 0x3b:
		return v->evex ? store(masked(32, wide(v))) : whole(0);
	case 0x1d: /* vcvtps2ph */
		return store(masked(v->vl / 2, 2));
	case 0x20:
		return whole(1);
	case 0x21:
		return whole(4);
	case 0x22:
		return whole(wide(v));
	case 0x41:
	case 0x60 ... 0x63:
	case 0xdf:
		return whole(16);
	case 0x5c ... 0x5f: /* FMA4 of AMD */
	case 0x68:
	case 0x69:
	case 0x6c:
	case 0x6d:
	case 0x78:
	case 0x79:
	case 0x7c:
	case 0x7d:
		return v->evex ? whole(0) : whole(v->vl);
	case 0x6a:
	case 0x6e:
	case 0x7a:
	case 0x7e:
		return v->evex ? whole(0) : whole(4);
	case 0x6b:
	case 0x6f:
	case 0x7b:
	case 0x7f:
		return v->evex ? whole(0) : whole(8);
	case 0xf0: /* rorx */
		return v->evex ? whole(0) : whole(wide(v));
	default:
		return whole(0);
	}
}

/* Opcodes with a general register among their operands: for the question whether it is rsp or rbp. */
static bool uses_general(const struct vex *v)
{
	switch (v->map << 8 | v->opcode) {
	case 0x12a:
	case 0x12c:
	case 0x12d:
	case 0x150:
	case 0x16e:
	case 0x178 ... 0x17b:
	case 0x17e:
	case 0x192:
	case 0x193:
	case 0x1c4:
	case 0x1c5:
	case 0x1d7:
	case 0x27a ... 0x27c:
	case 0x2f2 ... 0x2f7:
	case 0x314 ... 0x317:
	case 0x320:
	case 0x322:
	case 0x3f0:
		return true;
	default:
		return false;
	}
}

/* The fields of the prefix. False: the bytes end early or are not such a prefix. */
static bool read_vex(const struct rfs_insn *insn, size_t n, struct vex *v)
{
	const uint8_t *p = insn->bytes + insn->opcode_at;
	size_t left = n - insn->opcode_at;
	uint8_t last;

	*v = (struct vex){.evex = p[0] == 0x62, .map = 1};
	if (left < (p[0] == 0x62 ? 5u : p[0] == 0xc4 ? 4u : 3u))
		return false;
	if (p[0] == 0xc5) {
		last = p[1];
		v->opcode = p[2];
		v->modrm = insn->opcode_at + 3;
	} else {
		v->map = p[1] & (v->evex ? 7 : 31);
		v->x = p[1] & 0x40 ? 0 : 8;
		v->b = p[1] & 0x20 ? 0 : 8;
		v->w = p[2] & 0x80;
		last = p[2];
		v->opcode = p[v->evex ? 4 : 3];
		v->modrm = insn->opcode_at + (v->evex ? 5 : 4);
	}
	v->pp = last & 3;
	v->vvvv = ~(last >> 3) & 15;
	v->vl = last & 4 ? 32 : 16;
	if (v->evex) {
		if (p[1] & 8 || !(p[2] & 4))
			return false;
		v->vl = 16 << ((p[3] >> 5) & 3);
		v->broadcast = p[3] & 0x10;
		v->v_hi = p[3] & 8 ? 0 : 16;
		v->k = p[3] & 7;
	}
	return v->map >= 1 && v->map <= 3;
}

static bool has_immediate(const struct vex *v)
{
	if (v->map == 3)
		return true;
	return v->map == 1 && ((v->opcode >= 0x70 && v->opcode <= 0x73) || v->opcode == 0xc2 ||
			       (v->opcode >= 0xc4 && v->opcode <= 0xc6));
}

static void set_shape(struct rfs_insn *insn, const struct vex *v, const struct operand *o)
{
	bool with_k = v->evex && v->k && o->element;

	if (o->index_size) {
		insn->shape = o->flags & RFS_MEM_WRITE ? RFS_SHAPE_SCATTER : RFS_SHAPE_GATHER;
		insn->index_size = o->index_size;
	} else if (with_k || o->vector_mask) {
		insn->shape = RFS_SHAPE_MASKED;
		insn->packed = o->packed;
	} else {
		return;
	}
	insn->elements = o->elements;
	insn->element_size = o->element;
	insn->mask = (int8_t)(v->evex ? RFS_MASK_K + v->k : RFS_VECTOR + v->vvvv);
}

static int decode_mem(struct rfs_insn *insn, size_t n, const struct vex *v, unsigned *length)
{
	struct operand o = v->map == 1 ? map_0f(v) : v->map == 2 ? map_0f38(v) : map_0f3a(v);
	struct rfs_mem mem;
	unsigned scale8 = 1;

	if (!o.size || v->vl > 64)
		return -EILSEQ;
	if (o.element && !o.elements)
		o.elements = o.size / o.element;
	if (v->broadcast)
		o.size = wide(v);
	if (v->evex)
		scale8 = o.packed || o.index_size ? o.element : o.size;
	if (!rfs_insn_modrm(insn, n, v->modrm, v->b, v->x, scale8, &mem, length))
		return -EILSEQ;
	if (v->map == 2 && (o.index_size || o.none)) { /* VSIB: index 4 is a register like the others */
		if ((insn->bytes[v->modrm] & 7) != 4)
			return -EILSEQ;
		mem.index = (int8_t)(RFS_VECTOR + (((insn->bytes[v->modrm + 1] >> 3) & 7) | v->x | v->v_hi));
	}
	if (o.none)
		return 0;
	mem.size = o.size;
	mem.flags = o.flags ? o.flags : RFS_MEM_READ;
	set_shape(insn, v, &o);
	insn->mem[insn->n_mem++] = mem;
	return 0;
}

/* vmaskmovdqu: the destination is rdi, the mask the sign bits of the second operand's bytes. */
static void add_maskmovdqu(struct rfs_insn *insn, const struct vex *v)
{
	struct rfs_mem mem = {.flags = RFS_MEM_WRITE, .size = 16, .scale = 1, .base = RFS_RDI, .index = -1};

	mem.segment = insn->prefixes & RFS_PREFIX_FS ? 1 : insn->prefixes & RFS_PREFIX_GS ? 2 : 0;
	mem.addr32 = insn->prefixes & RFS_PREFIX_67;
	insn->shape = RFS_SHAPE_MASKED;
	insn->elements = 16;
	insn->element_size = 1;
	insn->mask = (int8_t)(RFS_VECTOR + ((insn->bytes[v->modrm] & 7) | v->b));
	insn->mem[insn->n_mem++] = mem;
}

int rfs_insn_decode_vex(struct rfs_insn *insn, size_t n, struct rfs_insn_detail *detail)
{
	const uint8_t before = RFS_PREFIX_66 | RFS_PREFIX_F2 | RFS_PREFIX_F3 | RFS_PREFIX_LOCK;
	unsigned length = 1;
	struct vex v;
	uint8_t modrm;
	int result;

	if (insn->prefixes & before || insn->rex || !read_vex(insn, n, &v))
		return -EILSEQ;
	if (v.map == 1 && v.opcode == 0x77 && !v.evex) { /* vzeroupper, vzeroall: no ModRM */
		insn->length = v.modrm;
		return 0;
	}
	if (v.modrm >= n)
		return -EILSEQ;
	modrm = insn->bytes[v.modrm];
	v.reg = (modrm >> 3) & 7;
	if (modrm >> 6 != 3) {
		result = decode_mem(insn, n, &v, &length);
		if (result)
			return result;
	}
	if (v.modrm + length + has_immediate(&v) > n)
		return -EILSEQ;
	insn->length = v.modrm + length + has_immediate(&v);
	if (insn->n_mem)
		rfs_insn_finish_rip(insn, &insn->mem[0]);
	if (modrm >> 6 == 3 && v.map == 1 && v.opcode == 0xf7 && !v.evex)
		add_maskmovdqu(insn, &v);
	if (detail && uses_general(&v)) {
		/* Extensions ignored: r12 and r13 count as rsp and rbp, which errs on the safe side. */
		if ((modrm >> 6 == 3 && (modrm & 7) == RFS_RSP) || v.reg == RFS_RSP || v.vvvv == RFS_RSP)
			detail->registers |= 1 << RFS_RSP;
		if ((modrm >> 6 == 3 && (modrm & 7) == RFS_RBP) || v.reg == RFS_RBP || v.vvvv == RFS_RBP)
			detail->registers |= 1 << RFS_RBP;
	}
	return 0;
}
