/*
 * insn_recent.c - legacy encodings that Capstone 4.0.2 does not know: shadow stacks, protection keys, Galois field
 * arithmetic, direct stores, waits. rdssp and incssp matter most: unwinders that are built for shadow stacks contain
 * them. The rows come from Intel SDM vol. 2.
 */
#include "disasm/insn/insn-priv.h"

#include <errno.h>

enum form { ANY, REG, MEM };

enum {
	WIDE = 0xff, /* size: 8 bytes with REX.W, otherwise 4 */
	ALL = 0xff,  /* reg: ModRM.reg is an operand, so any value matches */
};

struct recent {
	uint8_t prefix; /* the only one of 66, f2 and f3 that is present; 0: none is */
	uint8_t map;	/* 0x38 or 0x3a; 0: the two-byte map, 0f xx */
	uint8_t opcode;
	uint8_t form;
	uint8_t reg;
	uint8_t immediate;
	uint8_t size, flags;
};

static const struct recent table[] = {
	{RFS_PREFIX_F3, 0, 0x1e, REG, ALL, 0, 0, 0},			      /* rdssp */
	{RFS_PREFIX_F3, 0, 0xae, REG, 5, 0, 0, 0},			      /* incssp */
	{RFS_PREFIX_F3, 0, 0xae, REG, 6, 0, 0, 0},			      /* umonitor */
	{RFS_PREFIX_F2, 0, 0xae, REG, 6, 0, 0, 0},			      /* umwait */
	{RFS_PREFIX_66, 0, 0xae, REG, 6, 0, 0, 0},			      /* tpause */
	{RFS_PREFIX_F3, 0, 0xae, ANY, 4, 0, WIDE, RFS_MEM_READ},	      /* ptwrite */
	{0, 0, 0x01, REG, 5, 0, 0, 0},					      /* rdpkru, wrpkru, serialize */
	{RFS_PREFIX_F3, 0, 0x01, REG, 5, 0, 0, 0},			      /* saveprevssp, setssbsy */
	{RFS_PREFIX_F2, 0, 0x01, REG, 5, 0, 0, 0},			      /* xsusldtrk, xresldtrk */
	{RFS_PREFIX_F3, 0, 0x01, MEM, 5, 0, 8, RFS_MEM_READ | RFS_MEM_WRITE}, /* rstorssp */
	{0, 0x38, 0xf6, MEM, ALL, 0, WIDE, RFS_MEM_WRITE},		      /* wrss */
	{0, 0x38, 0xf9, MEM, ALL, 0, WIDE, RFS_MEM_WRITE},		      /* movdiri */
	{RFS_PREFIX_66, 0x38, 0xf8, MEM, ALL, 0, 64, RFS_MEM_READ},	      /* movdir64b; writes [reg] too */
	{RFS_PREFIX_66, 0x38, 0xcf, ANY, ALL, 0, 16, RFS_MEM_READ},	      /* gf2p8mulb */
	{RFS_PREFIX_66, 0x3a, 0xce, ANY, ALL, 1, 16, RFS_MEM_READ},	      /* gf2p8affineqb */
	{RFS_PREFIX_66, 0x3a, 0xcf, ANY, ALL, 1, 16, RFS_MEM_READ},	      /* gf2p8affineinvqb */
};

static const struct recent *insn_recent_find(uint8_t prefix, uint8_t map, uint8_t opcode, uint8_t modrm)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		const struct recent *row = &table[i];

		if (row->prefix != prefix || row->map != map || row->opcode != opcode)
			continue;
		if (row->form != ANY && (row->form == REG) != (modrm >> 6 == 3))
			continue;
		if (row->reg == ALL || row->reg == ((modrm >> 3) & 7))
			return row;
	}
	return NULL;
}

int rfs_insn_decode_recent(struct rfs_insn *insn, size_t n)
{
	uint8_t prefix = insn->prefixes & (RFS_PREFIX_66 | RFS_PREFIX_F2 | RFS_PREFIX_F3), map = 0, modrm;
	unsigned p = insn->opcode_at, length = 1;
	const struct recent *row;
	struct rfs_mem mem;

	if (p + 2 >= n || insn->bytes[p++] != 0x0f)
		return -EILSEQ;
	if (insn->bytes[p] == 0x38 || insn->bytes[p] == 0x3a)
		map = insn->bytes[p++];
	if (p + 1 >= n)
		return -EILSEQ;
	modrm = insn->bytes[p + 1];
	row = insn_recent_find(prefix, map, insn->bytes[p++], modrm);
	if (!row)
		return -EILSEQ;
	if (modrm >> 6 != 3 &&
	    !rfs_insn_modrm(insn, n, p, insn->rex & 1 ? 8 : 0, insn->rex & 2 ? 8 : 0, 1, &mem, &length))
		return -EILSEQ;
	if (p + length + row->immediate > n)
		return -EILSEQ;
	insn->length = p + length + row->immediate;
	if (modrm >> 6 == 3)
		return 0;
	rfs_insn_finish_rip(insn, &mem);
	mem.flags = row->flags;
	mem.size = row->size != WIDE ? row->size : insn->rex & 8 ? 8 : 4;
	insn->mem[insn->n_mem++] = mem;
	if (row->opcode == 0xf8) {
		mem = (struct rfs_mem){.flags = RFS_MEM_WRITE, .size = 64, .scale = 1, .index = -1};
		mem.base = (int8_t)(((modrm >> 3) & 7) | (insn->rex & 4 ? 8 : 0));
		mem.addr32 = insn->prefixes & RFS_PREFIX_67;
		insn->mem[insn->n_mem++] = mem;
	}
	return 0;
}
