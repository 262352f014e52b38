/* insn_call.c - tries each length that a call may have. */
#include "disasm/insn/insn_call.h"

#include <stddef.h>

#include "disasm/insn/insn.h"

bool rfs_insn_call_ends(struct rfs_decoder *decoder, const uint8_t before[RFS_CALL_LENGTH_MAX], rfs_addr end)
{
	struct rfs_insn insn;

	for (size_t n = 2; n <= RFS_CALL_LENGTH_MAX; n++)
		if (rfs_insn_decode(decoder, before + RFS_CALL_LENGTH_MAX - n, n, end - n, &insn) == 0 &&
		    insn.length == n && (insn.flow == RFS_FLOW_CALL || insn.flow == RFS_FLOW_CALL_INDIRECT))
			return true;
	return false;
}
