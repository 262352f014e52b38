/*
 * insn_vex_operand.c - the memory operand of VEX and EVEX instructions (AVX to AVX-512, BMI), by opcode.
 *
 * The widths come from the tuple types (Intel SDM vol. 2, 2.7.5) and from the page of each instruction. Capstone 4.0.2
 * lacks AVX-512BW and later, and has some wrong widths.
 *
 * Under an EVEX write mask, most instructions access only the active elements ("fault suppression", exception types E1
 * to E6 without NF). In the functions below, these have an element size. Instructions of the NF types access the whole
 * operand and have none.
 */
#include "disasm/insn/vex-priv.h"

#include "disasm/insn/insn.h"

static struct rfs_vex_operand whole(unsigned size)
{
	return (struct rfs_vex_operand){.size = size};
}

static struct rfs_vex_operand masked(unsigned size, unsigned element)
{
	return (struct rfs_vex_operand){.size = size, .element = element};
}

static struct rfs_vex_operand store(struct rfs_vex_operand operand)
{
	operand.flags = RFS_MEM_WRITE;
	return operand;
}

/* An operand of `size` bytes in memory that is repeated over the whole vector. */
static struct rfs_vex_operand repeated(const struct rfs_vex *v, unsigned size, unsigned element)
{
	return (struct rfs_vex_operand){.size = size, .element = element, .elements = v->vl / element};
}

/* Operand of instructions whose mandatory prefix selects ps, pd, ss or sd. */
static struct rfs_vex_operand by_prefix(const struct rfs_vex *v)
{
	switch (v->pp) {
	case RFS_PP_NONE:
		return masked(v->vl, 4);
	case RFS_PP_66:
		return masked(v->vl, 8);
	case RFS_PP_F3:
		return masked(4, 4);
	default:
		return masked(8, 8);
	}
}

/* Opcodes 78 to 7b: AVX-512 conversions between floats and unsigned or 64-bit integers. */
static struct rfs_vex_operand convert_78_to_7b(const struct rfs_vex *v)
{
	const struct rfs_vex_operand half = masked(v->vl / 2, 4), full = masked(v->vl, rfs_vex_wide(v));

	if (!v->evex)
		return whole(0);
	if (v->pp == RFS_PP_66)
		return v->w ? full : half;
	if (v->opcode == 0x7a)
		return v->pp == RFS_PP_F3 && !v->w ? half : full;
	if (v->opcode == 0x7b)
		return v->pp == RFS_PP_NONE ? whole(0) : whole(rfs_vex_wide(v));
	if (v->pp == RFS_PP_NONE)
		return full;
	return whole(v->pp == RFS_PP_F3 ? 4 : 8);
}

/* kmov between memory and a mask register. W bit and prefix select the width. */
static struct rfs_vex_operand mask_move(const struct rfs_vex *v)
{
	unsigned size;

	if (v->evex || v->pp > RFS_PP_66)
		return whole(0);
	size = v->pp == RFS_PP_NONE ? (v->w ? 8 : 2) : (v->w ? 4 : 1);
	return v->opcode == 0x91 ? store(whole(size)) : whole(size);
}

/* Opcodes d0 to ff of the 0f map: packed integer arithmetic. */
static struct rfs_vex_operand integer_d0(const struct rfs_vex *v)
{
	switch (v->opcode) {
	case 0xd1: /* shifts: the count is in an xmm or 16 bytes of memory, for any vector length */
	case 0xd2:
	case 0xd3:
	case 0xe1:
	case 0xe2:
	case 0xf1:
	case 0xf2:
	case 0xf3:
		return whole(16);
	case 0xd6: /* vmovq */
		return v->pp == RFS_PP_66 ? store(whole(8)) : whole(0);
	case 0xe6:
		if (v->pp == RFS_PP_F3)
			return v->w && v->evex ? masked(v->vl, 8) : masked(v->vl / 2, 4);
		return masked(v->vl, 8);
	case 0xe7: /* vmovntdq */
		return store(whole(v->vl));
	case 0xd7: /* vpmovmskb, vmaskmovdqu: no memory operand */
	case 0xf7:
	case 0xff:
		return whole(0);
	case 0xdb:
	case 0xdf:
	case 0xeb:
	case 0xef:
		return masked(v->vl, rfs_vex_wide(v));
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

static struct rfs_vex_operand map_0f(const struct rfs_vex *v)
{
	struct rfs_vex_operand o;

	switch (v->opcode) {
	case 0x10:
		return by_prefix(v);
	case 0x11:
		return store(by_prefix(v));
	case 0x12:
		if (v->pp == RFS_PP_F3)
			return whole(v->vl);
		return whole(v->pp == RFS_PP_F2 && v->vl > 16 ? v->vl : 8);
	case 0x13:
	case 0x17:
		return v->pp > RFS_PP_66 ? whole(0) : store(whole(8));
	case 0x16:
		return whole(v->pp == RFS_PP_F3 ? v->vl : 8);
	case 0x14:
	case 0x15:
	case 0xc6:
		return whole(v->vl);
	case 0x28:
		return by_prefix(v);
	case 0x29:
		return store(by_prefix(v));
	case 0x2a:
		return v->pp < RFS_PP_F3 ? whole(0) : whole(rfs_vex_wide(v));
	case 0x2b:
		return store(whole(v->vl));
	case 0x2c:
	case 0x2d:
		return v->pp < RFS_PP_F3 ? whole(0) : whole(v->pp == RFS_PP_F3 ? 4 : 8);
	case 0x2e:
	case 0x2f:
		return whole(v->pp == RFS_PP_NONE ? 4 : 8);
	case 0x5a:
		o = by_prefix(v);
		if (v->pp == RFS_PP_NONE)
			o.size = v->vl / 2;
		return o;
	case 0x5b:
		return masked(v->vl, rfs_vex_wide(v));
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
		return whole(rfs_vex_wide(v));
	case 0x6f:
	case 0x7f:
		o = masked(v->vl, v->evex && v->pp == RFS_PP_F2 ? (v->w ? 2 : 1) : rfs_vex_wide(v));
		return v->opcode == 0x7f ? store(o) : o;
	case 0x71:
		return v->evex ? masked(v->vl, 2) : whole(0);
	case 0x72:
		return v->evex ? masked(v->vl, rfs_vex_wide(v)) : whole(0);
	case 0x73: /* /3 and /7 shift bytes and have no mask */
		return v->evex ? masked(v->vl, v->reg == 3 || v->reg == 7 ? 0 : 8) : whole(0);
	case 0x78 ... 0x7b:
		return convert_78_to_7b(v);
	case 0x7e:
		return v->pp == RFS_PP_F3 ? whole(8) : v->pp == RFS_PP_66 ? store(whole(rfs_vex_wide(v))) : whole(0);
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

/* Sign and zero extensions (20 to 25, 30 to 35). With prefix f3: the stores that make elements narrower (10 to 15, 20
 * to 25, 30 to 35). */
static struct rfs_vex_operand narrow(const struct rfs_vex *v)
{
	static const uint8_t divisor[] = {2, 4, 8, 2, 4, 2}, element[] = {1, 1, 1, 2, 2, 4};
	unsigned i = v->opcode & 15;

	return masked(v->vl / divisor[i], element[i]);
}

static struct rfs_vex_operand gather(const struct rfs_vex *v)
{
	struct rfs_vex_operand o = masked(rfs_vex_wide(v), rfs_vex_wide(v));

	o.index_size = v->opcode & 1 ? 8 : 4;
	o.elements = v->vl / (o.index_size > o.element ? o.index_size : o.element);
	return o;
}

static struct rfs_vex_operand masked_move(const struct rfs_vex *v, unsigned element)
{
	struct rfs_vex_operand o = masked(v->vl, element);

	o.vector_mask = true;
	return o;
}

static struct rfs_vex_operand packed(const struct rfs_vex *v, unsigned element)
{
	struct rfs_vex_operand o = masked(v->vl, element);

	o.packed = true;
	return v->evex ? o : whole(0);
}

/* Multiply-add (96 to 9f, a6 to af, b6 to bf). Its odd opcodes from 99, a9 and b9 on are scalar. */
static struct rfs_vex_operand scalar_if(const struct rfs_vex *v, bool scalar)
{
	return masked(scalar ? rfs_vex_wide(v) : v->vl, rfs_vex_wide(v));
}

static struct rfs_vex_operand map_0f38(const struct rfs_vex *v)
{
	if (v->evex && v->pp == RFS_PP_F3) {
		switch (v->opcode) {
		case 0x10 ... 0x15:
		case 0x20 ... 0x25:
		case 0x30 ... 0x35:
			return store(narrow(v));
		case 0x26:
		case 0x27:
			return masked(v->vl, v->opcode == 0x26 ? (v->w ? 2 : 1) : rfs_vex_wide(v));
		case 0x72: /* vcvtneps2bf16, vdpbf16ps */
		case 0x52:
			return masked(v->vl, 4);
		default:
			return whole(0);
		}
	}
	if (v->evex && v->pp == RFS_PP_F2 &&
	    (v->opcode == 0x52 || v->opcode == 0x53 || v->opcode == 0x9a || v->opcode == 0x9b || v->opcode == 0xaa ||
	     v->opcode == 0xab))
		return whole(16); /* instructions of Xeon Phi that repeat four times: 4FMAPS, 4VNNIW */
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
	case 0x00 ... 0x0a: /* byte and word instructions of SSSE3 */
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
		return masked(v->vl, rfs_vex_wide(v));
	case 0x18:
	case 0x58:
		return repeated(v, 4, 4);
	case 0x19:
	case 0x59:
		return repeated(v, 8, v->evex ? rfs_vex_wide(v) : 8);
	case 0x1a:
	case 0x5a:
		return repeated(v, 16, rfs_vex_wide(v));
	case 0x1b:
	case 0x5b:
		return v->evex ? repeated(v, 32, rfs_vex_wide(v)) : whole(0);
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
		return v->evex ? masked(v->vl, rfs_vex_wide(v)) : masked_move(v, 4);
	case 0x2d:
		return v->evex ? masked(rfs_vex_wide(v), rfs_vex_wide(v)) : masked_move(v, 8);
	case 0x2e:
		return v->evex ? whole(0) : store(masked_move(v, 4));
	case 0x2f:
		return v->evex ? whole(0) : store(masked_move(v, 8));
	case 0x8c:
		return v->evex ? whole(0) : masked_move(v, rfs_vex_wide(v));
	case 0x8e:
		return v->evex ? whole(0) : store(masked_move(v, rfs_vex_wide(v)));
	case 0x41: /* vphminposuw */
		return whole(16);
	case 0x43:
	case 0x4d:
	case 0x4f:
	case 0xcb:
	case 0xcd:
		return masked(rfs_vex_wide(v), rfs_vex_wide(v));
	case 0x62:
		return packed(v, v->w ? 2 : 1);
	case 0x63:
		return store(packed(v, v->w ? 2 : 1));
	case 0x66:
		return masked(v->vl, v->w ? 2 : 1);
	case 0x88:
	case 0x89:
		return packed(v, rfs_vex_wide(v));
	case 0x8a:
	case 0x8b:
		return store(packed(v, rfs_vex_wide(v)));
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
	case 0xc6: /* prefetches of single elements */
	case 0xc7:
		return (struct rfs_vex_operand){.size = rfs_vex_wide(v), .element = rfs_vex_wide(v), .none = true};
	case 0xf2:
	case 0xf3:
	case 0xf5 ... 0xf7:
		return v->evex ? whole(0) : whole(rfs_vex_wide(v));
	default:
		return whole(0);
	}
}

static struct rfs_vex_operand map_0f3a(const struct rfs_vex *v)
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
		return masked(v->vl, rfs_vex_wide(v));
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
		return masked(rfs_vex_wide(v), rfs_vex_wide(v));
	case 0x14:
		return store(whole(1));
	case 0x15:
		return store(whole(2));
	case 0x16:
		return store(whole(rfs_vex_wide(v)));
	case 0x17:
		return store(whole(4));
	case 0x18:
	case 0x38:
		return whole(16);
	case 0x19:
	case 0x39:
		return store(masked(16, v->evex ? rfs_vex_wide(v) : 0));
	case 0x1a:
	case 0x3a:
		return v->evex ? whole(32) : whole(0);
	case 0x1b:
	case 0x3b:
		return v->evex ? store(masked(32, rfs_vex_wide(v))) : whole(0);
	case 0x1d: /* vcvtps2ph */
		return store(masked(v->vl / 2, 2));
	case 0x20:
		return whole(1);
	case 0x21:
		return whole(4);
	case 0x22:
		return whole(rfs_vex_wide(v));
	case 0x41:
	case 0x60 ... 0x63:
	case 0xdf:
		return whole(16);
	case 0x5c ... 0x5f: /* AMD's FMA4 */
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
		return v->evex ? whole(0) : whole(rfs_vex_wide(v));
	default:
		return whole(0);
	}
}

struct rfs_vex_operand rfs_vex_operand(const struct rfs_vex *v)
{
	return v->map == 1 ? map_0f(v) : v->map == 2 ? map_0f38(v) : map_0f3a(v);
}
