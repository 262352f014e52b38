/*
 * insn_copy.c - copies an instruction to another address and adds a jump back.
 *
 *     from: 48 8b 05 d4 d3 d2 d1        to: 48 8b 05 e4 e3 e2 e1    same target, new distance
 *           (next)                          e9 n3 n2 n1 n0          jmp (next)
 */
#include "disasm/insn/insn.h"

#include <string.h>

#define JUMP_LENGTH 5

static bool distance32(rfs_addr to, rfs_addr from, uint8_t *out)
{
	int64_t distance = (int64_t)(to - from);
	int32_t narrow = (int32_t)distance;

	if (narrow != distance)
		return false;
	memcpy(out, &narrow, sizeof(narrow));
	return true;
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
	*length = insn->length;
	*total = *length + JUMP_LENGTH;
	buf[*length] = 0xe9;
	if (!distance32(from + insn->length, to + *total, buf + *length + 1))
		return RFS_COPY_CANNOT;
	return RFS_COPY_OK;
}
