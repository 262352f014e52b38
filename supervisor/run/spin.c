/*
 * spin.c - threads that wait by reading memory in a loop.
 *
 * Found in two ways: among the watched accesses, a thread that comes by one statement in just the same state again and
 * again; and by a watchdog, which steps a thread that burns CPU time without a visible operation. The statement becomes
 * a spin read: the run ends, and is made again from the start with the statement in the set, so that the schedule stays
 * a function of the seed.
 *
 * A spin read in the very state of the last time (registers, nearby stack, value) can only change by another thread:
 * it is enabled once a value that the loop read has changed. One whose state differs (a counter) gives up its turn.
 *
 * The watchdog also finds a thread that sleeps in a system call which is not known to block (syscalls.c has the list):
 * the others go on then, with a warning, because the moment is a matter of the clock.
 */
#include "supervisor/run/spin.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "disasm/addr.h"
#include "disasm/insn/insn.h"
#include "policy/policy.h"
#include "supervisor/access/hooks.h"
#include "supervisor/access/stub_drain.h"
#include "supervisor/access/stubs.h"
#include "supervisor/base/alloc.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/run/stops.h"
#include "supervisor/state/events.h"
#include "supervisor/state/evidence.h"
#include "supervisor/state/modules.h"
#include "supervisor/state/outcome.h"
#include "supervisor/state/park.h"
#include "supervisor/state/run_result.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/target_memory.h"
#include "supervisor/state/thread.h"
#include "tracer/tracer-priv.h"
#include "tracer/tracer.h"

/* Accesses without a visible operation before states are compared: more than most loops that do work make unseen. */
#define SUSPECT_HITS 3000
/* Comparing states costs as much as a stop: done for so many hits out of so many. */
#define SUSPECT_WINDOW 256
#define SUSPECT_PERIOD 8192
/* Times that one statement is seen to read one value before the thread is taken to wait for it, whatever its counters
 * do. */
#define SUSPECT_REPEATS 2000
/* Ticks of burnt CPU before the watchdog steps; doubled after each look that found nothing. */
#define WATCH_TICKS 4
/* CPU time for a tick that the target got something done in: half of RFS_TICK_USEC. On a busy machine it does not. */
#define TICK_CPU_SECONDS (RFS_TICK_USEC / 2e6)
#define WATCH_STEPS 3000
/* The tail of a full buffer of records that tells whether a thread may spin. */
#define RECORDS_LOOKED_AT 2048
#define STACK_BELOW 128
#define STACK_BYTES 640

static uint64_t state_of(struct rfs_run *run, struct rfs_thread *thread)
{
	struct user_regs_struct regs = *rfs_task_regs(thread->task);
	unsigned char stack[STACK_BYTES];
	uint64_t hash;

	regs.orig_rax = 0;
	hash = XXH64(&regs, sizeof(regs), 0);
	if (rfs_peek(run, regs.rsp - STACK_BELOW, stack, sizeof(stack)))
		hash = XXH64(stack, sizeof(stack), hash);
	return hash;
}

static uint64_t value_of(struct rfs_run *run, const struct rfs_part *part)
{
	unsigned char buf[64] = {0};

	if (!rfs_peek(run, part->address, buf, part->size < sizeof(buf) ? part->size : sizeof(buf)))
		return 0;
	return XXH64(buf, sizeof(buf), 0);
}

static uint64_t memory_value(struct rfs_run *run, const struct rfs_spin_memory *memory)
{
	return value_of(run, &(struct rfs_part){memory->address, memory->size, 0});
}

static struct rfs_spin_memory *find(struct rfs_thread *thread, rfs_site site, rfs_addr address)
{
	for (unsigned i = 0; i < thread->n_spin; i++)
		if (thread->spin[i].site == site && thread->spin[i].address == address)
			return &thread->spin[i];
	return NULL;
}

static struct rfs_spin_memory *note(struct rfs_thread *thread, rfs_site site, const struct rfs_part *part)
{
	struct rfs_spin_memory *memory = find(thread, site, part->address);

	if (memory)
		return memory;
	if (thread->n_spin == RFS_SPIN_SITES) {
		memmove(thread->spin, thread->spin + 1, sizeof(*thread->spin) * (RFS_SPIN_SITES - 1));
		thread->n_spin--;
	}
	memory = &thread->spin[thread->n_spin++];
	*memory = (struct rfs_spin_memory){.site = site, .address = part->address, .size = part->size};
	return memory;
}

static void found(struct rfs_run *run, rfs_site site)
{
	struct rfs_run_result *result = run->result;
	struct rfs_place *place;

	result->spin = xreallocarray(result->spin, result->n_spin + 1, sizeof(*result->spin));
	place = &result->spin[result->n_spin++];
	rfs_place_of(run, rfs_site_address(run, site), place);
	rfs_run_end(run, RFS_END_RESTART, 0);
}

static unsigned ready_changed(struct rfs_run *run, struct rfs_thread *thread)
{
	for (unsigned i = 0; i < thread->n_spin; i++)
		if (memory_value(run, &thread->spin[i]) != thread->spin[i].value)
			return RFS_THREAD_ENABLED;
	return 0;
}

static void go_read(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	struct rfs_part part = thread->access.part[0];
	struct rfs_spin_memory *memory = note(thread, thread->next.site, &part);
	struct rfs_event event = {.kind = RFS_EVENT_ACCESS, .thread = thread->number, .op = thread->next};
	bool again = memory->state != 0;

	rfs_executed(run, thread, &thread->next, choice->outcome);
	run->spin_reads++;
	memory->value = value_of(run, &part);
	memory->state = state_of(run, thread);
	thread->yielded = again;
	event.op.kind = RFS_OP_ACCESS;
	if (thread->access.site->watched) {
		run->result->accesses++;
		rfs_emit(run, &event);
	}
	rfs_access_drop(thread);
	rfs_proceed(run, thread);
}

void rfs_spin_hit(struct rfs_run *run, struct rfs_thread *thread, struct rfs_site_hook *site,
		  const struct rfs_part *part)
{
	struct rfs_op op = rfs_op_make(RFS_OP_SPIN_READ, site->site, part->address);
	const struct rfs_spin_memory *memory = find(thread, site->site, part->address);
	bool same = memory && memory->state == state_of(run, thread) && memory->value == value_of(run, part);

	op.access = part->access;
	op.size = part->size;
	op.statements = site->statements;
	rfs_park(run, thread, op, same ? ready_changed : rfs_ready_always, go_read);
}

bool rfs_spin_suspect(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_site_hook *site,
		      const struct rfs_part *part)
{
	struct rfs_spin_memory *memory;
	uint64_t value, state;

	if (++thread->hits < SUSPECT_HITS || thread->hits % SUSPECT_PERIOD >= SUSPECT_WINDOW ||
	    (part->access & RFS_ACCESS_WRITE))
		return false;
	memory = note(thread, site->site, part);
	value = value_of(run, part);
	state = state_of(run, thread);
	if (memory->repeats && memory->value == value) {
		memory->repeats++;
		if (memory->state == state || memory->repeats > SUSPECT_REPEATS) {
			found(run, site->site);
			return true;
		}
	} else {
		memory->repeats = 1;
	}
	memory->value = value;
	memory->state = state;
	return false;
}

/* One instruction of the loop under the watchdog. */
struct step {
	rfs_addr rip;
	uint64_t state;
	rfs_site load; /* the instruction, where it reads other memory than the thread's stack; else 0 */
};

static int by_site(const void *one, const void *two)
{
	const struct step *a = one, *b = two;

	return a->load < b->load ? -1 : a->load > b->load;
}

/*
 * The steps are once around a loop: all of its loads become spin reads, so that it does not matter where in the loop
 * the thread was when a clock said that it should be looked at. RFS_SPIN_SITES of them are kept apart, no more.
 * False: there are none.
 */
static bool found_loop(struct rfs_run *run, struct step *steps, size_t n)
{
	unsigned sites = 0;

	qsort(steps, n, sizeof(*steps), by_site);
	for (size_t i = 0; i < n && sites < RFS_SPIN_SITES; i++) {
		if (!steps[i].load || (i && steps[i].load == steps[i - 1].load))
			continue;
		found(run, steps[i].load);
		sites++;
	}
	return sites > 0;
}

static bool step_once(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_stop stop;

	if (rfs_task_resume(thread->task, RFS_RESUME_STEP, 0) != 0)
		return false;
	for (;;) {
		int got = rfs_tracer_wait(run->tracer, -1, &stop);

		if (got < 0)
			return false;
		if (got == 0)
			continue;
		run->result->stops++;
		if (stop.task == thread->task && stop.kind == RFS_STOP_STEP)
			return true;
		rfs_handle_stop(run, &stop);
		if (stop.task == thread->task || run->ended)
			return false;
	}
}

/* Whether the instruction at rip reads other memory than the stack. */
static bool load_at(struct rfs_run *run, struct rfs_thread *thread, rfs_addr rip, bool *writes)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	struct rfs_machine machine = {.regs = regs};
	struct rfs_insn_access access[RFS_INSN_ACCESSES];
	unsigned char bytes[RFS_INSN_MAX];
	struct rfs_insn insn;
	bool load = false;
	int n;

	if (!rfs_peek(run, rip, bytes, sizeof(bytes)) ||
	    rfs_insn_decode(run->decoder, bytes, sizeof(bytes), rip, &insn) != 0)
		return false;
	n = rfs_insn_accesses(&insn, 0, &machine, access);
	for (int i = 0; i < n; i++) {
		bool own = access[i].address >= thread->stack_low && access[i].address < thread->stack_high;

		if (own || (access[i].flags & RFS_MEM_STACK))
			continue;
		if (access[i].flags & RFS_MEM_WRITE)
			*writes = true;
		load = load || (access[i].flags & RFS_MEM_READ);
	}
	return load;
}

/*
 * Steps the thread until it is in a state that it was in before, without having written anything in between but its own
 * stack: then nothing but another thread can end the loop, and what it read is the reason.
 */
static void analyse(struct rfs_run *run, struct rfs_thread *thread)
{
	struct step *steps = xcalloc(WATCH_STEPS, sizeof(*steps));
	size_t loads = 0;

	for (size_t n = 0; n < WATCH_STEPS; n++) {
		bool writes = false;
		rfs_addr rip = rfs_task_regs(thread->task)->rip;
		bool load = load_at(run, thread, rip, &writes);

		if (writes)
			break;
		loads += load;
		steps[n] = (struct step){rip, state_of(run, thread), load ? rfs_site_of(run, rip) : 0};
		for (size_t i = 0; i < n && loads; i++)
			if (steps[i].rip == rip && steps[i].state == steps[n].state) {
				if (found_loop(run, steps + i, n - i))
					goto done;
				goto no_spin;
			}
		if (!step_once(run, thread))
			goto done;
	}
no_spin:
	rfs_proceed(run, thread);
done:
	free(steps);
}

/* Whether the last records are reads of a few places, over and over. */
static bool may_spin(const struct rfs_run *run, const struct rfs_stub_record *records, size_t n)
{
	const struct rfs_stub_record *known[RFS_SPIN_SITES];
	unsigned n_known = 0;

	if (n < RECORDS_LOOKED_AT)
		return false;
	for (size_t i = n - RECORDS_LOOKED_AT; i < n; i++) {
		unsigned k = 0;

		if (records[i].number >= run->n_operands || run->operands[records[i].number].writes)
			return false;
		while (k < n_known &&
		       (known[k]->number != records[i].number || known[k]->address != records[i].address))
			k++;
		if (k < n_known)
			continue;
		if (n_known == RFS_SPIN_SITES)
			return false;
		known[n_known++] = &records[i];
	}
	return true;
}

void rfs_spin_records(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stub_record *records, size_t n)
{
	if (!may_spin(run, records, n) || ++thread->full < thread->full_wait || run->running != thread) {
		rfs_proceed(run, thread);
		return;
	}
	thread->full = 0;
	thread->full_wait = thread->full_wait ? 2 * thread->full_wait : 2;
	analyse(run, thread);
}

/* True where the running thread stands still; false where it reached an operation first, or is gone. */
static bool interrupt(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct rfs_stub_record *records;
	struct rfs_stop stop;

	if (rfs_task_interrupt(thread->task) != 0)
		return false;
	while (!run->ended) {
		int got = rfs_tracer_wait(run->tracer, -1, &stop);

		if (got < 0)
			return false;
		if (got == 0)
			continue;
		run->result->stops++;
		if (stop.task == thread->task && stop.kind == RFS_STOP_INTERRUPT) {
			/* what it recorded so far; there is room now for what it records step by step */
			(void)rfs_stub_drain(run, thread->task, thread, &records);
			return true;
		}
		rfs_handle_stop(run, &stop);
		if (run->running != thread)
			return false; /* it reached an operation first; the interrupt comes with its next resume */
	}
	return false;
}

void rfs_stop_running(struct rfs_run *run)
{
	struct rfs_thread *t = run->running;
	char state = t && t->task ? rfs_task_state(t->task) : 'S';

	/* asleep in a call, it has no place in its code to show, and would not come back from it before the others */
	if (state == 'S' || state == 'D' || !interrupt(run, t))
		return;
	t->state = RFS_STATE_PARKED;
	t->next = rfs_op_make(RFS_OP_NONE, 0, 0);
	run->running = NULL;
}

void rfs_watchdog(struct rfs_run *run)
{
	struct rfs_thread *t = run->running;
	const struct rfs_stub_record *records;
	double cpu;

	if (!t || !t->task) {
		run->watched = NULL;
		return;
	}
	if (run->watched != t || run->watch_steps != run->result->steps || run->watch_stops != run->result->stops) {
		run->watched = t;
		run->watch_steps = run->result->steps;
		run->watch_stops = run->result->stops;
		run->watch_ticks = 0;
		run->watch_wait = WATCH_TICKS;
		run->watch_cpu = rfs_tracer_cpu_seconds(run->tracer);
		return;
	}
	if (++run->watch_ticks < run->watch_wait)
		return;
	if (rfs_task_state(t->task) == 'S') {
		/* Asleep in a call that the filter lets through: the others go on, but since when, a clock said. */
		rfs_run_warn(run,
			     "thread %d is blocked in system call %ld, which rfsup does not schedule; this run may "
			     "differ from others with its seed",
			     t->number, rfs_task_syscall(t->task));
		/* nobody sees it come back, and whoever runs then writes to the same buffer */
		(void)rfs_stub_drain(run, t->task, t, &records);
		rfs_stubs_stop_lending(run, t);
		t->state = RFS_STATE_KERNEL;
		t->next = rfs_op_make(RFS_OP_SYSCALL, 0, 0);
		run->running = NULL;
		return;
	}
	cpu = rfs_tracer_cpu_seconds(run->tracer);
	if (cpu - run->watch_cpu < run->watch_wait * TICK_CPU_SECONDS)
		return;
	run->watch_ticks = 0;
	run->watch_cpu = cpu;
	if (rfs_gdb_attached(run))
		return; /* gdb's stops cost time that is none of the target's, and the record knows its spin reads */
	run->watch_wait *= 2;
	if (interrupt(run, t))
		analyse(run, t);
	run->watch_stops = run->result->stops;
}
