/*
 * insn_copy.c - copies an instruction to another address and adds a jump back.
 *
 *     from: 48 8b 05 d4 d3 d2 d1        to: 48 8b 05 e4 e3 e2 e1    same target, new distance
 *           (next)                          e9 n3 n2 n1 n0          jmp (next)
 *
 * After syscall, rcx has the address of the next instruction. In a copy a move to rcx follows, so that rcx has the
 * address of the original's next instruction.
 */
#include "disasm/insn/insn.h"

#include <string.h>

#define JUMP_LENGTH 5

static const uint8_t move_to_rcx[] = {0x48, 0xb9}; /* movabs $imm64, %rcx */

static bool distance32(rfs_addr to, rfs_addr from, uint8_t *out)
{
	int64_t distance = (int64_t)(to - from);
	int32_t narrow = (int32_t)distance;

	if (narrow != distance)
		return false;
	memcpy(out, &narrow, sizeof(narrow));
	return true;
}

/* Whether it is the instruction syscall. int 0x80 leaves rcx as it is. */
static bool sets_rcx(const struct rfs_insn *insn)
{
	return insn->flow == RFS_FLOW_SYSCALL && insn->bytes[insn->length - 1] == 0x05;
}

enum rfs_copy rfs_insn_copy(const struct rfs_insn *insn, rfs_addr from, rfs_addr to, uint8_t *buf, size_t *length,
			    size_t *total)
{
	if (insn->cannot_copy || (insn->flow != RFS_FLOW_NEXT && insn->flow != RFS_FLOW_SYSCALL))
		return RFS_COPY_CANNOT;
	memcpy(buf, insn->bytes, insn->length);
	if (insn->rip_disp) {
		int32_t old;

		if (insn->prefixes & RFS_PREFIX_67) /* relative to eip: the address is cut to 32 bits */
			return RFS_COPY_CANNOT;
		memcpy(&old, insn->bytes + insn->rip_disp, sizeof(old));
		if (!distance32(from + insn->length + (uint64_t)(int64_t)old, to + insn->length, buf + insn->rip_disp))
			return RFS_COPY_CANNOT;
	}
	*length = *total = insn->length;
	if (sets_rcx(insn)) {
		const rfs_addr next = from + insn->length;

		memcpy(buf + *total, move_to_rcx, sizeof(move_to_rcx));
		memcpy(buf + *total + sizeof(move_to_rcx), &next, sizeof(next));
		*total += sizeof(move_to_rcx) + sizeof(next);
	}
	buf[*total] = 0xe9;
	*total += JUMP_LENGTH;
	if (!distance32(from + insn->length, to + *total, buf + *total - sizeof(int32_t)))
		return RFS_COPY_CANNOT;
	return RFS_COPY_OK;
}
