/*
 * watchdog.c - looks at a thread that runs without a visible operation: does it compute, spin or sleep?
 *
 * In every tick the watchdog checks whether the running thread has stopped since the last tick. If the thread only uses
 * CPU time, the watchdog interrupts it and single-steps it for a while. The thread spins if it returns to an earlier
 * state and has written only to its own stack in between. The loads of its loop then become spin reads (access/spin.c).
 * A thread that fills the stub buffer with reads of a few places is checked in the same way.
 *
 * A thread may sleep in a system call at which the seccomp filter does not stop. The other threads then continue. There
 * is a warning, because the moment at which they continue depends on real time.
 *
 * No function here waits. An interrupt or a step leads to a stop, which stops.c passes to this file.
 */
#include "supervisor/run/stops/watchdog.h"

#include <stdlib.h>
#include <string.h>

#include "disasm/addr.h"
#include "disasm/insn/insn.h"
#include "disasm/rewrite/stub.h"
#include "policy/policy.h"
#include "supervisor/access/spin.h"
#include "supervisor/access/stubs.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/text/syscall_name.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/kernel/child_waits.h"
#include "supervisor/kernel/signals/timers.h"
#include "supervisor/record/nondet.h"
#include "supervisor/record/run_result.h"
#include "supervisor/run/stops/stub_drain.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/findings/deadlock.h"
#include "supervisor/state/operations/park.h"
#include "tracer/stub_buffer.h"
#include "tracer/tracer.h"

/*
 * How many ticks a thread must use CPU time before it is single-stepped. The number doubles after each analysis that
 * found nothing.
 */
#define WATCH_TICKS 4
/*
 * How much CPU time the target must use in a tick for the tick to count: half of RFS_TICK_USEC. On a busy machine a
 * thread that only computes may get less than the whole tick.
 */
#define TICK_CPU_SECONDS (RFS_TICK_USEC / 2e6)
#define WATCH_STEPS 3000
/*
 * How much longer than a child process sleeps a thread must compute before the sleep ends meanwhile. Most threads stop
 * computing earlier, and then the order does not depend on the clock.
 */
#define CHILD_CPU_SECONDS 0.2
/* How many of the last records in a full buffer are checked to see whether a thread may spin. */
#define RECORDS_LOOKED_AT 2048

/* One single-stepped instruction of the loop. */
struct step {
	rfs_addr rip;
	uint64_t state;
	rfs_site load; /* site of the instruction if it reads memory other than the thread's stack; otherwise 0 */
};

struct rfs_watchdog {
	struct rfs_thread *watched; /* the thread that ran at the last check */
	uint64_t steps, stops;	    /* the run's counts of steps and of stops at the last check */
	unsigned ticks, wait; /* ticks since the counts last changed, and the number of ticks after which the thread is
				 analysed */
	double cpu;	      /* CPU seconds of the target when `ticks` was last 0 */
	double since;	      /* CPU seconds of the target at the thread's last operation or stop */
	double stepped_at;    /* the same at its last operation */

	struct rfs_thread *interrupted; /* the thread that was sent an interrupt and has not answered it; NULL: none */
	bool ends;	      /* when the thread answers, the run ends; false: the thread is single-stepped then */
	enum rfs_run_end end; /* if ends: how, HANG or TIMEOUT */

	struct rfs_thread *stepped; /* the thread under analysis; NULL: none */
	struct step *loop;	    /* the states that the thread was in so far; room for WATCH_STEPS */
	size_t n_loop, loads;
	bool by_tick; /* a tick caused the analysis, not a full buffer */
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

static void end_run(struct rfs_run *run, enum rfs_run_end end)
{
	if (run->ended)
		return;
	rfs_describe_threads(run, &run->result->threads);
	rfs_run_end(run, end, 0);
}

void rfs_watchdog_end(struct rfs_run *run, enum rfs_run_end end)
{
	struct rfs_watchdog *w = watchdog(run);
	struct rfs_thread *t = run->running;
	char state = t && t->task ? rfs_task_state(t->task) : 'S';

	w->end = end;
	if (w->interrupted) {
		w->ends = true;
		return;
	}

	/*
	 * The run ends at once if the thread sleeps in a system call. There is no place in its own code to show, and
	 * the call would not return before other threads run.
	 */
	if (state == 'S' || state == 'D' || w->stepped || rfs_task_interrupt(t->task) != 0) {
		end_run(run, end);
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
 * The steps are one round of a loop. All loads of the loop become spin reads, at most RFS_SPIN_SITES of them. Because
 * all loads do, the result does not depend on where in the loop the tick interrupted the thread. Returns false if the
 * loop has no load.
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

/* Whether the instruction at rip reads memory other than the stack. Sets *writes if it writes to such memory. */
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
		bool own = rfs_thread_has_stack_at(thread, rfs_family_name(run, thread, access[i].address));

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
 * Looks at the thread before each instruction that is single-stepped. If the thread has returned to an earlier state,
 * and has written only to its own stack in between, it spins. Only another thread can then end the loop, by changing
 * memory that the loop reads.
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
	end_run(run, w->end);
	return RFS_THEN_END;
}

void rfs_watchdog_after_stop(struct rfs_run *run, const struct rfs_thread *stopped, enum rfs_then then)
{
	struct rfs_watchdog *w = run->watchdog;

	if (!w)
		return;
	if (w->stepped && stopped == w->stepped && then != RFS_THEN_STEP)
		end_analysis(run); /* the thread arrived at an operation or another stop */
	if (w->interrupted && run->running != w->interrupted) {
		/*
		 * The thread arrived at an operation before the interrupt reached it. The interrupt stops the thread
		 * when it is resumed next.
		 */
		w->interrupted = NULL;
		if (w->ends)
			end_run(run, w->end);
		w->stops = run->result->counts.stops;
	}
}

/* Whether the last records are only reads of a few addresses, again and again. */
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

/*
 * The thread has dropped accesses until the count was full. If it reads a few places again and again, almost nothing
 * was recorded. If so, its next accesses are recorded, so that may_spin() sees them.
 */
static void look_at_dropped(struct rfs_thread *thread, size_t n)
{
	if (n > RFS_SPIN_SITES || ++thread->watched.quiet < thread->watched.quiet_wait)
		return;
	thread->watched.quiet = 0;
	thread->watched.quiet_wait = thread->watched.quiet_wait ? 2 * thread->watched.quiet_wait : 2;
	thread->watched.unfiltered = true;
}

enum rfs_then rfs_watchdog_records(struct rfs_run *run, struct rfs_thread *thread,
				   const struct rfs_stub_record *records, size_t n)
{
	thread->watched.unfiltered = may_spin(run, records, n);
	if (n < RECORDS_LOOKED_AT)
		look_at_dropped(thread, n);
	if (!may_spin(run, records, n) || ++thread->watched.full < thread->watched.full_wait || run->running != thread)
		return RFS_THEN_EXECUTE;
	thread->watched.full = 0;
	thread->watched.full_wait = thread->watched.full_wait ? 2 * thread->watched.full_wait : 2;
	return begin_analysis(run, thread, false);
}

/*
 * Call this when the thread sleeps in a system call at which the seccomp filter does not stop. The other threads
 * continue. Another run may differ, because the moment at which they continue depends on real time.
 */
static void falls_asleep(struct rfs_run *run, struct rfs_thread *t)
{
	const struct rfs_stub_record *records;
	char call[64];

	rfs_syscall_name(rfs_task_syscall(t->task, NULL), call, sizeof(call));
	rfs_run_warn(run,
		     "thread %d is blocked in %s, which rfsup does not schedule; this run may differ from other runs "
		     "with the same seed",
		     t->number, call);
	/*
	 * Take the records now, because rfsup will not see the call return, and the next thread writes to the same stub
	 * buffer. This thread must not do so when it continues.
	 */
	(void)rfs_stub_drain(run, t->task, t, &records);
	rfs_stubs_stop_lending(run, t);
	rfs_stub_buffer_close(t->task);
	t->state = RFS_STATE_KERNEL;
	t->next = rfs_op_make(RFS_OP_SYSCALL, 0, 0);
	run->running = NULL;
}

/*
 * A thread that only computes lets no virtual time pass. Lets it pass until `due` once the target has used as much CPU
 * time after `since`, as on a real machine; the moment depends on the clock. what: what happens then. True: time has
 * passed.
 */
static bool time_passes(struct rfs_run *run, uint64_t due, double since, const char *what)
{
	if (due == RFS_NEVER ||
	    (rfs_tracer_cpu_seconds(run->tracer) - since) * (double)RFS_NANOS < (double)due - (double)run->time.now)
		return false;
	run->result->nondet.kinds |= 1u << RFS_NONDET_CLOCK;
	rfs_run_warn(run, "a %s while a thread computed; this run may differ from others with its seed", what);
	rfs_advance(run, due);
	return true;
}

static bool timer_fires(struct rfs_run *run, const struct rfs_watchdog *w)
{
	return time_passes(run, rfs_timers_next(run), w->since, "timer fired") && rfs_timers_fire(run);
}

/* Ends the wait of a child process if the thread computes for long, because it may compute until the child acts. */
static void child_wakes(struct rfs_run *run, const struct rfs_watchdog *w)
{
	if (time_passes(run, rfs_child_waits_next(run), w->stepped_at + CHILD_CPU_SECONDS, "child process woke up"))
		(void)rfs_child_waits_end_due(run);
}

void rfs_watchdog_look(struct rfs_run *run)
{
	struct rfs_watchdog *w = watchdog(run);
	struct rfs_thread *t = run->running;
	double cpu;

	if (!t || !t->task || run->loop.settling) {
		w->watched = NULL;
		return;
	}
	if (w->watched != t || w->steps != run->result->counts.steps)
		w->stepped_at = rfs_tracer_cpu_seconds(run->tracer);
	child_wakes(run, w);
	if (w->watched != t || w->steps != run->result->counts.steps || w->stops != run->result->counts.stops) {
		w->watched = t;
		w->steps = run->result->counts.steps;
		w->stops = run->result->counts.stops;
		w->ticks = 0;
		w->wait = WATCH_TICKS;
		w->cpu = w->since = rfs_tracer_cpu_seconds(run->tracer);
		return;
	}
	if (timer_fires(run, w))
		return;
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
	/* No analysis under gdb, because the stops of gdb use CPU time too. The record already names the spin reads. */
	if (rfs_gdb_attached(run))
		return;
	w->wait *= 2;
	if (rfs_task_interrupt(t->task) != 0)
		return;
	w->interrupted = t;
	w->ends = false;
}
