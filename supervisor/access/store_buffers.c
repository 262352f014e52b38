/*
 * store_buffers.c - delayed stores of the target's threads.
 *
 * What a store writes is not computed: the thread executes the instruction as one step, and memory is read before and
 * after it. So every kind of store can be delayed that writes one operand of at most RFS_STORE_MAX bytes.
 */
#include "supervisor/access/store_buffers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "disasm/addr.h"
#include "disasm/insn/insn.h"
#include "disasm/rewrite/code.h"
#include "policy/policy.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/access/code_cache.h"
#include "supervisor/base/alloc.h"
#include "supervisor/model/memory.h"
#include "supervisor/model/store_buffer.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/park.h"
#include "supervisor/state/operations/trace.h"
#include "tracer/breakpoint.h"

/* A step costs up to 80 us, so the code after a store that nobody flushes must not run like this for long. */
#define STEPS_MAX 1000

/* The delayed stores of one thread. */
struct thread_stores {
	struct rfs_store_buffer buffer;
	struct rfs_store next; /* the store that the thread is about to execute, with `under`; size 0: none */
	bool begins;	       /* the thread is about to execute the instruction at a visible store */
	bool looked;	       /* the next instruction may be executed as a step */
	bool steps;	       /* the thread was resumed for one instruction, because of its buffer */
	unsigned n_steps;      /* since its last operation */
};

struct rfs_stores {
	struct thread_stores *threads; /* by number */
	size_t n;
};

static struct thread_stores *stores_of(const struct rfs_run *run, const struct rfs_thread *thread)
{
	return run->stores && (size_t)thread->number < run->stores->n ? &run->stores->threads[thread->number] : NULL;
}

static struct thread_stores *make_stores(struct rfs_run *run, const struct rfs_thread *thread)
{
	const size_t n = (size_t)thread->number + 1;

	if (!run->stores)
		run->stores = xcalloc(1, sizeof(*run->stores));
	if (run->stores->n < n) {
		run->stores->threads = xreallocarray(run->stores->threads, n, sizeof(*run->stores->threads));
		memset(run->stores->threads + run->stores->n, 0, (n - run->stores->n) * sizeof(*run->stores->threads));
		run->stores->n = n;
	}
	return &run->stores->threads[thread->number];
}

/*
 * Whether no store is delayed any more: the numbers of later threads are those of store buffers, or there is a child
 * process. If it shares memory with the target, it would see a store vanish that is hidden.
 */
static bool store_buffers_is_over(const struct rfs_run *run)
{
	return run->n_threads >= RFS_STORE_BUFFER || run->result->counts.children;
}

/* Whether stores of the thread are delayed at all. */
static bool delays(const struct rfs_run *run, const struct rfs_thread *thread)
{
	if (!run->spec->tso || run->spec->detector || run->asan || store_buffers_is_over(run))
		return false;
	for (size_t i = 0; i < run->n_threads; i++)
		if (run->threads[i] != thread && run->threads[i]->state != RFS_STATE_ENDED)
			return true;
	return false;
}

static void store_buffers_commit(struct rfs_run *run, struct thread_stores *stores, size_t n)
{
	const struct rfs_model_memory memory = rfs_target_memory(run);

	rfs_store_buffer_commit(&stores->buffer, &memory, n);
}

void rfs_stores_show(struct rfs_run *run, struct rfs_thread *thread)
{
	struct thread_stores *stores = stores_of(run, thread);
	const struct rfs_model_memory memory = rfs_target_memory(run);

	if (!stores)
		return;
	stores->n_steps = 0;
	if (store_buffers_is_over(run))
		rfs_stores_flush(run, thread);
	rfs_store_buffer_show(&stores->buffer, &memory);
}

void rfs_stores_hide(struct rfs_run *run, struct rfs_thread *thread)
{
	struct thread_stores *stores = stores_of(run, thread);
	const struct rfs_model_memory memory = rfs_target_memory(run);

	if (stores && thread->state != RFS_STATE_RUNNING)
		rfs_store_buffer_hide(&stores->buffer, &memory);
}

void rfs_stores_flush(struct rfs_run *run, struct rfs_thread *thread)
{
	struct thread_stores *stores = stores_of(run, thread);

	if (!stores)
		return;
	stores->begins = false;
	store_buffers_commit(run, stores, stores->buffer.n);
}

void rfs_stores_drop(struct rfs_run *run)
{
	for (size_t i = 0; run->stores && i < run->stores->n; i++)
		run->stores->threads[i].buffer.n = 0;
}

void rfs_stores_part(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_part *part, bool atomic,
		     bool delayable)
{
	struct thread_stores *stores;

	if (!delays(run, thread)) {
		rfs_stores_flush(run, thread); /* the last other thread has ended since its latest store */
		return;
	}
	stores = make_stores(run, thread);
	stores->begins = false;
	if (atomic || (part->access & (RFS_ACCESS_RANGE | RFS_ACCESS_FREE))) {
		rfs_stores_flush(run, thread);
		return;
	}
	if (part->access & RFS_ACCESS_READ)
		store_buffers_commit(run, stores,
				     rfs_store_buffer_before_load(&stores->buffer, part->address, part->size));
	if (!delayable || !(part->access & RFS_ACCESS_WRITE) || part->size > RFS_STORE_MAX)
		return;
	stores->next = (struct rfs_store){.address = part->address, .size = part->size, .site = thread->next.site};
	/* now, because the value that an earlier part has read may be put back into memory before the instruction */
	stores->begins = rfs_peek(run, part->address, stores->next.under, part->size);
}

/* ---- one instruction at a time ---- */

static int store_buffers_machine_vector(void *arg, int n, bool mask, void *out)
{
	return rfs_task_vector(arg, n, mask, out);
}

/* mfence and cpuid; clflush and its kin, whose order rfsup does not know. lfence and sfence do not wait for stores. */
static bool is_fence(const struct rfs_insn *insn)
{
	const uint8_t *opcode = insn->bytes + insn->opcode_at;

	if (opcode[0] != 0x0f)
		return false;
	if (opcode[1] == 0xae)
		return opcode[2] == 0xf0 || (insn->n_mem && (opcode[2] >> 3 & 7) >= 6);
	return opcode[1] == 0xa2 || (opcode[1] == 0x01 && opcode[2] == 0xe8); /* cpuid, serialize */
}

static bool is_non_temporal(const struct rfs_insn *insn)
{
	const uint8_t *opcode = insn->bytes + insn->opcode_at;

	switch (opcode[0]) {
	case 0x0f: /* movnti, movntps, movntdq */
		return opcode[1] == 0xc3 || opcode[1] == 0x2b || opcode[1] == 0xe7;
	case 0xc5: /* VEX, then the opcode; vmovntps, vmovntdq */
		return opcode[2] == 0x2b || opcode[2] == 0xe7;
	case 0xc4:
		return (opcode[1] & 0x1f) == 1 && (opcode[3] == 0x2b || opcode[3] == 0xe7);
	case 0x62:
		return (opcode[1] & 7) == 1 && (opcode[4] == 0x2b || opcode[4] == 0xe7);
	default:
		return false;
	}
}

/* Whether a store of this instruction can be delayed. */
static bool is_plain_store(const struct rfs_insn *insn)
{
	switch (insn->shape) {
	case RFS_SHAPE_PLAIN:
	case RFS_SHAPE_BIT:
		return !is_non_temporal(insn);
	case RFS_SHAPE_STRING:
		return !insn->rep;
	default:
		return false;
	}
}

/* Whether no other thread looks at this access of the thread to its own stack. */
static bool is_private(const struct rfs_thread *thread, const struct rfs_module_info *module, rfs_addr rip,
		       const struct rfs_insn_access *access)
{
	const struct rfs_code *code = rfs_code_cache_get(module->elf);
	const struct rfs_code_site *sites;
	const size_t n = code ? rfs_code_sites(code, &sites) : 0;
	const size_t i = n ? rfs_code_sites_from(sites, n, rip - module->bias) : 0;

	if (access->flags & RFS_MEM_STACK)
		return true;
	return code && rfs_thread_has_stack_at(thread, access->address) &&
	       !(i < n && sites[i].vaddr == rip - module->bias);
}

/* The thread is about to store: notes what memory has before. False if the store cannot be delayed. */
static bool expect_store(struct rfs_run *run, struct thread_stores *stores, rfs_addr rip,
			 const struct rfs_insn_access *access)
{
	struct rfs_store *next = &stores->next;

	if (stores->begins && next->address == access->address && next->size == access->size)
		return true;
	if (stores->begins || access->size > RFS_STORE_MAX)
		return false;
	*next = (struct rfs_store){
		.address = access->address, .size = access->size, .follows = true, .site = rfs_site_of(run, rip)};
	return rfs_peek(run, access->address, next->under, access->size);
}

/* Looks at the accesses of the next instruction. False if all stores must be visible before it. */
static bool look_at_accesses(struct rfs_run *run, struct rfs_thread *thread, struct thread_stores *stores,
			     const struct rfs_insn *insn, const struct rfs_module_info *module)
{
	const struct rfs_machine machine = {rfs_task_regs(thread->task), store_buffers_machine_vector, NULL,
					    thread->task};
	struct rfs_insn_access access[RFS_INSN_ACCESSES];
	const struct rfs_insn_access *store = NULL;
	const int n = rfs_insn_accesses(insn, 0, &machine, access);

	for (int i = 0; i < n; i++) {
		/* a delayed store may be to a frame that has ended, whose memory the thread now uses for another one */
		if (is_private(thread, module, insn->vaddr, &access[i]) &&
		    !rfs_store_buffer_overlaps(&stores->buffer, access[i].address, access[i].size))
			continue;
		if ((access[i].flags & RFS_MEM_READ) &&
		    rfs_store_buffer_before_load(&stores->buffer, access[i].address, access[i].size))
			return false;
		if (!(access[i].flags & RFS_MEM_WRITE))
			continue;
		if (store || !is_plain_store(insn))
			return false;
		store = &access[i];
	}
	if (n < 0 || (stores->begins && !store))
		return false;
	return !store || expect_store(run, stores, insn->vaddr, store);
}

/* Looks at the next instruction. False if all stores must be visible before it. */
static bool store_buffers_look_ahead(struct rfs_run *run, struct rfs_thread *thread, struct thread_stores *stores)
{
	const rfs_addr rip = rfs_task_regs(thread->task)->rip;
	const struct rfs_module_info *module = rfs_info_at(run, rip);
	unsigned char bytes[RFS_INSN_MAX];
	struct rfs_insn insn;

	if (!module || !module->watched || stores->n_steps++ >= STEPS_MAX)
		return false;
	if (!rfs_peek(run, rip, bytes, sizeof(bytes)) ||
	    rfs_insn_decode(run->decoder, bytes, sizeof(bytes), rip, &insn) != 0)
		return false;
	if (insn.flow == RFS_FLOW_SYSCALL || insn.flow == RFS_FLOW_TRAP || insn.cannot_copy || insn.atomic ||
	    is_fence(&insn))
		return false;
	return look_at_accesses(run, thread, stores, &insn, module);
}

enum rfs_resume rfs_stores_resume(struct rfs_run *run, struct rfs_thread *thread, enum rfs_resume how, int signo)
{
	struct thread_stores *stores = stores_of(run, thread);

	if (!stores || (!stores->begins && !stores->buffer.n))
		return how;
	if (signo || how == RFS_RESUME_SYSCALL || (!stores->looked && !store_buffers_look_ahead(run, thread, stores))) {
		stores->next.size = 0;
		rfs_stores_flush(run, thread);
		return how;
	}
	stores->looked = false;
	stores->steps = how == RFS_RESUME_RUN;
	return RFS_RESUME_STEP;
}

/* The thread has executed its store. */
static void entered(struct rfs_run *run, struct thread_stores *stores)
{
	const struct rfs_store *next = &stores->next;
	unsigned char value[RFS_STORE_MAX];
	struct rfs_store *store;

	if (!rfs_peek(run, next->address, value, next->size))
		return;
	store = rfs_store_buffer_add(&stores->buffer, next->address, next->size, next->under, value);
	store->follows = next->follows;
	store->site = next->site;
	rfs_trace_settle(run);
}

/* Whether the thread can have delayed stores at this stop. */
static bool store_buffers_keeps(const struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	const struct rfs_module_info *module;
	const struct rfs_hook *hook;

	switch (stop->kind) {
	case RFS_STOP_STEP:
	case RFS_STOP_INTERRUPT:
	case RFS_STOP_WATCH:
		return true;
	case RFS_STOP_BREAKPOINT:
		if (!stop->breakpoint)
			return false;
		hook = rfs_breakpoint_data(stop->breakpoint);
		module = rfs_info_at(run, rfs_task_regs(thread->task)->rip);
		return module && module->watched && !rfs_hook_always_stops(hook);
	default:
		return false;
	}
}

/* The whole process ends, or the call interrupts all processors that execute a thread of the process. */
static bool concerns_all(const struct rfs_thread *thread, const struct rfs_stop *stop)
{
	if (stop->kind == RFS_STOP_EXITING)
		return thread->syscall != SYS_exit;
	return stop->kind == RFS_STOP_SYSCALL && (stop->number == SYS_munmap || stop->number == SYS_mprotect ||
						  stop->number == SYS_pkey_mprotect || stop->number == SYS_membarrier);
}

static void flush_all(struct rfs_run *run)
{
	for (size_t i = 0; run->stores && i < run->n_threads; i++)
		rfs_stores_flush(run, run->threads[i]);
}

/* The oldest store becomes visible. */
static struct rfs_op op_of(const struct rfs_store *store)
{
	struct rfs_op op = rfs_op_make(RFS_OP_ACCESS, store->site, store->address);

	op.access = RFS_ACCESS_WRITE | RFS_ACCESS_FLUSH;
	op.size = store->size;
	return op;
}

/* Whether the thread stops at the next instruction before it executes it, and parks there. */
static bool arrives(struct rfs_thread *thread)
{
	struct rfs_breakpoint *breakpoint =
		rfs_breakpoint_at(rfs_task_space(thread->task), rfs_task_regs(thread->task)->rip);
	const struct rfs_hook *hook = breakpoint ? rfs_breakpoint_data(breakpoint) : NULL;

	return hook && !hook->call && hook->site && hook->site->visible;
}

static enum rfs_then go_flush(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_stores_flush(run, thread);
	return RFS_THEN_EXECUTE;
}

/*
 * The thread has executed one instruction. If its stores must be visible before the next one, it parks: other threads
 * may run while they are not visible.
 */
static enum rfs_then store_buffers_stepped(struct rfs_run *run, struct rfs_thread *thread, struct thread_stores *stores)
{
	struct rfs_op op;

	stores->looked = !stores->buffer.n || arrives(thread) || store_buffers_look_ahead(run, thread, stores);
	if (stores->looked)
		return RFS_THEN_EXECUTE;
	stores->next.size = 0;
	op = op_of(stores->buffer.stores);
	op.access |= RFS_ACCESS_ATOMIC;
	return rfs_park(run, thread, op, rfs_ready_always, go_flush);
}

enum rfs_then rfs_stores_stopped(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	struct thread_stores *stores = stores_of(run, thread);
	bool steps;

	if (!run->stores)
		return RFS_THEN_UNDECIDED;
	if (concerns_all(thread, stop) || store_buffers_is_over(run))
		flush_all(run);
	if (!stores)
		return RFS_THEN_UNDECIDED;
	if (stop->kind == RFS_STOP_STEP && stores->next.size)
		entered(run, stores);
	stores->next.size = 0;
	stores->begins = stores->looked = false;
	steps = stores->steps && stop->kind == RFS_STOP_STEP;
	stores->steps = false;
	if (!store_buffers_keeps(run, thread, stop))
		rfs_stores_flush(run, thread);
	return steps ? store_buffers_stepped(run, thread, stores) : RFS_THEN_UNDECIDED;
}

/* ---- the buffer as a thread of the view ---- */

size_t rfs_stores_view(const struct rfs_run *run, struct rfs_thread_view *out)
{
	size_t n = 0;

	for (size_t i = 0; run->stores && i < run->stores->n; i++)
		if (run->stores->threads[i].buffer.n)
			out[n++] = (struct rfs_thread_view){.thread = RFS_STORE_BUFFER + (int)i,
							    .flags = RFS_THREAD_ENABLED,
							    .next = op_of(run->stores->threads[i].buffer.stores)};
	return n;
}

bool rfs_stores_wait(const struct rfs_run *run)
{
	for (size_t i = 0; run->stores && i < run->stores->n; i++)
		if (run->stores->threads[i].buffer.n)
			return true;
	return false;
}

bool rfs_stores_is_buffer(const struct rfs_run *run, int number)
{
	const size_t i = (size_t)number - RFS_STORE_BUFFER;

	return number >= RFS_STORE_BUFFER && run->stores && i < run->stores->n && run->stores->threads[i].buffer.n;
}

void rfs_stores_execute(struct rfs_run *run, int number)
{
	struct rfs_thread *thread = run->threads[number - RFS_STORE_BUFFER];
	struct thread_stores *stores = stores_of(run, thread);
	const struct rfs_op op = op_of(stores->buffer.stores);

	store_buffers_commit(run, stores, rfs_store_buffer_next(&stores->buffer));
	rfs_flushed(run, thread, &op);
	rfs_trace_settle(run);
}

void rfs_stores_release(struct rfs_run *run)
{
	for (size_t i = 0; run->stores && i < run->stores->n; i++)
		rfs_store_buffer_release(&run->stores->threads[i].buffer);
	if (run->stores)
		free(run->stores->threads);
	free(run->stores);
}
