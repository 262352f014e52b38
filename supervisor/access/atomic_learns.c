#include "supervisor/access/atomic_learns.h"

#include <stdint.h>

#include "disasm/addr.h"
#include "disasm/elf/elf.h"
#include "disasm/insn/insn.h"
#include "policy/policy.h"
#include "supervisor/model/word_lock.h"
#include "supervisor/state/events.h"
#include "supervisor/state/heap_blocks.h"
#include "supervisor/state/modules.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/target_memory.h"
#include "supervisor/state/thread.h"
#include "tracer/tracer.h"

/* A reference count is in the first bytes of its object. A block with a count further back holds several objects. */
#define HEAD_SIZE 64

/* Whether the next instruction tests the flags. Compilers use `lock sub` also if nobody needs the result. */
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

static bool reads_pointer(const struct rfs_run *run, const struct rfs_part *part)
{
	uint64_t old = 0;
	const struct rfs_block *block;

	if (!(part->access & RFS_ACCESS_READ) || part->size != sizeof(old) ||
	    !rfs_peek(run, part->address, &old, sizeof(old)))
		return false;
	/* two counts of 4 bytes may look like an address, but they point to nothing */
	block = rfs_heap_block(run, old);
	return block && !block->freed;
}

unsigned rfs_atomic_marks(const struct rfs_run *run, const struct rfs_insn *insn, const struct rfs_part *part)
{
	const bool tells = insn->atomic && (part->access & RFS_ACCESS_WRITE) && rfs_insn_changes_bits(insn);

	return (reads_pointer(run, part) ? RFS_ACCESS_LEARNS : 0) | (tells ? RFS_ACCESS_TELLS : 0);
}

static bool is_last(const struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_insn *insn,
		    const struct rfs_part *part)
{
	uint64_t old = 0, new = 0;

	return rfs_insn_counts(insn) && part->size <= sizeof(old) && rfs_peek(run, part->address, &old, part->size) &&
	       old && rfs_insn_update(insn, rfs_task_regs(thread->task), old, &new) && new == 0 &&
	       !rfs_word_rose_from_zero(run->word_locks, part->address) &&
	       (is_xadd(insn) || looks_at_flags(run, thread, insn));
}

void rfs_atomic_drops_last(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_insn *insn,
			   const struct rfs_part *part)
{
	struct rfs_event event = {.kind = RFS_EVENT_LAST_DROP, .thread = thread->number};
	const struct rfs_block *block;

	if (!is_last(run, thread, insn, part))
		return;
	block = rfs_heap_block(run, part->address);
	if (!block || part->address - block->address >= HEAD_SIZE)
		return;
	event.op.object = block->address;
	event.op.object2 = part->address;
	event.op.size = block->size;
	rfs_emit(run, &event);
}
