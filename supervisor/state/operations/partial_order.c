/*
 * partial_order.c - hashes the partial order of a run's operations (policy/core/order.c).
 *
 * Operations have names that mean the same in every run, whatever the schedule:
 *
 *	thread		its creator's name, and how many threads the creator had created before
 *	static object	path of the module and offset in it
 *	heap object	name of the thread that allocated the block, how many blocks it had allocated before, offset
 *	on a stack	name of the thread whose stack or thread-local storage it is, offset from the top
 *	elsewhere	name of the thread that accessed it first, and how many operations this thread had executed
 *
 * "Elsewhere" means mappings, and blocks of an allocator that is not the C library's. If the first accesses of two
 * threads are independent, for example two reads, the name of such an object depends on the schedule.
 */
#include "supervisor/state/operations/partial_order.h"

#include <stdlib.h>
#include <xxhash.h>

#include "disasm/addr.h"
#include "policy/core/order.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/memory_name.h"
#include "supervisor/record/run_result.h"
#include "supervisor/state/core/heap_blocks.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/operation.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"

/* The kind of a name. It is part of the hash, so that equal numbers of two kinds give different names. */
enum name_kind { NAME_THREAD = 1, NAME_STATIC, NAME_BLOCK, NAME_HEAP, NAME_STACK, NAME_LOCAL, NAME_FIRST };

/* glibc keeps a thread's descriptor after its thread pointer, and its thread-local variables before it. */
#define DESCRIPTOR_SIZE 0x900
#define LOCAL_MAX (1u << 20)
/* A smaller number is no address: it is a file descriptor, or 0. */
#define LOWEST_ADDRESS 4096
/* Addresses are counted by pages of this size. */
#define PAGE 4096

/* An address that was looked up before, and its name. */
struct known {
	rfs_addr address; /* key */
	const struct rfs_block *block;
	/* `order` of the block when the name was made; if it differs now, the memory belongs to another block */
	uint64_t order;
	uint64_t name;
	UT_hash_handle hh;
};

/* How many elements of `firsts` have an address in the page. */
struct page_count {
	uint64_t page; /* key */
	size_t n;
	UT_hash_handle hh;
};

struct rfs_partial_order {
	struct rfs_order *order;
	struct known *in_blocks, *firsts;
	struct page_count *first_pages;
};

static uint64_t partial_order_hash_of(uint64_t kind, uint64_t of, uint64_t number)
{
	const uint64_t name[3] = {kind, of, number};
	uint64_t hash = XXH64(name, sizeof(name), 0);

	return hash ? hash : 1;
}

void rfs_partial_order_new(struct rfs_run *run)
{
	run->partial_order = xcalloc(1, sizeof(*run->partial_order));
	run->partial_order->order = rfs_order_new();
}

static struct known *partial_order_remember(struct known **map, rfs_addr address)
{
	struct known *known = xcalloc(1, sizeof(*known));

	known->address = address;
	HASH_ADD(hh, *map, address, sizeof(known->address), known);
	return known;
}

static struct known *remember_first(struct rfs_partial_order *po, rfs_addr address)
{
	uint64_t page = address / PAGE;
	struct page_count *count;

	HASH_FIND(hh, po->first_pages, &page, sizeof(page), count);
	if (!count) {
		count = xcalloc(1, sizeof(*count));
		count->page = page;
		HASH_ADD(hh, po->first_pages, page, sizeof(count->page), count);
	}
	count->n++;
	return partial_order_remember(&po->firsts, address);
}

void rfs_partial_order_copy(const struct rfs_run *from, struct rfs_run *to)
{
	const struct rfs_partial_order *po = from->partial_order;

	if (!po)
		return;
	rfs_order_free(to->partial_order->order);
	to->partial_order->order = rfs_order_copy(po->order);
	/* po->in_blocks is not copied, because the names of objects in blocks can be computed again */
	for (const struct known *known = po->firsts; known; known = known->hh.next)
		remember_first(to->partial_order, known->address)->name = known->name;
}

static void partial_order_drop(struct known **map, struct known *known)
{
	HASH_DEL(*map, known);
	free(known);
}

void rfs_partial_order_free(struct rfs_run *run)
{
	struct rfs_partial_order *po = run->partial_order;
	struct page_count *count, *next_count;
	struct known *known, *next;

	if (!po)
		return;
	HASH_ITER (hh, po->in_blocks, known, next)
		partial_order_drop(&po->in_blocks, known);
	HASH_ITER (hh, po->firsts, known, next)
		partial_order_drop(&po->firsts, known);
	HASH_ITER (hh, po->first_pages, count, next_count) {
		HASH_DEL(po->first_pages, count);
		free(count);
	}
	rfs_order_free(po->order);
	free(po);
	run->partial_order = NULL;
}

/* ---- names ---- */

void rfs_name_thread(struct rfs_thread *thread, struct rfs_thread *creator)
{
	thread->names.self = partial_order_hash_of(NAME_THREAD, creator ? creator->names.self : 0,
						   creator ? creator->names.children++ : (uint64_t)thread->number);
}

uint64_t rfs_name_block(struct rfs_thread *thread)
{
	return partial_order_hash_of(NAME_BLOCK, thread->names.self, thread->names.blocks++);
}

static bool name_of_thread_memory(const struct rfs_run *run, rfs_addr address, uint64_t *name)
{
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];
		bool above = t->stack_high <= t->tls && t->tls - t->stack_high < LOCAL_MAX;
		rfs_addr low = above ? t->stack_high : t->tls - DESCRIPTOR_SIZE;

		if (t->state == RFS_STATE_ENDED)
			continue;
		if (rfs_thread_has_stack_at(t, address)) {
			*name = partial_order_hash_of(NAME_STACK, t->names.self, t->stack_high - address);
			return true;
		}
		if (t->tls && address >= low && address < t->tls + DESCRIPTOR_SIZE) {
			*name = partial_order_hash_of(NAME_LOCAL, t->names.self, t->tls - address);
			return true;
		}
	}
	return false;
}

static bool name_in_block(struct rfs_run *run, rfs_addr address, uint64_t *name)
{
	struct rfs_partial_order *po = run->partial_order;
	const struct rfs_block *block;
	struct known *known;

	HASH_FIND(hh, po->in_blocks, &address, sizeof(address), known);
	if (known && !known->block->freed && known->block->order == known->order) {
		*name = known->name;
		return true;
	}
	block = rfs_heap_block(run, address);
	if (!block)
		return false;
	if (!known)
		known = partial_order_remember(&po->in_blocks, address);
	known->block = block;
	known->order = block->order;
	known->name = *name = partial_order_hash_of(NAME_HEAP, block->name, address - block->address);
	return true;
}

/*
 * The name of an object of the thread's current operation. which: 0 for its first object, 1 for its second; needed
 * because one operation may be the first access to both.
 */
static uint64_t partial_order_name_of(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, uint64_t which)
{
	struct rfs_partial_order *po = run->partial_order;
	const struct rfs_module_info *info;
	struct known *known;
	uint64_t name;

	if (address < LOWEST_ADDRESS)
		return address;
	info = rfs_info_at(run, rfs_memory_address(address));
	if (info)
		return partial_order_hash_of(NAME_STATIC, info->path_hash + rfs_memory_process(address),
					     rfs_memory_address(address) - info->bias);
	if (name_of_thread_memory(run, address, &name))
		return name;
	HASH_FIND(hh, po->firsts, &address, sizeof(address), known);
	if (known)
		return known->name;
	if (name_in_block(run, address, &name))
		return name;
	known = remember_first(po, address);
	known->name = partial_order_hash_of(NAME_FIRST, thread->names.self, 2 * thread->names.operations + which);
	return known->name;
}

/* ---- operations ---- */

static void partial_order_add(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_op *op,
			      enum rfs_outcome outcome)
{
	struct rfs_order_names names = {.thread = thread->names.self};

	names.object = partial_order_name_of(run, thread, op->object, 0);
	names.object2 = partial_order_name_of(run, thread, op->object2, 1);
	if (op->peer >= 0)
		names.peer = run->threads[op->peer]->names.self;
	rfs_order_add(run->partial_order->order, thread->number, op, outcome, &names);
	thread->names.operations++;
}

/*
 * Adds a CREATE operation. child: number of the new thread; -1 if the creator executed its next operation before the
 * new thread was known.
 */
static void add_creation(struct rfs_run *run, struct rfs_thread *thread, int child)
{
	struct rfs_op op = rfs_op_make(RFS_OP_CREATE, 0, 0);

	op.peer = child;
	thread->names.creates = false;
	partial_order_add(run, thread, &op, RFS_OUTCOME_DONE);
}

void rfs_partial_order_add(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_op *op,
			   enum rfs_outcome outcome)
{
	if (!run->partial_order)
		return;
	if (thread->names.creates)
		add_creation(run, thread, -1);
	if (op->kind == RFS_OP_CREATE)
		thread->names.creates = true;
	else
		partial_order_add(run, thread, op, outcome);
}

void rfs_partial_order_created(struct rfs_run *run, struct rfs_thread *parent, struct rfs_thread *child)
{
	if (!run->partial_order)
		return;
	add_creation(run, parent, child->number);
	if (child->tls > child->stack_high && child->tls - child->stack_high < LOCAL_MAX)
		rfs_partial_order_reset(run, child->stack_high, child->tls - child->stack_high + DESCRIPTOR_SIZE);
}

/* True if an address of these pages may be in `firsts`. */
static bool has_firsts(const struct rfs_partial_order *po, uint64_t page, uint64_t last)
{
	struct page_count *count, *next;

	if (last - page >= HASH_COUNT(po->first_pages)) {
		HASH_ITER (hh, po->first_pages, count, next)
			if (count->n && count->page >= page && count->page <= last)
				return true;
		return false;
	}
	for (; page <= last; page++) {
		HASH_FIND(hh, po->first_pages, &page, sizeof(page), count);
		if (count && count->n)
			return true;
	}
	return false;
}

static void drop_first(struct rfs_partial_order *po, struct known *known)
{
	uint64_t page = known->address / PAGE;
	struct page_count *count;

	HASH_FIND(hh, po->first_pages, &page, sizeof(page), count);
	count->n--;
	partial_order_drop(&po->firsts, known);
}

void rfs_partial_order_reset(struct rfs_run *run, rfs_addr address, uint64_t size)
{
	struct rfs_partial_order *po = run->partial_order;
	const rfs_addr last = size - 1 > UINT64_MAX - address ? UINT64_MAX : address + (size - 1);
	struct known *known, *next;

	if (!po || !size)
		return;
	/* this is called for each allocation, and `firsts` may be long */
	if (has_firsts(po, address / PAGE, last / PAGE))
		HASH_ITER (hh, po->firsts, known, next)
			if (known->address >= address && known->address - address < size)
				drop_first(po, known);
	rfs_order_reset(po->order, address, size);
}

void rfs_partial_order_finish(struct rfs_run *run)
{
	struct rfs_order_hash hash;

	if (!run->partial_order)
		return;
	for (size_t i = 0; i < run->n_threads; i++)
		if (run->threads[i]->names.creates)
			add_creation(run, run->threads[i], -1);
	hash = rfs_order_get(run->partial_order->order);
	run->result->order[0] = hash.high;
	run->result->order[1] = hash.low;
}
