/*
 * watchdog.c - a thread that runs without a visible operation: does it compute, spin, or sleep?
 *
 * Every tick the watchdog looks whether the running thread has stopped since the last one. One that only burns CPU time
 * is interrupted and stepped for a while: if it comes back to a state that it was in before, having written nothing but
 * its own stack, it spins, and what it reads in the loop becomes spin reads (access/spin.c). The same is done for one
 * whose records fill the stub buffer with reads of a few places.
 *
 * A thread that sleeps in a system call which is not known to block (kernel/syscalls.c) is taken off the processor, so
 * to speak: the others go on, with a warning, because the moment is a matter of the clock.
 *
 * Nothing here waits: an interrupt and each step are answered by a stop, which stops.c hands to this file.
 */
#include "supervisor/run/watchdog.h"

#include <stdlib.h>
#include <string.h>

#include "disasm/addr.h"
#include "disasm/insn/insn.h"
#include "disasm/rewrite/stub.h"
#include "policy/policy.h"
#include "supervisor/access/spin.h"
#include "supervisor/access/stubs.h"
#include "supervisor/base/alloc.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/record/run_result.h"
#include "supervisor/run/stub_drain.h"
#include "supervisor/state/deadlock.h"
#include "supervisor/state/modules.h"
#include "supervisor/state/outcome.h"
#include "supervisor/state/park.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/target_memory.h"
#include "supervisor/state/thread.h"
#include "tracer/tracer.h"

/* Ticks of burnt CPU before the watchdog steps; doubled after each look that found nothing. */
#define WATCH_TICKS 4
/* CPU time for a tick that the target got something done in: half of RFS_TICK_USEC. On a busy machine it does not. */
#define TICK_CPU_SECONDS (RFS_TICK_USEC / 2e6)
#define WATCH_STEPS 3000
/* The tail of a full buffer of records that tells whether a thread may spin. */
#define RECORDS_LOOKED_AT 2048

/* One instruction of the loop under the watchdog. */
struct step {
	rfs_addr rip;
	uint64_t state;
	rfs_site load; /* the instruction, where it reads other memory than the thread's stack; else 0 */
};

struct rfs_watchdog {
	struct rfs_thread *watched; /* who ran at the last look */
	uint64_t steps, stops;	    /* … and the counts then */
	unsigned ticks, wait;	    /* looks since, and before the next analysis */
	double cpu;		    /* seconds that the target had used then */

	struct rfs_thread *interrupted; /* has been sent an interrupt that it has not answered; NULL: nobody */
	bool ends;			/* … because the run ends, not to be stepped */

	struct rfs_thread *stepped; /* under analysis; NULL: nobody */
	struct step *loop;	    /* WATCH_STEPS of them, where it was so far */
	size_t n_loop, loads;
	bool by_tick; /* the analysis was not asked for by full records */
};

static struct rfs_watchdog *watchdog(struct rfs_run *run)
{
	if (!run->watchdog)
		run->watchdog = xcalloc(1, sizeof(*run->watchdog));
	return run->watchdog;
}

void rfs_watchdog_release(struct rfs_run *run)
{
	if (run->watchdog)
		free(run->watchdog->loop);
	free(run->watchdog);
}

bool rfs_watchdog_is_busy(const struct rfs_run *run)
{
	return run->watchdog && (run->watchdog->interrupted || run->watchdog->stepped);
}

static void hang(struct rfs_run *run)
{
	if (run->ended)
		return;
	rfs_describe_threads(run, &run->result->threads);
	rfs_run_end(run, RFS_END_HANG, 0);
}

void rfs_watchdog_end_hang(struct rfs_run *run)
{
	struct rfs_watchdog *w = watchdog(run);
	struct rfs_thread *t = run->running;
	char state = t && t->task ? rfs_task_state(t->task) : 'S';

	/* asleep in a call, it has no place in its code to show, and would not come back from it before the others */
	if (state == 'S' || state == 'D' || rfs_task_interrupt(t->task) != 0) {
		hang(run);
		return;
	}
	w->interrupted = t;
	w->ends = true;
}

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
		rfs_spin_found(run, steps[i].load);
		sites++;
	}
	return sites > 0;
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

static void end_analysis(struct rfs_run *run)
{
	struct rfs_watchdog *w = run->watchdog;

	w->stepped = NULL;
	free(w->loop);
	w->loop = NULL;
	if (w->by_tick)
		w->stops = run->result->counts.stops;
}

/*
 * The thread stands at the next instruction. Stepping ends when it is in a state that it was in before, without having
 * written anything in between but its own stack: then nothing but another thread can end the loop, and what it read is
 * the reason.
 */
static enum rfs_then analyse(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_watchdog *w = run->watchdog;
	rfs_addr rip = rfs_task_regs(thread->task)->rip;
	struct step *now = &w->loop[w->n_loop];
	bool writes = false, load;

	if (w->n_loop == WATCH_STEPS)
		goto no_spin;
	load = load_at(run, thread, rip, &writes);
	if (writes)
		goto no_spin;
	w->loads += load;
	*now = (struct step){rip, rfs_spin_state(run, thread), load ? rfs_site_of(run, rip) : 0};
	for (size_t i = 0; i < w->n_loop && w->loads; i++) {
		if (w->loop[i].rip != rip || w->loop[i].state != now->state)
			continue;
		if (!found_loop(run, w->loop + i, w->n_loop - i))
			goto no_spin;
		end_analysis(run);
		return RFS_THEN_END;
	}
	w->n_loop++;
	return RFS_THEN_STEP;
no_spin:
	end_analysis(run);
	return RFS_THEN_EXECUTE;
}

static enum rfs_then begin_analysis(struct rfs_run *run, struct rfs_thread *thread, bool by_tick)
{
	struct rfs_watchdog *w = watchdog(run);

	if (w->stepped)
		end_analysis(run);
	w->stepped = thread;
	w->by_tick = by_tick;
	w->loop = xcalloc(WATCH_STEPS + 1, sizeof(*w->loop));
	w->n_loop = w->loads = 0;
	return analyse(run, thread);
}

enum rfs_then rfs_watchdog_stepped(struct rfs_run *run, struct rfs_thread *thread)
{
	if (!run->watchdog || run->watchdog->stepped != thread)
		return RFS_THEN_UNDECIDED;
	return analyse(run, thread);
}

enum rfs_then rfs_watchdog_interrupted(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_watchdog *w = run->watchdog;

	if (!w || w->interrupted != thread)
		return RFS_THEN_UNDECIDED;
	w->interrupted = NULL;
	if (!w->ends)
		return begin_analysis(run, thread, true);
	thread->state = RFS_STATE_PARKED;
	thread->next = rfs_op_make(RFS_OP_NONE, 0, 0);
	run->running = NULL;
	hang(run);
	return RFS_THEN_END;
}

void rfs_watchdog_after_stop(struct rfs_run *run, const struct rfs_thread *stopped, enum rfs_then then)
{
	struct rfs_watchdog *w = run->watchdog;

	if (!w)
		return;
	if (w->stepped && stopped == w->stepped && then != RFS_THEN_STEP)
		end_analysis(run); /* it came to something else */
	if (w->interrupted && run->running != w->interrupted) {
		/* it reached an operation first; the interrupt comes with its next resume */
		w->interrupted = NULL;
		if (w->ends)
			hang(run);
		w->stops = run->result->counts.stops;
	}
}

/* Whether the last records are reads of a few places, over and over. */
static bool may_spin(const struct rfs_run *run, const struct rfs_stub_record *records, size_t n)
{
	const struct rfs_stub_record *known[RFS_SPIN_SITES];
	const struct rfs_operand *operands;
	size_t n_operands = rfs_stubs_operands(run, &operands);
	unsigned n_known = 0;

	if (n < RECORDS_LOOKED_AT)
		return false;
	for (size_t i = n - RECORDS_LOOKED_AT; i < n; i++) {
		unsigned k = 0;

		if (records[i].number >= n_operands || operands[records[i].number].writes)
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

enum rfs_then rfs_watchdog_records(struct rfs_run *run, struct rfs_thread *thread,
				   const struct rfs_stub_record *records, size_t n)
{
	if (!may_spin(run, records, n) || ++thread->full < thread->full_wait || run->running != thread)
		return RFS_THEN_EXECUTE;
	thread->full = 0;
	thread->full_wait = thread->full_wait ? 2 * thread->full_wait : 2;
	return begin_analysis(run, thread, false);
}

/* Asleep in a call that the filter lets through: the others go on, but since when, a clock said. */
static void falls_asleep(struct rfs_run *run, struct rfs_thread *t)
{
	const struct rfs_stub_record *records;

	rfs_run_warn(run,
		     "thread %d is blocked in system call %ld, which rfsup does not schedule; this run may differ from "
		     "others with its seed",
		     t->number, rfs_task_syscall(t->task));
	/* nobody sees it come back, and whoever runs then writes to the same buffer */
	(void)rfs_stub_drain(run, t->task, t, &records);
	rfs_stubs_stop_lending(run, t);
	t->state = RFS_STATE_KERNEL;
	t->next = rfs_op_make(RFS_OP_SYSCALL, 0, 0);
	run->running = NULL;
}

void rfs_watchdog_look(struct rfs_run *run)
{
	struct rfs_watchdog *w = watchdog(run);
	struct rfs_thread *t = run->running;
	double cpu;

	if (!t || !t->task || run->settling) {
		w->watched = NULL;
		return;
	}
	if (w->watched != t || w->steps != run->result->counts.steps || w->stops != run->result->counts.stops) {
		w->watched = t;
		w->steps = run->result->counts.steps;
		w->stops = run->result->counts.stops;
		w->ticks = 0;
		w->wait = WATCH_TICKS;
		w->cpu = rfs_tracer_cpu_seconds(run->tracer);
		return;
	}
	if (++w->ticks < w->wait)
		return;
	if (rfs_task_state(t->task) == 'S') {
		falls_asleep(run, t);
		return;
	}
	cpu = rfs_tracer_cpu_seconds(run->tracer);
	if (cpu - w->cpu < w->wait * TICK_CPU_SECONDS)
		return;
	w->ticks = 0;
	w->cpu = cpu;
	if (rfs_gdb_attached(run))
		return; /* gdb's stops cost time that is none of the target's, and the record knows its spin reads */
	w->wait *= 2;
	if (rfs_task_interrupt(t->task) != 0)
		return;
	w->interrupted = t;
	w->ends = false;
}
