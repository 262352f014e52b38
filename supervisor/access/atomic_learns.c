/*
 * atomic_learns.c - decodes the code around an atomic access, reads what the access read, and sends the detector what
 * follows.
 */
#include "supervisor/access/atomic_learns.h"

#include <stdint.h>

#include "disasm/addr.h"
#include "disasm/elf/elf.h"
#include "disasm/insn/insn.h"
#include "disasm/insn/insn_compare.h"
#include "disasm/rewrite/code.h"
#include "policy/policy.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/model/word_lock.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/heap_blocks.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/events.h"
#include "tracer/tracer.h"

/* A count or flag is in the first bytes of its object, or the object is small. A larger block that has a count further
 * back may hold several objects. */
#define HEAD_SIZE 64
#define OBJECT_SIZE 1024

/* One of this many instructions after an xchg must use its result. */
#define RESULT_INSNS 4

/* At most this many blocks of an object are looked at. */
#define OWNED_BLOCKS 6

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

static bool reads_pointer(const struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_part *part)
{
	uint64_t old = 0;
	const struct rfs_block *block;

	if (!(part->access & RFS_ACCESS_READ) || part->size != sizeof(old) ||
	    !rfs_peek(run, part->address, &old, sizeof(old)))
		return false;
	/* two counts of 4 bytes may look like an address, but they point to nothing */
	block = rfs_heap_block(run, rfs_family_name(run, thread, old));
	return block && !block->freed;
}

/* What a compare-exchange does: it fails, so it is only a load; or it finds the constant that it expects. */
enum compared { COMPARED_NOT, COMPARED_FAILS, COMPARED_CONSTANT };

static enum compared atomic_learns_compare(const struct rfs_run *run, const struct rfs_thread *thread,
					   const struct rfs_insn *insn, const struct rfs_part *part)
{
	const struct rfs_code_site *code = thread->access.site->code;
	uint64_t old = 0;
	const uint64_t mask = part->size < 8 ? (UINT64_C(1) << 8 * part->size) - 1 : UINT64_MAX;

	if (!rfs_insn_is_cmpxchg(insn) || part->size > sizeof(old) || !rfs_peek(run, part->address, &old, part->size))
		return COMPARED_NOT;
	if ((old ^ rfs_task_regs(thread->task)->rax) & mask)
		return COMPARED_FAILS;
	return code && code->expects_constant ? COMPARED_CONSTANT : COMPARED_NOT;
}

/* Whether the thread reads zero from a count that the others have brought to zero. A store may have set it again. */
static bool finds_others_done(const struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_part *part)
{
	uint64_t value = 0;

	return !(part->access & RFS_ACCESS_WRITE) &&
	       rfs_word_is_down(run->word_locks, (size_t)thread->number, part->address) &&
	       part->size <= sizeof(value) && rfs_peek(run, part->address, &value, part->size) && !value;
}

unsigned rfs_atomic_marks(const struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_insn *insn,
			  const struct rfs_part *part)
{
	const bool updates = insn->atomic && (part->access & RFS_ACCESS_WRITE) && (part->access & RFS_ACCESS_READ);
	const enum compared compared = updates ? atomic_learns_compare(run, thread, insn, part) : COMPARED_NOT;
	const bool tells = updates && (compared == COMPARED_CONSTANT || rfs_insn_changes_bits(insn) || is_xchg(insn));

	return (reads_pointer(run, thread, part) || finds_others_done(run, thread, part) ? RFS_ACCESS_LEARNS : 0) |
	       (tells ? RFS_ACCESS_TELLS : 0) | (compared ? RFS_ACCESS_TAKES : 0);
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
 * Whether the code after an xchg uses what it has read. Compilers also write an atomic store as an xchg, whose result
 * is not used. The value is usually in rax. Another register counts only if the next instruction compares it.
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

/* Whether the thread finds that another one has set this word, and looks at the result. Its update changes nothing. */
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

static void emit_last_drop(struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_block *block,
			   rfs_addr count)
{
	struct rfs_event event = {.kind = RFS_EVENT_LAST_DROP, .thread = thread->number};

	event.op.object = block->address;
	event.op.object2 = count;
	event.op.size = block->size;
	rfs_emit(run, &event);
}

/* Whether the block begins with words that threads update. Then it has its own reference count, or a lock. */
static bool is_shared_object(const struct rfs_run *run, const struct rfs_block *block)
{
	return rfs_word_size(run->word_locks, block->address) || rfs_word_size(run->word_locks, block->address + 8);
}

/*
 * The last thread also destroys the blocks that only this block points to: a string's text, a vector's elements.
 */
static void emit_owned(struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_block *block,
		       rfs_addr count)
{
	uint64_t words[OBJECT_SIZE / sizeof(uint64_t)] = {0};
	const size_t n = block->size < sizeof(words) ? block->size / sizeof(*words) : 0;
	unsigned owned = 0;

	if (!n || !rfs_peek(run, block->address, words, n * sizeof(*words)))
		return;
	for (size_t i = 0; i < n && owned < OWNED_BLOCKS; i++) {
		const rfs_addr word = rfs_family_name(run, thread, words[i]);
		const struct rfs_block *other = rfs_heap_block(run, word);

		if (!other || other->freed || other->address != word || other == block || is_shared_object(run, other))
			continue;
		emit_last_drop(run, thread, other, count);
		owned++;
	}
}

void rfs_atomic_drops_last(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_insn *insn,
			   const struct rfs_part *part)
{
	const struct rfs_block *block;

	if (!is_last(run, thread, insn, part) && !is_second(run, thread, insn, part))
		return;
	block = rfs_heap_block(run, part->address);
	if (!block || (part->address - block->address >= HEAD_SIZE && block->size > OBJECT_SIZE))
		return;
	emit_owned(run, thread, block, part->address);
	emit_last_drop(run, thread, block, part->address);
}
