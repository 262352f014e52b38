/*
 * insn_vex.c - decodes VEX and EVEX instructions (AVX to AVX-512, BMI).
 *
 * The layout is described in Intel SDM vol. 2, 2.3 (VEX) and 2.7 (EVEX). Map and opcode alone determine whether there
 * is an immediate. So instructions without a memory operand need no table.
 */
#include "disasm/insn/insn-priv.h"

#include <errno.h>

#include "disasm/insn/vex-priv.h"

/* Whether the instruction has a general register as an operand. If so, rfs_insn_decode_vex() checks whether it is rsp
 * or rbp. */
static bool uses_general(const struct rfs_vex *v)
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

/* Reads the prefix into *v. False if the bytes end early or are not a valid prefix. */
static bool read_vex(const struct rfs_insn *insn, size_t n, struct rfs_vex *v)
{
	const uint8_t *p = insn->bytes + insn->opcode_at;
	size_t left = n - insn->opcode_at;
	uint8_t last;

	*v = (struct rfs_vex){.evex = p[0] == 0x62, .map = 1};
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

static bool has_immediate(const struct rfs_vex *v)
{
	if (v->map == 3)
		return true;
	return v->map == 1 && ((v->opcode >= 0x70 && v->opcode <= 0x73) || v->opcode == 0xc2 ||
			       (v->opcode >= 0xc4 && v->opcode <= 0xc6));
}

static void set_shape(struct rfs_insn *insn, const struct rfs_vex *v, const struct rfs_vex_operand *o)
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

static int decode_mem(struct rfs_insn *insn, size_t n, const struct rfs_vex *v, unsigned *length)
{
	struct rfs_vex_operand o = rfs_vex_operand(v);
	struct rfs_mem mem;
	unsigned scale8 = 1;

	if (!o.size || v->vl > 64)
		return -EILSEQ;
	if (o.element && !o.elements)
		o.elements = o.size / o.element;
	if (v->broadcast)
		o.size = rfs_vex_wide(v);
	if (v->evex)
		scale8 = o.packed || o.index_size ? o.element : o.size;
	if (!rfs_insn_modrm(insn, n, v->modrm, v->b, v->x, scale8, &mem, length))
		return -EILSEQ;
	if (v->map == 2 && (o.index_size || o.none)) { /* VSIB: here index 4 is a vector register, not "no index" */
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

/* vmaskmovdqu: writes to [rdi]. The mask is the sign bits of the bytes of the second operand. */
static void add_maskmovdqu(struct rfs_insn *insn, const struct rfs_vex *v)
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
	struct rfs_vex v;
	uint8_t modrm;
	int result;

	if (insn->prefixes & before || insn->rex || !read_vex(insn, n, &v))
		return -EILSEQ;
	if (v.map == 1 && v.opcode == 0x77 && !v.evex) { /* vzeroupper and vzeroall have no ModRM byte */
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
		/* Extension bits are ignored, so r12 and r13 count as rsp and rbp. At worst, a frame address that does
		 * not escape counts as escaping. */
		if ((modrm >> 6 == 3 && (modrm & 7) == RFS_RSP) || v.reg == RFS_RSP || v.vvvv == RFS_RSP)
			detail->registers |= 1 << RFS_RSP;
		if ((modrm >> 6 == 3 && (modrm & 7) == RFS_RBP) || v.reg == RFS_RBP || v.vvvv == RFS_RBP)
			detail->registers |= 1 << RFS_RBP;
	}
	return 0;
}
