/*
 * insn.c - decodes one instruction. Prefixes and control flow are decoded here; length, name and operand width come
 * from Capstone (insn_known.c).
 */
#include "disasm/insn/insn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/insn/insn-priv.h"
#include "disasm/insn/insn_known-priv.h"

struct rfs_decoder {
	struct rfs_knowns *knowns;
};

int rfs_decoder_new(struct rfs_decoder **out)
{
	struct rfs_decoder *decoder = calloc(1, sizeof(*decoder));
	int result = decoder ? rfs_knowns_new(&decoder->knowns) : -ENOMEM;

	if (result)
		free(decoder);
	else
		*out = decoder;
	return result;
}

void rfs_decoder_free(struct rfs_decoder *decoder)
{
	if (!decoder)
		return;
	rfs_knowns_free(decoder->knowns);
	free(decoder);
}

/* Reads legacy prefixes and REX (SDM vol. 2, 2.1.1 and 2.2.1). A REX byte counts only right before the opcode. False if
 * the bytes end before an opcode. */
static bool read_prefixes(struct rfs_insn *insn, size_t n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned flag = 0, instead = 0;

		switch (insn->bytes[i]) {
		case 0x66:
			flag = RFS_PREFIX_66;
			break;
		case 0x67:
			flag = RFS_PREFIX_67;
			break;
		case 0xf2:
			flag = RFS_PREFIX_F2;
			instead = RFS_PREFIX_F3;
			break;
		case 0xf3:
			flag = RFS_PREFIX_F3;
			instead = RFS_PREFIX_F2;
			break;
		case 0xf0:
			flag = RFS_PREFIX_LOCK;
			break;
		case 0x64:
			flag = RFS_PREFIX_FS;
			instead = RFS_PREFIX_GS;
			break;
		case 0x65:
			flag = RFS_PREFIX_GS;
			instead = RFS_PREFIX_FS;
			break;
		case 0x26: /* es, cs, ss, ds: have no effect in 64-bit mode (3e may also mean notrack) */
		case 0x2e:
		case 0x36:
		case 0x3e:
			break;
		case 0x40 ... 0x4f:
			insn->rex = insn->bytes[i];
			continue;
		default:
			insn->opcode_at = i;
			return true;
		}
		insn->rex = 0;
		insn->prefixes = (insn->prefixes & ~instead) | flag;
	}
	return false;
}

static int8_t segment_of(const struct rfs_insn *insn)
{
	return insn->prefixes & RFS_PREFIX_FS ? 1 : insn->prefixes & RFS_PREFIX_GS ? 2 : 0;
}

static int64_t read_signed(const uint8_t *p, unsigned size)
{
	int32_t wide;

	if (size == 1)
		return (int8_t)*p;
	memcpy(&wide, p, sizeof(wide));
	return wide;
}

bool rfs_insn_modrm(struct rfs_insn *insn, size_t n, unsigned at, unsigned rex_b, unsigned rex_x, unsigned scale8,
		    struct rfs_mem *mem, unsigned *length)
{
	unsigned p = at, mod, rm, disp_size;

	if (p >= n)
		return false;
	mod = insn->bytes[p] >> 6;
	rm = insn->bytes[p++] & 7;
	if (mod == 3)
		return false;
	*mem = (struct rfs_mem){.scale = 1, .base = -1, .index = -1, .segment = segment_of(insn)};
	mem->addr32 = insn->prefixes & RFS_PREFIX_67;
	disp_size = mod == 1 ? 1 : mod == 2 ? 4 : 0;
	if (rm == 4) {
		unsigned sib, index;

		if (p >= n)
			return false;
		sib = insn->bytes[p++];
		mem->scale = 1 << (sib >> 6);
		index = ((sib >> 3) & 7) | rex_x;
		mem->index = index == RFS_RSP ? -1 : (int8_t)index;
		mem->base = (int8_t)((sib & 7) | rex_b);
		if ((sib & 7) == 5 && mod == 0) {
			mem->base = -1;
			disp_size = 4;
		}
	} else if (rm == 5 && mod == 0) {
		mem->rip_relative = true;
		disp_size = 4;
	} else {
		mem->base = (int8_t)(rm | rex_b);
	}
	if (p + disp_size > n)
		return false;
	if (disp_size)
		mem->disp = read_signed(insn->bytes + p, disp_size) * (disp_size == 1 ? (int)scale8 : 1);
	if (mem->rip_relative)
		insn->rip_disp = p;
	*length = p + disp_size - at;
	return true;
}

void rfs_insn_finish_rip(const struct rfs_insn *insn, struct rfs_mem *mem)
{
	if (mem->rip_relative)
		mem->disp = (int64_t)(insn->vaddr + insn->length + (uint64_t)mem->disp);
}

static struct rfs_mem *add_mem(struct rfs_insn *insn, const struct rfs_mem *mem)
{
	insn->mem[insn->n_mem] = *mem;
	return &insn->mem[insn->n_mem++];
}

static void add_based(struct rfs_insn *insn, unsigned flags, enum rfs_reg base, int64_t disp, unsigned size)
{
	struct rfs_mem mem = {.flags = flags, .size = size, .scale = 1, .base = base, .index = -1, .disp = disp};

	add_mem(insn, &mem);
}

static void add_push(struct rfs_insn *insn, unsigned size)
{
	add_based(insn, RFS_MEM_WRITE | RFS_MEM_STACK, RFS_RSP, -(int64_t)size, size);
}

static void add_pop(struct rfs_insn *insn, unsigned size)
{
	add_based(insn, RFS_MEM_READ | RFS_MEM_STACK, RFS_RSP, 0, size);
}

static unsigned stack_width(const struct rfs_insn *insn)
{
	return insn->prefixes & RFS_PREFIX_66 ? 2 : 8;
}

/* The opcode with its map: xx, 0fxx, 0f38xx or 0f3axx; 0 if the bytes end before it does. *modrm_at is the offset after
 * the opcode. */
static unsigned opcode_of(const struct rfs_insn *insn, unsigned *modrm_at)
{
	const uint8_t *p = insn->bytes + insn->opcode_at;
	unsigned left = insn->length - insn->opcode_at;

	*modrm_at = insn->opcode_at + 1;
	if (p[0] != 0x0f)
		return p[0];
	if (left < 2)
		return 0;
	*modrm_at += 1;
	if (p[1] != 0x38 && p[1] != 0x3a)
		return 0x0f00 | p[1];
	if (left < 3)
		return 0;
	*modrm_at += 1;
	return 0x0f0000 | p[1] << 8 | p[2];
}

static void direct(struct rfs_insn *insn, enum rfs_flow flow, unsigned size)
{
	insn->flow = flow;
	insn->target = insn->vaddr + insn->length + (uint64_t)read_signed(insn->bytes + insn->length - size, size);
}

/* Decodes control transfers, traps and system calls, with their stack accesses. False for other instructions. */
static bool decode_flow(struct rfs_insn *insn, unsigned opcode, unsigned modrm_at)
{
	unsigned reg = modrm_at < insn->length ? (insn->bytes[modrm_at] >> 3) & 7 : 0;

	switch (opcode) {
	case 0x70 ... 0x7f:
	case 0xe0 ... 0xe3:
		direct(insn, RFS_FLOW_BRANCH, 1);
		return true;
	case 0x0f80 ... 0x0f8f:
		direct(insn, RFS_FLOW_BRANCH, 4);
		return true;
	case 0xeb:
		direct(insn, RFS_FLOW_JUMP, 1);
		return true;
	case 0xe9:
		direct(insn, RFS_FLOW_JUMP, 4);
		return true;
	case 0xe8:
		direct(insn, RFS_FLOW_CALL, 4);
		add_push(insn, 8);
		return true;
	case 0xc2:
	case 0xc3:
		insn->flow = RFS_FLOW_RETURN;
		add_pop(insn, 8);
		return true;
	case 0xff:
		if (reg != 2 && reg != 4)
			return false;
		insn->flow = reg == 2 ? RFS_FLOW_CALL_INDIRECT : RFS_FLOW_JUMP_INDIRECT;
		return true;
	case 0x0f05:
		insn->flow = RFS_FLOW_SYSCALL;
		return true;
	case 0xcd:
		insn->flow = insn->bytes[modrm_at] == 0x80 ? RFS_FLOW_SYSCALL : RFS_FLOW_TRAP;
		return true;
	case 0xcc:
	case 0xf1:
	case 0xf4:
	case 0x0f0b:
	case 0x0fb9:
	case 0x0fff:
		insn->flow = RFS_FLOW_TRAP;
		return true;
	case 0xca: /* retf, iret, sysret, sysenter, sysexit */
	case 0xcb:
	case 0xcf:
	case 0x0f07:
	case 0x0f34:
	case 0x0f35:
		insn->cannot_copy = true;
		return true;
	default:
		return false;
	}
}

static bool decode_string(struct rfs_insn *insn, unsigned opcode)
{
	unsigned size = !(opcode & 1) ? 1 : insn->rex & 8 ? 8 : insn->prefixes & RFS_PREFIX_66 ? 2 : 4;
	struct rfs_mem source = {.flags = RFS_MEM_READ, .size = size, .scale = 1, .base = RFS_RSI, .index = -1};
	struct rfs_mem destination = {.flags = RFS_MEM_WRITE, .size = size, .scale = 1, .base = RFS_RDI, .index = -1};

	source.segment = segment_of(insn);
	source.addr32 = destination.addr32 = insn->prefixes & RFS_PREFIX_67;
	switch (opcode) {
	case 0xa4: /* movs */
	case 0xa5:
		add_mem(insn, &source);
		add_mem(insn, &destination);
		break;
	case 0xa6: /* cmps */
	case 0xa7:
		destination.flags = RFS_MEM_READ;
		add_mem(insn, &source);
		add_mem(insn, &destination);
		break;
	case 0xaa: /* stos */
	case 0xab:
		add_mem(insn, &destination);
		break;
	case 0xac: /* lods */
	case 0xad:
		add_mem(insn, &source);
		break;
	case 0xae: /* scas */
	case 0xaf:
		destination.flags = RFS_MEM_READ;
		add_mem(insn, &destination);
		break;
	default:
		return false;
	}
	insn->shape = RFS_SHAPE_STRING;
	insn->rep = insn->prefixes & (RFS_PREFIX_F2 | RFS_PREFIX_F3);
	if (insn->rep && (opcode == 0xa6 || opcode == 0xa7 || opcode == 0xae || opcode == 0xaf))
		insn->rep_until = insn->prefixes & RFS_PREFIX_F3 ? 1 : 2;
	return true;
}

/* Decodes instructions that access memory without an explicit operand, except control transfers. False for other
 * instructions. */
static bool decode_implicit(struct rfs_insn *insn, unsigned opcode, unsigned modrm_at)
{
	unsigned width = stack_width(insn), modrm = modrm_at < insn->length ? insn->bytes[modrm_at] : 0;
	struct rfs_mem mem;

	switch (opcode) {
	case 0x50 ... 0x57:
	case 0x68:
	case 0x6a:
	case 0x9c:
	case 0x0fa0:
	case 0x0fa8:
		add_push(insn, width);
		return true;
	case 0x58 ... 0x5f:
	case 0x9d:
	case 0x0fa1:
	case 0x0fa9:
		add_pop(insn, width);
		return true;
	case 0xc8: { /* enter: pushes rbp, copies level - 1 frame pointers, pushes the new frame pointer */
		unsigned level = insn->bytes[modrm_at + 2] & 31;

		add_based(insn, RFS_MEM_WRITE | RFS_MEM_STACK, RFS_RSP, -8 * (int64_t)(level + 1), 8 * (level + 1));
		if (level > 1)
			add_based(insn, RFS_MEM_READ | RFS_MEM_STACK, RFS_RBP, -8 * (int64_t)(level - 1),
				  8 * (level - 1));
		return true;
	}
	case 0xc9:
		add_based(insn, RFS_MEM_READ | RFS_MEM_STACK, RFS_RBP, 0, width);
		return true;
	case 0xd7:
		mem = (struct rfs_mem){.flags = RFS_MEM_READ, .size = 1, .scale = 1, .base = RFS_RBX, .index = -1};
		mem.segment = segment_of(insn);
		mem.addr32 = insn->prefixes & RFS_PREFIX_67;
		add_mem(insn, &mem);
		insn->shape = RFS_SHAPE_XLAT;
		return true;
	case 0x0ff7: /* maskmovq, maskmovdqu: struct rfs_machine cannot read an mmx register, so maskmovq has no mask */
		if (modrm >> 6 != 3)
			return false;
		mem = (struct rfs_mem){.flags = RFS_MEM_WRITE, .scale = 1, .base = RFS_RDI, .index = -1};
		mem.segment = segment_of(insn);
		mem.addr32 = insn->prefixes & RFS_PREFIX_67;
		mem.size = insn->prefixes & RFS_PREFIX_66 ? 16 : 8;
		if (insn->prefixes & RFS_PREFIX_66)
			insn->mask = (int8_t)(RFS_VECTOR + ((modrm & 7) | (insn->rex & 1 ? 8 : 0)));
		insn->shape = RFS_SHAPE_MASKED;
		insn->elements = mem.size;
		insn->element_size = 1;
		add_mem(insn, &mem);
		return true;
	case 0x6c ... 0x6f: /* ins, outs: fault before they access memory, because the target has no permission for
			       ports */
		return true;
	default:
		return false;
	}
}

/* Corrects operands for which Capstone gives no width or a wrong one, and adds accesses if an operand means several. */
static void adjust_operand(struct rfs_insn *insn, unsigned opcode, unsigned modrm, struct rfs_mem *mem)
{
	unsigned reg = (modrm >> 3) & 7, narrow = insn->prefixes & RFS_PREFIX_66;

	switch (opcode) {
	case 0x8f: /* pop: rsp is incremented before the address is computed */
		mem->size = stack_width(insn);
		if (mem->base == RFS_RSP)
			mem->disp += mem->size;
		add_pop(insn, mem->size);
		break;
	case 0xff:
		if (reg == 6) {
			mem->size = stack_width(insn);
			add_push(insn, mem->size);
		} else if (reg == 2 || reg == 4) {
			mem->size = 8;
			if (reg == 2)
				add_push(insn, 8);
		} else if (reg == 3 || reg == 5) {
			insn->cannot_copy = true;
		}
		break;
	case 0xd9:
		if (reg == 4 || reg == 6) /* fldenv, fnstenv */
			mem->size = narrow ? 14 : 28;
		break;
	case 0xdd:
		if (reg == 4 || reg == 6) /* frstor, fnsave */
			mem->size = narrow ? 94 : 108;
		else if (reg == 7) /* fnstsw */
			mem->size = 2;
		break;
	case 0x0f2e: /* ucomiss, ucomisd, comiss, comisd */
	case 0x0f2f:
		mem->size = narrow ? 8 : 4;
		break;
	case 0x0f60: /* punpckl with mmx reads only half of a register */
	case 0x0f61:
	case 0x0f62:
		if (!narrow)
			mem->size = 4;
		break;
	case 0x0fae:
		if (reg <= 1)
			mem->size = 512;
		else if (reg == 5) /* xrstor */
			mem->flags = RFS_MEM_READ;
		else if (reg == 4 || (reg == 6 && !narrow)) /* xsave, xsaveopt; with prefix 66 it is clwb */
			mem->flags = RFS_MEM_WRITE;
		if (reg >= 4 && mem->flags) {
			mem->size = 0;
			insn->shape = RFS_SHAPE_XSAVE;
		}
		break;
	case 0x0fc7:
		if (reg == 1) { /* cmpxchg8b, cmpxchg16b */
			mem->size = insn->rex & 8 ? 16 : 8;
		} else if (reg == 4) { /* xsavec */
			mem->flags = RFS_MEM_WRITE;
			mem->size = 0;
			insn->shape = RFS_SHAPE_XSAVE;
		}
		break;
	case 0x0fa3: /* bt, bts, btr, btc with a register */
	case 0x0fab:
	case 0x0fb3:
	case 0x0fbb:
		insn->shape = RFS_SHAPE_BIT;
		insn->bit_index = (int8_t)(reg | (insn->rex & 4 ? 8 : 0));
		break;
	default:
		break;
	}
}

static bool is_plain_move(unsigned opcode)
{
	switch (opcode) {
	case 0x88 ... 0x8b:
	case 0xa0 ... 0xa3:
	case 0xc6:
	case 0xc7:
		return true;
	default:
		return false;
	}
}

/* Decodes the operand in memory, if there is one. */
static int decode_operand(struct rfs_insn *insn, const struct rfs_known *known, unsigned opcode, unsigned modrm_at,
			  struct rfs_insn_detail *detail)
{
	struct rfs_mem mem, *added;
	unsigned length;
	bool moffs = opcode >= 0xa0 && opcode <= 0xa3;

	if (!known->has_mem)
		return 0;
	if (moffs) {
		mem = (struct rfs_mem){.scale = 1, .base = -1, .index = -1, .segment = segment_of(insn)};
		mem.addr32 = insn->prefixes & RFS_PREFIX_67;
		memcpy(&mem.disp, insn->bytes + modrm_at, mem.addr32 ? 4 : 8);
	} else if (rfs_insn_modrm(insn, insn->length, modrm_at, insn->rex & 1 ? 8 : 0, insn->rex & 2 ? 8 : 0, 1, &mem,
				  &length)) {
		rfs_insn_finish_rip(insn, &mem);
	} else {
		return -EILSEQ;
	}
	mem.size = known->mem_size;
	mem.flags = known->mem_flags;
	if (detail && known->lea)
		detail->lea = mem;
	if (!mem.flags)
		return 0;
	added = add_mem(insn, &mem);
	if (!moffs)
		adjust_operand(insn, opcode, insn->bytes[modrm_at], added);
	insn->plain_move = is_plain_move(opcode);
	return 0;
}

static void fill_detail(const struct rfs_known *known, struct rfs_insn_detail *detail)
{
	detail->form = (enum rfs_form)known->form;
	detail->result = (enum rfs_result_use)known->result;
	detail->registers = known->registers;
	detail->destination = known->destination;
	detail->source = known->source;
}

static int decode_legacy(struct rfs_decoder *decoder, struct rfs_insn *insn, size_t n, struct rfs_insn_detail *detail)
{
	const struct rfs_known *known = rfs_known_find(decoder->knowns, insn, n);
	unsigned opcode, modrm_at;
	int result;

	if (!known)
		return rfs_insn_decode_recent(insn, n);
	insn->length = known->length;
	if (insn->opcode_at >= insn->length)
		return -EILSEQ;
	opcode = opcode_of(insn, &modrm_at);
	if (detail)
		fill_detail(known, detail);
	/* no copies of these: the target of xbegin is relative to its own address */
	insn->cannot_copy = known->transaction;
	insn->pause = known->pause;
	insn->rdtsc = known->rdtsc;
	if (decode_string(insn, opcode) || decode_implicit(insn, opcode, modrm_at))
		return 0;
	if (decode_flow(insn, opcode, modrm_at) && insn->flow != RFS_FLOW_CALL_INDIRECT &&
	    insn->flow != RFS_FLOW_JUMP_INDIRECT)
		return 0;
	result = decode_operand(insn, known, opcode, modrm_at, detail);
	if (!result && insn->flow == RFS_FLOW_CALL_INDIRECT && !insn->n_mem)
		add_push(insn, 8);
	return result;
}

/* Sets insn->atomic or insn->rmw, from prefix, opcode and operands. */
static void insn_classify(struct rfs_insn *insn)
{
	const unsigned both = RFS_MEM_READ | RFS_MEM_WRITE;
	uint8_t opcode = insn->bytes[insn->opcode_at];

	for (unsigned i = 0; i < insn->n_mem; i++) {
		if ((insn->mem[i].flags & both) != both)
			continue;
		if (insn->prefixes & RFS_PREFIX_LOCK || opcode == 0x86 || opcode == 0x87)
			insn->atomic = true;
		else
			insn->rmw = true;
	}
}

/* A called function may overwrite rax. It does not read the old result: if it reads al, the caller has set al. */
static enum rfs_result_use result_after(const struct rfs_insn *insn, enum rfs_result_use use)
{
	switch (insn->flow) {
	case RFS_FLOW_CALL:
	case RFS_FLOW_CALL_INDIRECT:
		return use == RFS_RESULT_READ ? use : RFS_RESULT_OVERWRITTEN;
	case RFS_FLOW_JUMP_INDIRECT: /* nobody knows what follows */
	case RFS_FLOW_RETURN:
	case RFS_FLOW_SYSCALL:
	case RFS_FLOW_TRAP:
		return RFS_RESULT_READ;
	default:
		return use;
	}
}

int rfs_insn_decode_detail(struct rfs_decoder *decoder, const uint8_t *bytes, size_t n, rfs_addr vaddr,
			   struct rfs_insn *out, struct rfs_insn_detail *detail)
{
	uint8_t opcode;
	int result;

	if (n > RFS_INSN_MAX)
		n = RFS_INSN_MAX;
	*out = (struct rfs_insn){.vaddr = vaddr, .mask = -1, .bit_index = -1};
	memcpy(out->bytes, bytes, n);
	if (detail)
		*detail = (struct rfs_insn_detail){.destination = -1, .source = -1, .lea = {.base = -1, .index = -1}};
	if (!read_prefixes(out, n))
		return -EILSEQ;
	opcode = out->bytes[out->opcode_at];
	if (opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62)
		result = rfs_insn_decode_vex(out, n, detail);
	else
		result = decode_legacy(decoder, out, n, detail);
	if (result)
		return result;
	if (detail)
		detail->result = result_after(out, detail->result);
	memset(out->bytes + out->length, 0, sizeof(out->bytes) - out->length);
	insn_classify(out);
	return 0;
}

int rfs_insn_decode(struct rfs_decoder *decoder, const uint8_t *bytes, size_t n, rfs_addr vaddr, struct rfs_insn *out)
{
	return rfs_insn_decode_detail(decoder, bytes, n, vaddr, out, NULL);
}
