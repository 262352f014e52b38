/* insn_known.c - asks Capstone about an instruction, and keeps the answers by form. */
#include "disasm/insn/insn_known-priv.h"

#include <capstone/capstone.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/insn/insn-priv.h"
#include "disasm/insn/insn_result-priv.h"

/* Bytes of the longest form that is kept. Most longer ones are padding with many prefixes. */
#define FORM_MAX 12
/* A large program has 15,000 forms, of which few are frequent. Two forms with the same entry replace each other. */
#define ENTRIES_LOG2 14

/* Free if known.length is 0. */
struct entry {
	uint8_t form[FORM_MAX]; /* filled up with 0: no form is the beginning of another one */
	struct rfs_known known;
};

struct rfs_knowns {
	csh handle;
	cs_insn *insn;		/* cs_disasm_iter() writes each decoded instruction here */
	struct rfs_known other; /* the last answer that is not kept */
	struct entry entries[1u << ENTRIES_LOG2];
};

int rfs_knowns_new(struct rfs_knowns **out)
{
	struct rfs_knowns *knowns = calloc(1, sizeof(*knowns));
	int result = -ENOSYS;

	if (!knowns)
		return -ENOMEM;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &knowns->handle) != CS_ERR_OK)
		goto fail;
	if (cs_option(knowns->handle, CS_OPT_DETAIL, CS_OPT_ON) != CS_ERR_OK)
		goto fail_handle;
	knowns->insn = cs_malloc(knowns->handle);
	if (!knowns->insn) {
		result = -ENOMEM;
		goto fail_handle;
	}
	*out = knowns;
	return 0;

fail_handle:
	cs_close(&knowns->handle);
fail:
	free(knowns);
	return result;
}

void rfs_knowns_free(struct rfs_knowns *knowns)
{
	if (!knowns)
		return;
	cs_free(knowns->insn, 1);
	cs_close(&knowns->handle);
	free(knowns);
}

static int8_t frame_register(x86_reg reg)
{
	switch (reg) {
	case X86_REG_RSP:
	case X86_REG_ESP:
	case X86_REG_SP:
	case X86_REG_SPL:
		return RFS_RSP;
	case X86_REG_RBP:
	case X86_REG_EBP:
	case X86_REG_BP:
	case X86_REG_BPL:
		return RFS_RBP;
	default:
		return -1;
	}
}

static enum rfs_form form_of(const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;
	bool wide = x86->op_count && x86->operands[0].type == X86_OP_REG && x86->operands[0].size == 8;

	switch (insn->id) {
	case X86_INS_MOV:
		return wide && x86->operands[1].type == X86_OP_REG ? RFS_FORM_MOVE : RFS_FORM_OTHER;
	case X86_INS_LEA:
		return wide ? RFS_FORM_LEA : RFS_FORM_OTHER;
	case X86_INS_ADD:
	case X86_INS_SUB:
	case X86_INS_AND:
		return wide ? RFS_FORM_ADJUST : RFS_FORM_OTHER;
	case X86_INS_CMP:
	case X86_INS_TEST:
		return RFS_FORM_COMPARE;
	case X86_INS_PUSH:
		return RFS_FORM_PUSH;
	case X86_INS_POP:
		return RFS_FORM_POP;
	case X86_INS_ENTER:
		return RFS_FORM_ENTER;
	default:
		return RFS_FORM_OTHER;
	}
}

static void note_registers(const cs_x86 *x86, struct rfs_known *known)
{
	known->destination = known->source = -1;
	for (unsigned i = 0; i < x86->op_count; i++) {
		int8_t reg;

		if (x86->operands[i].type != X86_OP_REG)
			continue;
		reg = frame_register(x86->operands[i].reg);
		if (reg < 0)
			continue;
		known->registers |= (uint8_t)(1 << reg);
		if (i == 0)
			known->destination = reg;
		else if (i == 1)
			known->source = reg;
	}
}

static void note_memory(const cs_insn *insn, struct rfs_known *known)
{
	const cs_x86 *x86 = &insn->detail->x86;
	unsigned at = 0;

	while (at < x86->op_count && x86->operands[at].type != X86_OP_MEM)
		at++;
	if (at == x86->op_count)
		return;
	known->has_mem = true;
	known->mem_size = x86->operands[at].size;
	known->mem_flags = (uint8_t)rfs_insn_mem_flags(insn->id, at == 0);
}

static bool insn_known_ask(struct rfs_knowns *knowns, const struct rfs_insn *insn, size_t n, struct rfs_known *known)
{
	const uint8_t *code = insn->bytes;
	const cs_insn *answer = knowns->insn;
	uint64_t address = insn->vaddr;
	size_t left = n;

	*known = (struct rfs_known){0};
	if (!cs_disasm_iter(knowns->handle, &code, &left, &address, knowns->insn))
		return false;
	known->length = (uint8_t)answer->size;
	known->lea = answer->id == X86_INS_LEA;
	known->pause = answer->id == X86_INS_PAUSE;
	known->rdtsc = answer->id == X86_INS_RDTSC || answer->id == X86_INS_RDTSCP;
	known->transaction = answer->id == X86_INS_XBEGIN || answer->id == X86_INS_XABORT;
	known->form = (uint8_t)form_of(answer);
	known->result = (uint8_t)rfs_insn_result_use(answer);
	note_registers(&answer->detail->x86, known);
	note_memory(answer, known);
	return true;
}

/*
 * Whether a ModRM byte follows the opcode (SDM vol. 2, appendix A). Where this says so wrongly, a byte too many counts
 * as part of the form, which does no harm.
 */
static bool has_modrm(uint8_t opcode)
{
	if (opcode < 0x40)
		return (opcode & 7) < 4;
	switch (opcode) {
	case 0x50 ... 0x5f:
	case 0x68:
	case 0x6a:
	case 0x70 ... 0x7f:
	case 0x90 ... 0xbf:
	case 0xc2:
	case 0xc3:
	case 0xc8 ... 0xcf:
	case 0xe0 ... 0xef:
		return false;
	default:
		return true;
	}
}

/*
 * How many bytes the form has. 0: it is too long, or more than its bytes counts: the immediate of some SSE instructions
 * changes their name, that of 3DNow! is an opcode, and 8f may be an XOP prefix.
 */
static size_t form_length(const struct rfs_insn *insn, size_t n)
{
	const uint8_t *bytes = insn->bytes;
	size_t at = insn->opcode_at + 1u;
	bool modrm = has_modrm(bytes[insn->opcode_at]);

	if (bytes[insn->opcode_at] == 0x8f)
		return 0;
	if (bytes[insn->opcode_at] == 0x0f) {
		if (at >= n || bytes[at] == 0x0f || bytes[at] == 0x3a || bytes[at] == 0xc2)
			return 0;
		modrm = (bytes[at] & 0xf0) != 0x80 && (bytes[at] & 0xf8) != 0xc8; /* jcc and bswap have none */
		at += bytes[at] == 0x38 ? 2 : 1;
	}
	if (modrm && at < n)
		at += bytes[at] >> 6 != 3 && (bytes[at] & 7) == 4 ? 2 : 1;
	else if (modrm)
		return 0;
	return at <= n && at <= FORM_MAX ? at : 0;
}

static struct entry *insn_known_entry_of(struct rfs_knowns *knowns, const uint8_t form[FORM_MAX])
{
	uint64_t first, hash;
	uint32_t second;

	memcpy(&first, form, sizeof(first));
	memcpy(&second, form + sizeof(first), sizeof(second));
	hash = (first + second * 0xff51afd7ed558ccdull) * 0x9e3779b97f4a7c15ull;
	return &knowns->entries[hash >> (64 - ENTRIES_LOG2)];
}

const struct rfs_known *rfs_known_find(struct rfs_knowns *knowns, const struct rfs_insn *insn, size_t n)
{
	const size_t length = form_length(insn, n);
	uint8_t form[FORM_MAX] = {0};
	struct entry *entry;

	if (!length)
		return insn_known_ask(knowns, insn, n, &knowns->other) ? &knowns->other : NULL;
	memcpy(form, insn->bytes, length);
	entry = insn_known_entry_of(knowns, form);
	if (entry->known.length && memcmp(entry->form, form, sizeof(form)) == 0)
		return entry->known.length <= n ? &entry->known : NULL;
	if (!insn_known_ask(knowns, insn, n, &knowns->other))
		return NULL;
	memcpy(entry->form, form, sizeof(form));
	entry->known = knowns->other;
	return &entry->known;
}
