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

/* A count or flag is in the first bytes of its object, or the object is small. A larger block with a count further back
 * may hold several objects. */
#define HEAD_SIZE 64
#define OBJECT_SIZE 1024

/* So many instructions after an xchg may use its result. */
#define RESULT_INSNS 4

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

static bool is_xchg(const struct rfs_insn *insn)
{
	return (insn->bytes[insn->opcode_at] & 0xfe) == 0x86;
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

/*
 * Whether the code after an xchg uses what it has read. Compilers make xchg of atomic stores too, and then nobody does.
 * The value is usually in rax; another register counts only if the next instruction compares it.
 */
static bool uses_result(struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_insn *insn)
{
	const unsigned reg = (insn->bytes[insn->opcode_at + 1] >> 3 & 7) | (insn->rex & 4 ? 8u : 0u);
	rfs_addr next = rfs_task_regs(thread->task)->rip + insn->length;
	const struct rfs_module_info *info = rfs_info_at(run, next);
	struct rfs_insn after;
	struct rfs_insn_detail detail;

	for (int i = 0; i < RESULT_INSNS && info; i++, next += after.length) {
		uint8_t bytes[RFS_INSN_MAX];
		const size_t n = rfs_elf_read(info->elf, next - info->bias, bytes, sizeof(bytes));

		if (!n || rfs_insn_decode_detail(run->decoder, bytes, n, next, &after, &detail) != 0)
			return false;
		if (rfs_insn_compares_register(&after, reg))
			return true;
		if (reg != RFS_RAX || after.flow != RFS_FLOW_NEXT || detail.result != RFS_RESULT_KEPT)
			break;
	}
	return reg == RFS_RAX && info && after.flow == RFS_FLOW_NEXT && detail.result == RFS_RESULT_READ;
}

/* Whether the thread finds that another one has set this word, and acts on it. Its own update leaves the word set. */
static bool is_second(struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_insn *insn,
		      const struct rfs_part *part)
{
	uint64_t old = 0, new = 0;

	return !rfs_insn_counts(insn) && (part->access & RFS_ACCESS_READ) && part->size <= sizeof(old) &&
	       rfs_peek(run, part->address, &old, part->size) &&
	       rfs_insn_update(insn, rfs_task_regs(thread->task), old, &new) &&
	       new == old &&rfs_word_was_set_once(run->word_locks, (size_t)thread->number, part->address, old) &&
	       (is_xchg(insn) ? uses_result(run, thread, insn) : looks_at_flags(run, thread, insn));
}

void rfs_atomic_drops_last(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_insn *insn,
			   const struct rfs_part *part)
{
	struct rfs_event event = {.kind = RFS_EVENT_LAST_DROP, .thread = thread->number};
	const struct rfs_block *block;

	if (!is_last(run, thread, insn, part) && !is_second(run, thread, insn, part))
		return;
	block = rfs_heap_block(run, part->address);
	if (!block || (part->address - block->address >= HEAD_SIZE && block->size > OBJECT_SIZE))
		return;
	event.op.object = block->address;
	event.op.object2 = part->address;
	event.op.size = block->size;
	rfs_emit(run, &event);
}
