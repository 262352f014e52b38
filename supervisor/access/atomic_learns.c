#include "supervisor/access/atomic_learns.h"

#include <stdint.h>

#include "disasm/addr.h"
#include "disasm/elf/elf.h"
#include "disasm/insn/insn.h"
#include "policy/policy.h"
#include "supervisor/model/word_lock.h"
#include "supervisor/state/modules.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/target_memory.h"
#include "supervisor/state/thread.h"
#include "tracer/tracer.h"

/* Numbers and flags of other words are smaller, and user space ends at the second. */
#define LOWEST_POINTER 0x10000
#define HIGHEST_POINTER 0x7fffffffffff

/* Whether the next instruction tests the flags. Compilers make lock sub of a decrement whose result is not used, too.
 */
static bool looks_at_flags(const struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_insn *insn)
{
	const rfs_addr next = rfs_task_regs(thread->task)->rip + insn->length;
	const struct rfs_module_info *info = rfs_info_at(run, next);
	uint8_t bytes[3] = {0};
	size_t at = 0;

	if (!info || rfs_elf_read(info->elf, next - info->bias, bytes, sizeof(bytes)) < sizeof(bytes))
		return false;
	if ((bytes[0] & 0xf0) == 0x40) /* REX */
		at = 1;
	if (bytes[at] == 0x0f) /* jcc with 4 bytes, setcc, cmovcc */
		return (bytes[at + 1] & 0xf0) == 0x80 || (bytes[at + 1] & 0xf0) == 0x90 ||
		       (bytes[at + 1] & 0xf0) == 0x40;
	return (bytes[at] & 0xf0) == 0x70;
}

/* xadd gives the thread the old value. */
static bool is_xadd(const struct rfs_insn *insn)
{
	return insn->bytes[insn->opcode_at] == 0x0f && (insn->bytes[insn->opcode_at + 1] & 0xfe) == 0xc0;
}

bool rfs_atomic_learns(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_insn *insn,
		       const struct rfs_part *part)
{
	uint64_t old = 0, new = 0;

	if (!(part->access & RFS_ACCESS_READ) || part->size > sizeof(old) ||
	    !rfs_peek(run, part->address, &old, part->size))
		return false;
	if (part->size == 8 && old >= LOWEST_POINTER && old <= HIGHEST_POINTER)
		return true;
	return insn->atomic && old && rfs_insn_update(insn, rfs_task_regs(thread->task), old, &new) && new == 0 &&
	       !rfs_word_rose_from_zero(run->word_locks, part->address) &&
	       (is_xadd(insn) || (rfs_insn_counts(insn) && looks_at_flags(run, thread, insn)));
}
