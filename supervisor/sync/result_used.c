/*
 * result_used.c - follows the code behind a call, along all branches, until rax is read or overwritten. The code is
 * read from the file, which has the same bytes as memory.
 */
#include "supervisor/sync/result_used.h"

#include "disasm/elf/elf.h"
#include "disasm/insn/insn.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"

/* At most this many instructions are looked at, on all paths together; then the result counts as used. Code that uses a
 * result normally reads it much earlier. */
#define INSNS_MAX 24

struct walk {
	const struct rfs_elf *elf;
	struct rfs_decoder *decoder;
	unsigned n;
};

static bool used_from(struct walk *walk, rfs_addr vaddr)
{
	while (walk->n++ < INSNS_MAX) {
		uint8_t bytes[RFS_INSN_MAX];
		size_t n = rfs_elf_read(walk->elf, vaddr, bytes, sizeof(bytes));
		struct rfs_insn_detail detail;
		struct rfs_insn insn;

		if (!n || rfs_insn_decode_detail(walk->decoder, bytes, n, vaddr, &insn, &detail) != 0 ||
		    detail.result == RFS_RESULT_READ)
			return true;
		if (detail.result == RFS_RESULT_OVERWRITTEN)
			return false;
		if (insn.flow == RFS_FLOW_BRANCH && used_from(walk, insn.target))
			return true;
		vaddr = insn.flow == RFS_FLOW_JUMP ? insn.target : vaddr + insn.length;
	}
	return true;
}

bool rfs_result_used(struct rfs_run *run, rfs_addr back)
{
	const struct rfs_module_info *m = rfs_info_at(run, back);
	struct walk walk = {.decoder = run->decoder};

	if (!m)
		return true;
	walk.elf = m->elf;
	return used_from(&walk, back - m->bias);
}
