/*
 * access.c - what happens when a thread hits the breakpoint at a statement: the detector gets the accesses. At a
 * visible site the thread also parks before each of them.
 *
 * If the hardware does not execute a statement atomically, rfsup must not do so either, because other threads may run
 * in the middle (docs/internals/accesses.md, "Accesses"). So each statement is split into parts, which execute one
 * after the other:
 *
 *     add $1, x (no lock)     read x | write x            before the instruction runs, the value read is put back
 *     memcpy, rep movs        read 1st half | write it | read 2nd half | write it     carried out by rfsup
 *     memset, rep stos        write 1st half | write 2nd half                         carried out by rfsup
 *     lock …, xchg            one part that reads and writes
 *     anything else           its accesses in order; the instruction runs with the last
 */
#include "supervisor/access/access.h"

#include <stdlib.h>
#include <string.h>

#include "disasm/addr.h"
#include "disasm/insn/insn.h"
#include "disasm/rewrite/asan.h"
#include "disasm/rewrite/code.h"
#include "policy/core/op.h"
#include "policy/policy.h"
#include "supervisor/access/atomic_learns.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/access/calls/range_call.h"
#include "supervisor/access/heap.h"
#include "supervisor/access/hot_statements.h"
#include "supervisor/access/quarantine.h"
#include "supervisor/access/sanitizer.h"
#include "supervisor/access/spin.h"
#include "supervisor/access/store_buffers.h"
#include "supervisor/access/word_locks.h"
#include "supervisor/base/address_set.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/memory_name.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/aliases.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stable_names.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/order_places.h"
#include "supervisor/state/operations/park.h"
#include "supervisor/state/operations/thread_stacks.h"
#include "tracer/breakpoint.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

/* In bytes. A larger copy or fill is not split: it runs natively. */
#define CARRY_MAX (1u << 20)
#define DIRECTION_FLAG 0x400u

/* What happens after the last part of a statement. */
enum finish {
	FINISH_NATIVE, /* the instruction runs natively */
	FINISH_RMW,    /* the value that was read is put back, then the instruction runs */
	FINISH_CALL,   /* rfsup has carried out the call: the thread continues after it */
	FINISH_STRING, /* rfsup has carried out the instruction: the thread continues after it */
	FINISH_OMIT,   /* the call is left out: the thread continues after it */
};

static int access_machine_vector(void *arg, int n, bool mask, void *out)
{
	return rfs_task_vector(arg, n, mask, out);
}

static int access_machine_read(void *arg, rfs_addr address, void *buf, size_t n)
{
	return rfs_space_read(rfs_task_space(arg), address, buf, n);
}

static bool range_read(void *arg, rfs_addr address, void *buf, size_t n)
{
	return access_machine_read(arg, address, buf, n) == 0;
}

static void add_part(struct rfs_access_state *state, rfs_addr address, uint64_t size, unsigned access)
{
	if (state->n_parts < RFS_PARTS_MAX && size > 0)
		state->part[state->n_parts++] = (struct rfs_part){address, size, access};
}

static bool access_overlap(rfs_addr a, rfs_addr b, uint64_t size)
{
	return a < b + size && b < a + size;
}

/* Adds the parts of a copy or a fill, which is done in two halves. The cut is at a multiple of `unit` bytes. */
static void add_halves(struct rfs_access_state *state, bool copy, rfs_addr from, rfs_addr to, uint64_t size,
		       uint64_t unit)
{
	uint64_t half = size / 2 / unit * unit;
	uint64_t cut[3] = {0, half, size};

	if (copy && access_overlap(from, to, size))
		cut[1] = 0; /* if the ranges overlap, the first half is empty, so all bytes are read before any is
			       written */
	for (int i = 0; i < 2; i++) {
		if (copy)
			add_part(state, from + cut[i], cut[i + 1] - cut[i], RFS_ACCESS_READ | RFS_ACCESS_RANGE);
		add_part(state, to + cut[i], cut[i + 1] - cut[i], RFS_ACCESS_WRITE | RFS_ACCESS_RANGE);
	}
}

static bool access_enters(const struct rfs_site_hook *site)
{
	return site->code->tail;
}

static void emit_range(struct rfs_run *run, struct rfs_thread *thread, rfs_site site,
		       const struct rfs_touched_range *range)
{
	struct rfs_event event = {.kind = RFS_EVENT_ACCESS, .thread = thread->number};

	event.op = rfs_op_make(RFS_OP_ACCESS, site, rfs_family_name(run, thread, range->address));
	event.op.access = RFS_ACCESS_RANGE | (range->write ? RFS_ACCESS_WRITE : RFS_ACCESS_READ);
	event.op.size = range->size;
	if (!rfs_family_counts(run, thread, range->address))
		return;
	rfs_count_access(run);
	rfs_emit(run, &event);
}

/* Whether any access of the statement, whose parts are not named yet, counts. */
static bool access_counts(const struct rfs_run *run, const struct rfs_thread *thread)
{
	for (unsigned i = 0; i < thread->access.n_parts; i++)
		if (rfs_family_counts(run, thread, thread->access.part[i].address))
			return true;
	return false;
}

static void name_parts(const struct rfs_run *run, struct rfs_thread *thread)
{
	for (unsigned i = 0; i < thread->access.n_parts; i++)
		thread->access.part[i].address = rfs_family_name(run, thread, thread->access.part[i].address);
}

/* A call with late ranges has returned: reports what it has written. */
static void late_returned(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *pending,
			  uint64_t value)
{
	struct rfs_late_call *late = &thread->late.list[pending->arg % RFS_LATE_CALLS];
	const struct rfs_range_reader reader = {range_read, thread->task};
	struct rfs_range_call call;

	if (late->number != pending->arg)
		return; /* too many calls were nested */
	late->number = 0;
	if (!rfs_range_call_result(late->site->code->callee, &late->regs, access_enters(late->site), value, &reader,
				   &call))
		return;
	for (size_t i = 0; i < call.n; i++)
		emit_range(run, thread, late->site->site, &call.range[i]);
}

/* Sees to it that the call at which the thread is parked reports its late ranges when it returns. */
static void await_return(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	const struct rfs_access_state *state = &thread->access;
	rfs_addr back = access_enters(state->site) ? rfs_call_back(run, thread) : regs->rip + state->length;
	rfs_addr rsp = regs->rsp + (access_enters(state->site) ? 8 : 0);
	struct rfs_hook *hook = run->spec->detector && back ? rfs_hook_at(run, thread->task, back) : NULL;
	uint64_t number = ++thread->late.n;

	if (!hook)
		return;
	hook->returns = true;
	thread->late.list[number % RFS_LATE_CALLS] = (struct rfs_late_call){number, state->site, *regs};
	rfs_call_entered(thread, back, rsp, late_returned, number);
}

/* The address of this function in the C library, or in a program that contains it. 0: there is none. */
static rfs_addr library_function(const struct rfs_run *run, const char *name)
{
	rfs_addr vaddr;

	for (size_t i = 0; i < run->n_modules; i++) {
		const struct rfs_module_info *info = run->modules[i];

		if (!info->gone && !info->interpreter &&
		    (info->libc || (info->program && !rfs_elf_interpreter(info->elf))) &&
		    rfs_elf_symbol(info->elf, name, &vaddr, NULL))
			return vaddr + info->bias;
	}
	return 0;
}

static void call_parts(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_site_hook *site, bool carry)
{
	struct rfs_access_state *state = &thread->access;
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	const struct rfs_range_reader reader = {range_read, thread->task};
	struct rfs_range_call call;
	size_t last;

	if (!rfs_range_call_is(site->code) ||
	    !rfs_range_call_look(site->code->callee, regs, access_enters(site), &reader, &call))
		return;
	if (call.shape == RFS_RANGE_FREE || call.shape == RFS_RANGE_RESIZE) {
		add_part(state, regs->rdi, rfs_heap_chunk_size(run, rfs_family_name(run, thread, regs->rdi)),
			 RFS_ACCESS_WRITE | RFS_ACCESS_RANGE |
				 (call.shape == RFS_RANGE_FREE ? (unsigned)RFS_ACCESS_FREE : 0));
		return;
	}
	last = call.n - 1;
	if (carry && (call.shape == RFS_RANGE_COPY || call.shape == RFS_RANGE_FILL) &&
	    call.range[last].size <= CARRY_MAX) {
		add_halves(state, call.shape == RFS_RANGE_COPY, call.range[0].address, call.range[last].address,
			   call.range[last].size, 1);
		state->finish = FINISH_CALL;
		state->result = call.result;
		state->fill = call.fill;
		return;
	}
	for (size_t i = 0; i < call.n; i++) {
		state->late |= call.range[i].late;
		/* a thread parks before it may write, but what it writes is reported later */
		if (!call.range[i].late || site->visible)
			add_part(state, call.range[i].address, call.range[i].size,
				 RFS_ACCESS_RANGE | (call.range[i].write ? RFS_ACCESS_WRITE : RFS_ACCESS_READ));
	}
	for (size_t i = 0; i < call.n_uses; i++) {
		const struct rfs_library_use *use = &call.use[i];
		const rfs_addr address = use->function ? library_function(run, use->function) : use->object;

		add_part(state, address, address ? 1 : 0,
			 RFS_ACCESS_LIBRARY | RFS_ACCESS_RANGE | (use->write ? RFS_ACCESS_WRITE : RFS_ACCESS_READ));
	}
}

static unsigned flags_of(const struct rfs_insn *insn, const struct rfs_insn_access *access)
{
	unsigned flags = 0;

	if (access->flags & RFS_MEM_READ)
		flags |= RFS_ACCESS_READ;
	if (access->flags & RFS_MEM_WRITE)
		flags |= RFS_ACCESS_WRITE;
	if (insn->atomic)
		flags |= RFS_ACCESS_ATOMIC;
	if (insn->rep)
		flags |= RFS_ACCESS_RANGE;
	if ((insn->plain_move || flags == RFS_ACCESS_READ) && rfs_is_word_size(access->size) &&
	    access->address % access->size == 0)
		flags |= RFS_ACCESS_ALIGNED_MOVE;
	return flags;
}

/*
 * regs: as they will be when the instruction runs. atomic_move: the instruction is an atomic load or store of the
 * language: a plain move, or an xchg that stores.
 */
static void insn_parts(struct rfs_thread *thread, const struct rfs_insn *insn, const struct user_regs_struct *regs,
		       bool atomic_move, bool carry)
{
	struct rfs_access_state *state = &thread->access;
	struct rfs_machine machine = {regs, access_machine_vector, access_machine_read, thread->task};
	struct rfs_insn_access access[RFS_INSN_ACCESSES];
	const struct rfs_insn_access *from = NULL, *to = NULL;
	int n = rfs_insn_accesses(insn, 0, &machine, access);

	for (int i = 0; i < n; i++) {
		if (access[i].flags & RFS_MEM_WRITE)
			to = &access[i];
		else
			from = &access[i];
	}
	if (carry && insn->shape == RFS_SHAPE_STRING && insn->rep && !insn->rep_until && to && n <= 2 &&
	    to->size <= CARRY_MAX && !(regs->eflags & DIRECTION_FLAG)) {
		uint64_t unit = to->size / (regs->rcx ? regs->rcx : 1);

		add_halves(state, from != NULL, from ? from->address : 0, to->address, to->size, unit ? unit : 1);
		state->finish = FINISH_STRING;
		return;
	}
	for (int i = 0; i < n; i++) {
		/* the xchg of an atomic store reads a value that nobody uses */
		unsigned flags =
			flags_of(insn, &access[i]) & ~(insn->atomic && atomic_move ? (unsigned)RFS_ACCESS_READ : 0u);
		const unsigned atomic = atomic_move ? RFS_ACCESS_ATOMIC : 0;

		if (access[i].flags & RFS_MEM_STACK)
			continue;
		if (!insn->atomic && (flags & RFS_ACCESS_READ) && (flags & RFS_ACCESS_WRITE)) {
			add_part(state, access[i].address, access[i].size, RFS_ACCESS_READ | RFS_ACCESS_RMW | atomic);
			add_part(state, access[i].address, access[i].size, RFS_ACCESS_WRITE | RFS_ACCESS_RMW | atomic);
			state->finish = FINISH_RMW;
		} else {
			add_part(state, access[i].address, access[i].size, flags | atomic);
		}
	}
}

/* Whether a thread may be postponed before this access, if it is at the first statement of an order violation. */
static bool may_be_held(const struct rfs_run *run, const struct rfs_thread *thread, rfs_addr address)
{
	return !run->spec->plan.order || !run->spec->plan.order->stacks ||
	       rfs_thread_stack_of_another(run, thread, address);
}

unsigned rfs_access_statements(const struct rfs_run *run, const struct rfs_thread *thread,
			       const struct rfs_site_hook *site, const struct rfs_part *part)
{
	const struct rfs_run_spec *spec = run->spec;
	unsigned statements = site->statements;

	if (may_be_held(run, thread, part->address))
		statements |= rfs_order_access(run, statements);
	if (!statements || !rfs_names_address(run, spec->plan.addresses, spec->plan.n_addresses,
					      rfs_location(run, part->address), part->size))
		return statements;
	return statements | RFS_AT_ADDRESS;
}

static struct rfs_op part_op(const struct rfs_run *run, const struct rfs_thread *thread)
{
	const struct rfs_access_state *state = &thread->access;
	const struct rfs_part *part = &state->part[state->at];
	const rfs_addr location = rfs_location(run, part->address);
	struct rfs_op op = rfs_op_make(RFS_OP_ACCESS, state->site->site, location);

	op.access = part->access;
	op.size = part->size;
	op.statements = rfs_access_statements(run, thread, state->site, part);
	return op;
}

static void emit_access(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_event event = {.kind = RFS_EVENT_ACCESS, .thread = thread->number, .op = part_op(run, thread)};

	rfs_count_access(run);
	rfs_emit(run, &event);
}

/*
 * Moves the thread behind the call or instruction that rfsup has carried out, and sets the registers that the call or
 * instruction would have changed.
 */
static void access_skip(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_access_state *state = &thread->access;
	struct user_regs_struct *regs = rfs_task_regs_mut(thread->task);
	rfs_addr back;
	uint64_t total = 0;

	if (state->finish == FINISH_STRING) {
		for (unsigned i = 0; i < state->n_parts; i++)
			if (state->part[i].access & RFS_ACCESS_WRITE)
				total += state->part[i].size;
		if (state->part[0].access & RFS_ACCESS_READ)
			regs->rsi += total;
		regs->rdi += total;
		regs->rcx = 0;
		regs->rip += state->length;
		return;
	}
	regs->rax = state->result;
	if (!state->site->code->tail) {
		regs->rip += state->length;
	} else if (rfs_peek(run, regs->rsp, &back, sizeof(back))) {
		regs->rip = back;
		regs->rsp += 8;
	}
}

/*
 * Executes one part of a statement that rfsup carries out: reads memory into state->data, or writes to memory. False
 * if the access would fault.
 */
static bool access_carry_out(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_access_state *state = &thread->access;
	const struct rfs_part *part = &state->part[state->at];
	bool copy = state->part[0].access & RFS_ACCESS_READ;
	unsigned char *fill;
	bool done;

	if (state->finish == FINISH_NATIVE || state->finish == FINISH_OMIT ||
	    (state->finish == FINISH_RMW && (part->access & RFS_ACCESS_WRITE)))
		return true;
	if (part->access & RFS_ACCESS_READ) {
		state->data = xrealloc(state->data, part->size);
		state->data_size = part->size;
		return rfs_peek(run, part->address, state->data, part->size);
	}
	if (copy)
		return rfs_poke(run, part->address, state->data, part->size);
	fill = xmalloc(part->size);
	if (state->finish == FINISH_CALL) {
		memset(fill, state->fill, part->size);
	} else { /* stos: each element becomes a copy of rax */
		uint64_t rax = rfs_task_regs(thread->task)->rax;

		for (uint64_t i = 0; i < part->size; i++)
			fill[i] = (unsigned char)(rax >> (i % state->unit * 8));
	}
	done = rfs_poke(run, part->address, fill, part->size);
	free(fill);
	return done;
}

/*
 * The first part of a read-modify-write has read a value; other threads may have changed the memory since. Puts the
 * value back, so that the instruction works with it.
 */
static void access_put_back(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_access_state *state = &thread->access;
	const struct rfs_part *part = &state->part[state->n_parts - 1];
	unsigned char now[64];

	if (state->data_size != part->size || part->size > sizeof(now) ||
	    !rfs_peek(run, part->address, now, part->size))
		return;
	if (memcmp(now, state->data, part->size) != 0)
		(void)rfs_poke(run, part->address, state->data,
			       part->size); /* if this fails, the memory has become read-only; the instruction will
					       fault then */
}

static enum rfs_then park_part(struct rfs_run *run, struct rfs_thread *thread);
static enum rfs_then access_go_on(struct rfs_run *run, struct rfs_thread *thread);

static bool is_atomic_load(const struct rfs_op *op)
{
	return (op->access & RFS_ACCESS_ATOMIC) && !(op->access & RFS_ACCESS_WRITE);
}

/*
 * Whether the thread's previous atomic instruction was also this one, accessed the same address and found the same
 * value. If so, the thread may be in a loop that waits for another thread. The caller then makes it yield, so that the
 * other thread can run.
 */
static bool repeats(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_op *op)
{
	struct rfs_spin_memory *last = &thread->spin.last_atomic;
	uint64_t value = 0;
	bool same;

	if (op->size > sizeof(value) || !rfs_peek(run, op->object, &value, op->size))
		return false;
	same = last->site == op->site && last->address == op->object && last->value == value;
	*last = (struct rfs_spin_memory){.site = op->site, .address = op->object, .value = value};
	return same;
}

/* What the processor does with the stores that wait in the thread's store buffer, and with a store of this part. */
static void execute_on_hardware(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct rfs_access_state *state = &thread->access;
	const struct rfs_part *part = &state->part[state->at];
	const bool is_native = state->finish == FINISH_NATIVE || state->finish == FINISH_RMW;
	const struct rfs_insn *insn = state->checked ? NULL : rfs_breakpoint_insn(state->breakpoint);

	rfs_stores_part(run, thread, part, !insn || insn->atomic, is_native && state->at + 1 == state->n_parts);
}

static enum rfs_then go_part(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	struct rfs_access_state *state = &thread->access;
	struct rfs_op op = part_op(run, thread);
	/* an atomic instruction parks at its own breakpoint, never at a sanitizer's check */
	const struct rfs_insn *insn = op.access & RFS_ACCESS_ATOMIC ? rfs_breakpoint_insn(state->breakpoint) : NULL;
	bool yields = false;
	enum rfs_then then;

	execute_on_hardware(run, thread);
	if (is_atomic_load(&op))
		yields = rfs_spin_load(run, thread, op.site, &state->part[state->at]);
	else if (op.access & RFS_ACCESS_ATOMIC)
		yields = repeats(run, thread, &op);
	if (run->ended)
		return RFS_THEN_END;
	rfs_executed(run, thread, &op, choice->outcome);
	if (rfs_quarantine_faults(run, thread, &op)) {
		rfs_access_drop(thread);
		return RFS_THEN_EXECUTE;
	}
	if (rfs_quarantine_takes(run, thread, &op))
		state->finish = FINISH_OMIT;
	thread->yielded = yields;
	if (op.access & RFS_ACCESS_ATOMIC) {
		rfs_word_locks_update(run, thread, op.site, insn, &state->part[state->at]);
		if (run->ended)
			return RFS_THEN_END;
		if (run->spec->detector)
			state->part[state->at].access |= rfs_atomic_marks(run, thread, insn, &state->part[state->at]);
	}
	if (!(op.access & RFS_ACCESS_ATOMIC) && (op.access & RFS_ACCESS_WRITE) && !state->checked)
		rfs_word_locks_store(run, thread, rfs_breakpoint_insn(state->breakpoint), &state->part[state->at]);
	if ((state->site->watched || run->spec->detector) && !(state->late && (op.access & RFS_ACCESS_WRITE)) &&
	    !rfs_word_locks_is_access(run, op.object, op.size))
		emit_access(run, thread);
	if (run->spec->detector && (op.access & RFS_ACCESS_ATOMIC))
		rfs_atomic_drops_last(run, thread, insn, &state->part[state->at]);
	if (!access_carry_out(run, thread))
		state->finish = FINISH_NATIVE; /* the instruction then runs natively and faults */
	state->at++;
	/* the thread is at the check; at the access itself, it continues with the next part */
	if (state->checked)
		return RFS_THEN_EXECUTE;
	then = access_go_on(run, thread);
	thread->contention.parks_after_step = then == RFS_THEN_EXECUTE && (op.access & RFS_ACCESS_ATOMIC) &&
					      rfs_word_locks_stops_after(run, thread, op.site, insn, op.object);
	return thread->contention.parks_after_step ? RFS_THEN_STEP : then;
}

/* The next part of the statement, or its end. */
static enum rfs_then access_go_on(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_access_state *state = &thread->access;
	const bool native = state->finish == FINISH_NATIVE || state->finish == FINISH_RMW;

	if (state->at < state->n_parts)
		return park_part(run, thread);
	if (state->finish == FINISH_RMW)
		access_put_back(run, thread);
	else if (state->finish != FINISH_NATIVE)
		access_skip(run, thread);
	if (state->late)
		await_return(run, thread);
	rfs_access_drop(thread);
	return native && thread->handler.follows ? RFS_THEN_STEP : RFS_THEN_EXECUTE;
}

static enum rfs_then park_part(struct rfs_run *run, struct rfs_thread *thread)
{
	return rfs_park(run, thread, part_op(run, thread), rfs_ready_always, go_part);
}

/* Computes the parts of the statement. insn: its instruction, decoded at its address; regs: see insn_parts(). */
static void find_parts(struct rfs_run *run, struct rfs_thread *thread, struct rfs_site_hook *site,
		       const struct rfs_insn *insn, const struct user_regs_struct *regs)
{
	struct rfs_access_state *state = &thread->access;

	rfs_access_drop(thread);
	state->site = site;
	state->heap_changes = run->heap.changes;
	state->length = insn->length;
	state->unit = insn->n_mem ? insn->mem[0].size : 1;
	/* a sanitizer checks a call such as memcpy inside, so the call must run */
	if (site->code && site->code->kind == RFS_CODE_CALL)
		call_parts(run, thread, site, site->visible && !run->asan);
	else
		insn_parts(thread, insn, regs, site->code && site->code->atomic_move, site->visible);
}

/*
 * The thread is at the sanitizer's check of a visible access: it parks here, before the access's first part. Undecided:
 * the check is not of what the access would do now.
 */
static enum rfs_then hit_check(struct rfs_run *run, struct rfs_thread *thread, struct rfs_site_hook *site,
			       const struct rfs_insn *check)
{
	struct rfs_access_state *state = &thread->access;
	struct rfs_machine machine = {rfs_task_regs(thread->task), access_machine_vector, access_machine_read,
				      thread->task};
	rfs_addr address = rfs_site_address(run, site->checks->site);
	struct rfs_insn_access shadow[RFS_INSN_ACCESSES];
	struct user_regs_struct regs = *rfs_task_regs(thread->task);
	unsigned char bytes[RFS_INSN_MAX];
	struct rfs_insn insn;

	if (rfs_insn_accesses(check, 0, &machine, shadow) < 1 || !rfs_peek(run, address, bytes, sizeof(bytes)) ||
	    rfs_insn_decode(run->decoder, bytes, sizeof(bytes), address, &insn) != 0)
		return RFS_THEN_UNDECIDED;
	rfs_sanitizer_reload(run, &insn, &regs);
	find_parts(run, thread, site->checks, &insn, &regs);
	if (!state->n_parts || (state->part[0].access & RFS_ACCESS_ATOMIC) ||
	    shadow[0].address != (state->part[0].address >> RFS_ASAN_SCALE) + RFS_ASAN_SHADOW)
		return RFS_THEN_UNDECIDED;
	name_parts(run, thread);
	state->checked = true;
	return park_part(run, thread);
}

/* The thread arrives at an access whose first part it has executed at the check. */
static enum rfs_then after_check(struct rfs_run *run, struct rfs_thread *thread, struct rfs_breakpoint *breakpoint)
{
	const struct rfs_insn *insn = rfs_breakpoint_insn(breakpoint);
	struct rfs_access_state *state = &thread->access;
	struct rfs_machine machine = {rfs_task_regs(thread->task), access_machine_vector, access_machine_read,
				      thread->task};
	struct rfs_insn_access access[RFS_INSN_ACCESSES];

	if (state->at == 0 || rfs_insn_accesses(insn, 0, &machine, access) < 1 ||
	    access[0].address != rfs_memory_address(state->part[0].address))
		return RFS_THEN_UNDECIDED;
	state->checked = false;
	/* of the access: it was not known at the check */
	state->breakpoint = breakpoint;
	return access_go_on(run, thread);
}

enum rfs_then rfs_site_hit(struct rfs_run *run, struct rfs_thread *thread, struct rfs_site_hook *site,
			   struct rfs_breakpoint *breakpoint)
{
	struct rfs_access_state *state = &thread->access;
	const struct rfs_insn *insn = rfs_breakpoint_insn(breakpoint);
	enum rfs_then then = RFS_THEN_UNDECIDED;

	if (site->code && site->code->kind == RFS_CODE_PAUSE) {
		return rfs_park(run, thread, rfs_op_make(RFS_OP_YIELD, site->site, 0), rfs_ready_always, rfs_go_on);
	}
	if (!insn) { /* the code here can no longer be decoded: the thread executes it and faults by itself */
		rfs_access_drop(thread);
		return RFS_THEN_EXECUTE;
	}
	if (state->checked && state->site == site)
		then = after_check(run, thread, breakpoint);
	else if (site->checks)
		then = hit_check(run, thread, site, insn);
	if (then)
		return then;
	find_parts(run, thread, site, insn, rfs_task_regs(thread->task));
	state->breakpoint = breakpoint;
	if (state->n_parts > 0 && rfs_sanitizer_shadow(run, state->part[0].address))
		state->n_parts = 0;
	if (thread->process && !access_counts(run, thread)) {
		rfs_access_drop(thread);
		return RFS_THEN_EXECUTE;
	}
	if (thread->process)
		name_parts(run, thread);
	for (unsigned i = 0; i < state->n_parts; i++)
		if (state->part[i].access & RFS_ACCESS_ATOMIC)
			rfs_address_set_add(&run->atomics, state->part[i].address);
	if (state->n_parts > 0 && site->spin)
		return rfs_spin_hit(run, thread, site, &state->part[0]);
	if (state->n_parts > 0 && site->visible && rfs_hot_passes(run, thread, site)) {
		rfs_access_drop(thread);
		return RFS_THEN_EXECUTE;
	}
	if (state->n_parts > 0 && site->visible)
		return park_part(run, thread);
	for (state->at = 0; state->at < state->n_parts; state->at++) {
		if ((state->part[state->at].access & RFS_ACCESS_WRITE) &&
		    rfs_word_locks_store(run, thread, insn, &state->part[state->at]))
			rfs_count_access(run);
		else
			emit_access(run, thread);
	}
	if (state->n_parts > 0 && rfs_spin_suspect(run, thread, site, &state->part[0]))
		return RFS_THEN_END;
	if (state->late)
		await_return(run, thread);
	rfs_access_drop(thread);
	return RFS_THEN_EXECUTE;
}
