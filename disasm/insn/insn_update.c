/* insn_update.c - what an instruction stores in memory. Opcodes: Intel SDM volume 2, appendix A. */
#include "disasm/insn/insn.h"

#include <string.h>

static uint64_t insn_update_mask_of(uint16_t size)
{
	return size >= 8 ? UINT64_MAX : (UINT64_C(1) << size * 8) - 1;
}

static uint64_t general_register(const struct user_regs_struct *regs, unsigned n)
{
	const unsigned long long values[] = {regs->rax, regs->rcx, regs->rdx, regs->rbx, regs->rsp, regs->rbp,
					     regs->rsi, regs->rdi, regs->r8,  regs->r9,	 regs->r10, regs->r11,
					     regs->r12, regs->r13, regs->r14, regs->r15};

	return values[n & 15];
}

/* The register operand that the ModRM byte names. */
static uint64_t operand_register(const struct rfs_insn *insn, const struct user_regs_struct *regs, uint8_t modrm,
				 uint16_t size)
{
	const unsigned n = (modrm >> 3 & 7) | (insn->rex & 4 ? 8u : 0u);

	if (size == 1 && !insn->rex && n >= 4)
		return general_register(regs, n - 4) >> 8; /* ah, ch, dh, bh */
	return general_register(regs, n);
}

/* The immediate operand: the last bytes, sign-extended. */
static uint64_t immediate(const struct rfs_insn *insn, size_t bytes)
{
	const size_t unused = 64 - 8 * bytes; /* high bits */
	uint64_t value = 0;

	memcpy(&value, &insn->bytes[insn->length - bytes], bytes);
	return (uint64_t)((int64_t)(value << unused) >> unused);
}

/* The operations of opcodes 0x00 to 0x3f and 0x80 to 0x83; false for adc, sbb and cmp. */
static bool arithmetic(unsigned which, uint64_t old, uint64_t operand, uint64_t *new)
{
	switch (which) {
	case 0:
		*new = old + operand;
		return true;
	case 1:
		*new = old | operand;
		return true;
	case 4:
		*new = old &operand;
		return true;
	case 5:
		*new = old - operand;
		return true;
	case 6:
		*new = old ^ operand;
		return true;
	default:
		return false;
	}
}

/* bts, btr, btc: 1, 2, 3. */
static bool change_bit(unsigned which, uint64_t old, uint64_t bit, uint64_t *new)
{
	const uint64_t one = UINT64_C(1) << (bit & 63);

	if (which == 0)
		return false;
	*new = which == 1 ? old | one : which == 2 ? old & ~one : old ^ one;
	return true;
}

static bool update_two_bytes(const struct rfs_insn *insn, const struct user_regs_struct *regs, uint64_t old,
			     uint16_t size, uint64_t *new)
{
	const uint8_t opcode = insn->bytes[insn->opcode_at + 1], modrm = insn->bytes[insn->opcode_at + 2];
	const uint64_t operand = operand_register(insn, regs, modrm, size);
	const uint64_t bits = 8u * size - 1;

	switch (opcode) {
	case 0xb0:
	case 0xb1:
		*new = ((regs->rax ^ old) & insn_update_mask_of(size)) == 0 ? operand : old;
		return true;
	case 0xc0:
	case 0xc1:
		*new = old + operand;
		return true;
	case 0xab:
	case 0xb3:
	case 0xbb:
		return change_bit(opcode == 0xab ? 1 : opcode == 0xb3 ? 2 : 3, old, operand & bits, new);
	case 0xba:
		return (modrm >> 3 & 4) && change_bit(modrm >> 3 & 3, old, immediate(insn, 1) & bits, new);
	default:
		return false;
	}
}

static bool update_one_byte(const struct rfs_insn *insn, const struct user_regs_struct *regs, uint64_t old,
			    uint16_t size, uint64_t *new)
{
	const uint8_t opcode = insn->bytes[insn->opcode_at], modrm = insn->bytes[insn->opcode_at + 1];
	const unsigned digit = modrm >> 3 & 7;

	if (opcode == 0x86 || opcode == 0x87 || opcode == 0x88 || opcode == 0x89) {
		*new = operand_register(insn, regs, modrm, size);
		return true;
	}
	if (opcode == 0xc6 || opcode == 0xc7) {
		*new = immediate(insn, size > 4 ? 4 : size);
		return true;
	}
	if (opcode < 0x40 && (opcode & 7) < 2)
		return arithmetic(opcode >> 3, old, operand_register(insn, regs, modrm, size), new);
	if (opcode == 0x80 || opcode == 0x83)
		return arithmetic(digit, old, immediate(insn, 1), new);
	if (opcode == 0x81)
		return arithmetic(digit, old, immediate(insn, size == 2 ? 2 : 4), new);
	if ((opcode == 0xfe || opcode == 0xff) && digit < 2)
		return arithmetic(digit ? 5 : 0, old, 1, new);
	if ((opcode == 0xf6 || opcode == 0xf7) && (digit == 2 || digit == 3)) {
		*new = digit == 2 ? ~old : -old;
		return true;
	}
	return false;
}

bool rfs_insn_update(const struct rfs_insn *insn, const struct user_regs_struct *regs, uint64_t old, uint64_t *new)
{
	const uint16_t size = insn->n_mem ? insn->mem[0].size : 0;
	bool known;

	if (insn->n_mem != 1 || !(insn->mem[0].flags & RFS_MEM_WRITE) ||
	    (size != 1 && size != 2 && size != 4 && size != 8))
		return false;
	known = insn->bytes[insn->opcode_at] == 0x0f ? update_two_bytes(insn, regs, old, size, new)
						     : update_one_byte(insn, regs, old, size, new);
	*new &= insn_update_mask_of(size);
	return known;
}

bool rfs_insn_counts(const struct rfs_insn *insn)
{
	const uint8_t opcode = insn->bytes[insn->opcode_at], modrm = insn->bytes[insn->opcode_at + 1];
	const unsigned digit = modrm >> 3 & 7;

	if (!insn->atomic)
		return false;
	if (opcode == 0x0f)
		return (modrm & 0xfe) == 0xc0;
	if (opcode == 0x80 || opcode == 0x81 || opcode == 0x83)
		return digit == 0 || digit == 5;
	if (opcode == 0xfe || opcode == 0xff)
		return digit < 2;
	return opcode <= 0x01 || opcode == 0x28 || opcode == 0x29;
}

bool rfs_insn_changes_bits(const struct rfs_insn *insn)
{
	const uint8_t opcode = insn->bytes[insn->opcode_at], second = insn->bytes[insn->opcode_at + 1];
	const unsigned digit = second >> 3 & 7;

	if (!insn->atomic)
		return false;
	if (opcode == 0x0f) /* bts, btr, btc; with a number, ba /5 to /7 */
		return second == 0xab || second == 0xb3 || second == 0xbb || second == 0xba;
	if (opcode == 0x80 || opcode == 0x81 || opcode == 0x83)
		return digit == 1 || digit == 4 || digit == 6;
	return (opcode & 0xfe) == 0x08 || (opcode & 0xfe) == 0x20 || (opcode & 0xfe) == 0x30;
}
