/*
 * heap.c - the blocks of the target's heap: which thread allocated each one, and at which call.
 *
 * Breakpoints or stubs at malloc and similar functions show allocations and frees. They are only set if a detector or
 * something else in the run needs the heap. A freed block stays in the list until its address is used again. So an
 * access after the free can still be attributed to the block.
 */
#include "supervisor/access/heap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/addr.h"
#include "disasm/elf/elf.h"
#include "disasm/rewrite/stub.h"
#include "policy/policy.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/access/sanitizer.h"
#include "supervisor/base/address_set.h"
#include "supervisor/base/memory_name.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/heap_blocks.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stable_names.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/misuse.h"
#include "supervisor/state/findings/unsafe_calls.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/faults.h"
#include "supervisor/state/operations/park.h"
#include "supervisor/state/operations/partial_order.h"
#include "tracer/tracer.h"

/*
 * In glibc's malloc the size field is the word before the block. Its low bits are flags. The size includes the field
 * itself, and in a block from mmap(2) one more word.
 */
#define CHUNK_FLAGS 7ull
#define CHUNK_MMAPPED 2ull
#define WORD 8
/* Larger than PTRDIFF_MAX, which the C library's allocators refuse. */
#define FAILING_SIZE 0xc000000000000000ull
/* At most this many allocations get a stack. */
#define STACKS_MAX 10000

static bool defines(const struct rfs_module_info *info, const char *name)
{
	return rfs_elf_symbol(info->elf, name, NULL, NULL);
}

/* Whether the target replaces the C library's allocator. If so, there may be no size field before a block. */
static bool is_replaced(const struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_modules; i++) {
		const struct rfs_module_info *info = run->modules[i];
		bool whole = info->program &&
			     !rfs_elf_interpreter(info->elf); /* a static program: it contains the C library */

		if (info->gone || info->libc || info->generated || whole)
			continue;
		if (defines(info, "free") || (defines(info, "_ZdlPv") && !rfs_is_cxx_library(info)))
			return true;
	}
	return false;
}

uint64_t rfs_heap_chunk_size(const struct rfs_run *run, rfs_addr block)
{
	uint64_t field, known = run->heap.for_order ? 0 : rfs_heap_known_size(run, block);

	if (known)
		return known;
	if (run->asan)
		return rfs_sanitizer_block_size(run, rfs_memory_address(block));
	if (block < WORD || is_replaced(run) || !rfs_peek(run, block - WORD, &field, sizeof(field)))
		return 1;
	field = (field & ~CHUNK_FLAGS) - (field & CHUNK_MMAPPED ? 2 * WORD : WORD);
	return field > 0 && field < (1ull << 40) ? field : 1;
}

/*
 * Notes where the block was allocated: the call, and its callers if the run shows stacks, which takes long. If a stub
 * has recorded the call, the thread is elsewhere by now, and its callers are not those of the call.
 */
static void heap_take_stack(const struct rfs_run *run, const struct rfs_thread *thread, rfs_addr call,
			    struct rfs_block *block)
{
	const struct rfs_run_spec *spec = run->spec;

	block->n_stack = 0;
	if ((spec->wanted.stood || spec->trace.stacks) && run->heap.next_order <= STACKS_MAX)
		block->n_stack =
			(unsigned)rfs_thread_stack(thread, block->stack, sizeof(block->stack) / sizeof(*block->stack));
	if (!block->n_stack || block->stack[0] != call)
		block->n_stack = 1;
	block->stack[0] = call;
}

static void heap_add_block(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *call,
			   uint64_t address)
{
	struct rfs_block *block;

	if (address == 0 || address > UINT64_MAX - 4096)
		return;
	address = rfs_family_name(run, thread, address);
	block = rfs_heap_add(run, address, call->arg);
	block->order = run->heap.next_order++;
	block->changed = ++run->heap.changes;
	block->thread = thread->number;
	block->nth = rfs_heap_count(run, thread->number, call->address);
	block->object = 0;
	block->name = rfs_name_block(thread);
	block->freed = false;
	heap_take_stack(run, thread, call->address, block);
	rfs_emit_reset(run, thread, address, block->size ? block->size : 1);
}

/* site: where the program has made the call, if the thread is not at the function's entry; 0: it is. */
static void freed(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, rfs_site site)
{
	struct rfs_block *block;

	address = rfs_family_name(run, thread, address);
	HASH_FIND(hh, run->heap.blocks, &address, sizeof(address), block);
	if (!block)
		return;
	if (!block->freed)
		rfs_misuse_free(run, thread, address, block->size, site);
	block->freed = true;
	block->changed = ++run->heap.changes;
	/* the next block here may be no atomic */
	rfs_address_set_remove(&run->atomics, address, block->size);
}

/* The allocator, or one that it calls, has returned `value`: if realloc() has moved its block, the old one is freed. */
static void heap_allocated(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *call,
			   uint64_t value)
{
	const rfs_addr old = thread->heap_call.old;

	thread->heap_call.old = 0;
	if (value && old && old != value)
		freed(run, thread, old, rfs_site_of(run, call->address));
	heap_add_block(run, thread, call, value);
}

static void allocated_indirectly(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *call,
				 uint64_t value)
{
	uint64_t address = 0;

	if (value == 0 && rfs_peek(run, thread->heap_call.out_pointer, &address, sizeof(address)))
		heap_add_block(run, thread, call, address);
}

/* Notes the allocation, which the function will return. */
static enum rfs_then heap_allocate(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	uint64_t size = regs->rdi;

	if (!run->heap.tracked)
		return RFS_THEN_EXECUTE;
	if (rfs_unsafe_calls_noted(run))
		rfs_unsafe_call(run, thread, call->name, RFS_LIBRARY_HEAP, true, rfs_call_back(run, thread), false);
	if (call->param == 1)
		size = regs->rdi * regs->rsi;
	else if (call->param == 2 || call->param == 3)
		size = regs->rsi;
	else if (call->param == 4)
		size = regs->rdx;
	thread->heap_call.out_pointer = regs->rdi;
	if (call->param == 2)
		thread->heap_call.old = regs->rdi;
	rfs_call_on_return(run, thread, call->param == 4 ? allocated_indirectly : heap_allocated, size);
	return RFS_THEN_EXECUTE;
}

/*
 * Lets the function ask for more memory than there can be, so that it fails as if memory was exhausted: the allocator
 * itself sets errno, and realloc keeps the old block.
 */
static void heap_fail(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	struct user_regs_struct *regs = rfs_task_regs_mut(thread->task);

	if (call->param == 4)
		regs->rdx = FAILING_SIZE;
	else if (call->param)
		regs->rsi = FAILING_SIZE;
	else
		regs->rdi = FAILING_SIZE;
	if (call->param == 1 && regs->rdi == 0)
		regs->rdi = 1;
	rfs_fault_happened(run, thread, call->name, call->param == 4 ? "returned ENOMEM" : "returned NULL");
}

static enum rfs_then go_allocate(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	const struct rfs_call *call = (const struct rfs_call *)thread->args[0];

	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (choice->outcome != RFS_OUTCOME_FAULT)
		return heap_allocate(run, thread, call);
	heap_fail(run, thread, call);
	return RFS_THEN_EXECUTE;
}

/*
 * call->param: 0 malloc, 1 calloc, 2 realloc, 3 aligned_alloc and memalign, 4 posix_memalign. An allocation is only a
 * visible operation if it may fail. The runtime of a sanitizer ends the program at such a size.
 */
enum rfs_then rfs_enter_allocate(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	const rfs_addr back = rfs_call_back(run, thread);
	struct rfs_op op = rfs_op_make(RFS_OP_POINT, rfs_site_of(run, back), 0);

	/* realloc to 0 bytes frees the block, and returns NULL anyway */
	if (!run->asan && !run->msan && !(call->param == 2 && regs->rdi && !regs->rsi))
		op.access = rfs_fault_offer(run, thread, RFS_FAULT_MALLOC, back);
	if (!op.access)
		return heap_allocate(run, thread, call);
	thread->args[0] = (unsigned long)call;
	return rfs_park(run, thread, op, rfs_ready_always, go_allocate);
}

/* The kernel refuses a size that is 0 when it is rounded up to pages, before it looks at anything else: mm/mmap.c. */
static enum rfs_then go_mmap(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (choice->outcome == RFS_OUTCOME_FAULT) {
		rfs_task_regs_mut(thread->task)->rsi = UINT64_MAX;
		rfs_fault_happened(run, thread, "mmap", "failed with ENOMEM");
	}
	return RFS_THEN_EXECUTE;
}

enum rfs_then rfs_enter_mmap(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const rfs_addr back = rfs_call_back(run, thread);
	struct rfs_op op = rfs_op_make(RFS_OP_POINT, rfs_site_of(run, back), 0);

	(void)call;
	op.access = rfs_fault_offer(run, thread, RFS_FAULT_MMAP, back);
	return op.access ? rfs_park(run, thread, op, rfs_ready_always, go_mmap) : RFS_THEN_EXECUTE;
}

enum rfs_then rfs_enter_free(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	if (rfs_unsafe_calls_noted(run))
		rfs_unsafe_call(run, thread, call->name, RFS_LIBRARY_HEAP, true, rfs_call_back(run, thread), false);
	freed(run, thread, rfs_task_regs(thread->task)->rdi, 0);
	return RFS_THEN_EXECUTE;
}

void rfs_heap_recorded(struct rfs_run *run, struct rfs_thread *thread, enum rfs_operand_kind kind, uint64_t value)
{
	if (thread->state == RFS_STATE_EMBRYO)
		return;
	if (kind == RFS_OPERAND_REQUESTED || kind == RFS_OPERAND_FREED)
		rfs_unsafe_call(run, thread, NULL, RFS_LIBRARY_HEAP, true, thread->heap_call.caller, true);
	switch (kind) {
	case RFS_OPERAND_FRAME:
		thread->heap_call.frame = value;
		break;
	case RFS_OPERAND_CALLER:
		thread->heap_call.caller = value;
		break;
	case RFS_OPERAND_OLD:
		thread->heap_call.old = value;
		break;
	case RFS_OPERAND_TIMES:
		thread->heap_call.times = value;
		break;
	case RFS_OPERAND_REQUESTED:
		rfs_call_entered(thread, thread->heap_call.caller, thread->heap_call.frame + WORD, heap_allocated,
				 thread->heap_call.times == UINT64_MAX ? value : thread->heap_call.times * value);
		thread->heap_call.times = UINT64_MAX;
		break;
	case RFS_OPERAND_ALLOCATED:
		rfs_call_left(run, thread, thread->heap_call.frame + WORD, heap_allocated, value);
		break;
	case RFS_OPERAND_FREED:
		freed(run, thread, value, rfs_site_of(run, thread->heap_call.caller));
		break;
	default:
		break;
	}
}
