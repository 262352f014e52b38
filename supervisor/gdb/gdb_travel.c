/*
 * gdb_travel.c - goes to another moment of the run, by one or more replays from its start.
 *
 * reverse-continue: the first replay searches. It runs to the current moment and notes the last breakpoint on the way.
 * The second one stops there. If the last event is a watchpoint, gdb wants to be where the memory has its old value,
 * which is before the instruction.
 *
 * A step back: x86 code cannot be read backwards. So one replay counts how often the thread passes the instructions
 * that may lead to its address, the markers. The next one runs to the last marker, and steps the thread from there
 * until its next instruction leads to the address, after as many hits there as the first replay had. If no marker is
 * known, or no such instruction is found, the thread is stepped up to the current moment, which shows where the last
 * instruction began; the next replay stops there. If the thread has made no step, the next replay begins to step
 * earlier.
 */
#include "supervisor/gdb/gdb_travel.h"
#include "supervisor/gdb/gdb_threads.h"

#include <stddef.h>

#include "supervisor/gdb/gdb-priv.h"
#include "supervisor/gdb/gdb_before.h"
#include "supervisor/gdb/gdb_call.h"
#include "supervisor/record/run_result.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/trace.h"

bool rfs_gdb_travels(const struct rfs_gdb *gdb)
{
	return gdb->travel.mode != RFS_TRAVEL_NONE && !gdb->travel.waits;
}

void rfs_gdb_travel_release(struct rfs_gdb_travel *travel)
{
	rfs_gdb_moment_release(&travel->to.goal);
	rfs_gdb_moment_release(&travel->from.goal);
	rfs_gdb_moment_release(&travel->event);
	rfs_gdb_moment_release(&travel->last);
	rfs_gdb_moment_release(&travel->began);
}

void rfs_gdb_travel_restart(struct rfs_run *run)
{
	rfs_run_end(run, RFS_END_RESTART, 0);
	/* also if the run had ended already, in a deadlock */
	run->result->end = RFS_END_RESTART;
	run->result->restart = RFS_RESTART_DEBUGGER;
}

/* ---- where to ---- */

static rfs_addr where(const struct rfs_thread *thread)
{
	return thread->state == RFS_STATE_KERNEL ? 0 : rfs_task_regs(thread->task)->rip;
}

static void travel_begin(struct rfs_gdb_travel *travel, enum rfs_gdb_travel_mode mode)
{
	travel->mode = mode;
	travel->waits = false;
	travel->to_operation = travel->to_end = travel->has_event = travel->has_last = travel->has_began =
		travel->steps = travel->by_markers = false;
	travel->to.near = travel->from.near = false;
}

void rfs_gdb_travel_to(struct rfs_gdb *gdb, const struct rfs_gdb_moment *moment)
{
	travel_begin(&gdb->travel, RFS_TRAVEL_TO);
	gdb->travel.arrival = RFS_ARRIVES_ASKED;
	rfs_gdb_moment_set(&gdb->travel.to.goal, moment);
}

void rfs_gdb_travel_to_operation(struct rfs_gdb *gdb, uint64_t operation)
{
	travel_begin(&gdb->travel, RFS_TRAVEL_TO);
	gdb->travel.arrival = RFS_ARRIVES_ASKED;
	gdb->travel.to_operation = true;
	gdb->travel.operation = operation;
}

static void travel_to_start(struct rfs_gdb *gdb)
{
	static const struct rfs_gdb_moment start = {0};

	rfs_gdb_travel_to(gdb, &start);
	gdb->travel.arrival = RFS_ARRIVES_BEGIN;
}

/* Steps the thread up to the goal. The caller sets `to`, `from` and `arrival`. */
static void travel_by_steps(struct rfs_gdb_travel *travel, int thread)
{
	travel_begin(travel, RFS_TRAVEL_STEPS);
	travel->thread = thread;
}

/* The first attempt begins at the mark before the goal. */
static void travel_back_one(struct rfs_gdb *gdb, const struct rfs_gdb_moment *goal, int thread)
{
	struct rfs_gdb_travel *travel = &gdb->travel;

	rfs_gdb_moment_set(&travel->to.goal, goal);
	rfs_gdb_moment_set(&travel->from.goal, goal);
	rfs_gdb_moment_shorten(&travel->from.goal);
	travel->earlier = 0;
	travel_by_steps(travel, thread);
}

void rfs_gdb_travel_continue_back(struct rfs_gdb *gdb)
{
	travel_begin(&gdb->travel, RFS_TRAVEL_SEARCH);
	rfs_gdb_moment_set(&gdb->travel.to.goal, &gdb->here);
}

/*
 * To step only the last instructions, one replay first notes when the thread has passed what may lead to its address.
 * False if nothing is known to lead there.
 */
static bool travel_by_markers(struct rfs_run *run, const struct rfs_gdb_moment *goal, int thread, rfs_addr at,
			      rfs_addr caller)
{
	struct rfs_gdb_travel *travel = &run->gdb->travel;
	rfs_addr before[RFS_GDB_MARKERS];
	const size_t n = at ? rfs_gdb_before(run, at, caller, before, RFS_GDB_MARKERS) : 0;

	if (!n)
		return false;
	rfs_gdb_moment_set(&travel->to.goal, goal);
	rfs_gdb_moment_after(&travel->from.goal, 0);
	travel_begin(travel, RFS_TRAVEL_MARKERS);
	travel->thread = thread;
	travel->at = at;
	for (size_t i = 0; i < n; i++)
		travel->markers[i] = (struct rfs_gdb_marker){.address = before[i]};
	travel->n_markers = n;
	return true;
}

void rfs_gdb_travel_step_back(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_gdb *gdb = run->gdb;
	const struct rfs_gdb_moment *here = &gdb->here;
	const struct rfs_gdb_leg *leg = here->n ? &here->legs[here->n - 1] : NULL;
	struct rfs_gdb_travel *travel = &gdb->travel;
	const bool is_at = thread->state != RFS_STATE_KERNEL && !rfs_gdb_in_call(thread);

	/* the first step after a choice may have begun before it, in a system call */
	if (leg && leg->mark == RFS_MARK_STEP && leg->thread == thread->number && (here->n > 1 || leg->count > 1)) {
		rfs_gdb_travel_to(gdb, here);
		rfs_gdb_moment_shorten(&travel->to.goal);
	} else if (!travel_by_markers(run, here, thread->number, is_at ? where(thread) : 0,
				      is_at ? rfs_gdb_caller(run, thread) : 0)) {
		travel_back_one(gdb, here, thread->number);
	}
	travel->arrival = RFS_ARRIVES_STEP;
}

/* No step of the thread was seen: the next attempt begins twice as many choices earlier. False: it began at the start.
 */
static bool travel_earlier(struct rfs_gdb_travel *travel)
{
	const uint64_t choices = travel->to.goal.choices;

	if (rfs_gdb_moment_is_start(&travel->from.goal))
		return false;
	travel->earlier = travel->earlier ? 2 * travel->earlier : 1;
	if (travel->earlier < choices)
		rfs_gdb_moment_before(&travel->from.goal, choices - 1 - travel->earlier);
	else
		rfs_gdb_moment_after(&travel->from.goal, 0);
	travel_by_steps(travel, travel->thread);
	return true;
}

/* ---- on the way ---- */

/*
 * A signal may reach the thread before its step was complete: then the last instruction is one that note_step() has not
 * seen.
 */
static void travel_note_signal(struct rfs_run *run)
{
	struct rfs_gdb_travel *travel = &run->gdb->travel;
	const struct rfs_thread *t = (size_t)travel->thread < run->n_threads ? run->threads[travel->thread] : NULL;

	if (!t || !travel->has_began || !rfs_gdb_shows(t) || rfs_gdb_in_call(t) || where(t) == t->gdb.step_from)
		return;
	travel->has_last = true;
	rfs_gdb_moment_set(&travel->last, &travel->began);
}

static uint64_t all_hits(const struct rfs_gdb *gdb, rfs_addr address)
{
	const struct rfs_gdb_point *point = rfs_gdb_point_at(gdb, address);

	return point ? point->all_hits : 0;
}

/* RFS_TRAVEL_MARKERS is at its goal. False if the thread has passed no marker. */
static bool travel_note_goal(struct rfs_run *run)
{
	struct rfs_gdb_travel *travel = &run->gdb->travel;
	const struct rfs_thread *t = (size_t)travel->thread < run->n_threads ? run->threads[travel->thread] : NULL;
	const struct rfs_gdb_moment *goal = &travel->to.goal;

	travel->at_hits = all_hits(run->gdb, travel->at) - (t && t->gdb.hit == travel->at);
	travel->signals = run->gdb->all_signals - (goal->n && goal->legs[goal->n - 1].mark == RFS_MARK_SIGNAL);
	for (size_t i = 0; i < travel->n_markers; i++)
		if (travel->markers[i].hits)
			return true;
	return false;
}

/* The goal was reached. True if gdb gets control here; otherwise another replay begins. */
static bool travel_reached(struct rfs_run *run)
{
	struct rfs_gdb *gdb = run->gdb;
	struct rfs_gdb_travel *travel = &gdb->travel;
	const enum rfs_gdb_arrival arrival = travel->arrival;
	struct rfs_gdb_moment next = {0};

	if (travel->mode == RFS_TRAVEL_TO)
		return true;
	if (travel->mode == RFS_TRAVEL_MARKERS) {
		const bool passed = travel_note_goal(run);

		rfs_gdb_moment_set(&next, &travel->to.goal);
		travel_back_one(gdb, &next, travel->thread);
		travel->by_markers = passed;
		rfs_gdb_moment_release(&next);
		rfs_gdb_travel_restart(run);
		return false;
	}
	if (travel->mode == RFS_TRAVEL_STEPS)
		travel_note_signal(run);
	if (travel->mode == RFS_TRAVEL_STEPS && travel->has_last) {
		rfs_gdb_moment_set(&next, &travel->last);
		if (!next.n && next.choices)
			rfs_gdb_moment_before(&next, next.choices - 1);
		rfs_gdb_travel_to(gdb, &next);
		travel->arrival = arrival;
	} else if (travel->mode == RFS_TRAVEL_SEARCH && travel->has_event) {
		rfs_gdb_moment_set(&next, &travel->event);
		if (next.legs[next.n - 1].mark == RFS_MARK_WATCH) {
			travel->watched = next.legs[next.n - 1].address;
			travel->watch_reads = next.legs[next.n - 1].reads;
			travel->arrival = RFS_ARRIVES_WATCH;
			if (!travel_by_markers(run, &next, travel->event_thread, travel->event_at, 0))
				travel_back_one(gdb, &next, travel->event_thread);
		} else {
			rfs_gdb_travel_to(gdb, &next);
			travel->arrival = RFS_ARRIVES_BREAK;
		}
	} else if (travel->mode == RFS_TRAVEL_SEARCH || !travel_earlier(travel)) {
		travel_to_start(gdb);
	}
	rfs_gdb_moment_release(&next);
	rfs_gdb_travel_restart(run);
	return false;
}

/* The thread will be stepped from here on. */
static void travel_begin_steps(struct rfs_run *run, int thread, const rfs_addr *from)
{
	struct rfs_thread *t = (size_t)thread < run->n_threads ? run->threads[thread] : NULL;

	if (t && rfs_gdb_shows(t)) {
		t->gdb.stepped = true;
		t->gdb.step_from = from ? *from : where(t);
	}
}

bool rfs_gdb_travel_choices(struct rfs_run *run)
{
	struct rfs_gdb *gdb = run->gdb;
	struct rfs_gdb_travel *travel = &gdb->travel;
	const struct rfs_gdb_leg *steps;

	if (!rfs_gdb_travels(gdb))
		return false;
	if (travel->mode == RFS_TRAVEL_STEPS && !travel->by_markers &&
	    rfs_gdb_course_choices(&travel->from, gdb->here.choices))
		travel->steps = true;
	if (travel->to_operation)
		return false;
	if (rfs_gdb_course_choices(&travel->to, gdb->here.choices))
		return travel_reached(run);
	steps = rfs_gdb_course_steps(&travel->to);
	if (steps)
		travel_begin_steps(run, steps->thread, &steps->address);
	return false;
}

bool rfs_gdb_travel_pass(struct rfs_run *run, const struct rfs_gdb_leg *mark)
{
	struct rfs_gdb *gdb = run->gdb;
	struct rfs_gdb_travel *travel = &gdb->travel;
	const struct rfs_gdb_leg *before = rfs_gdb_course_steps(&travel->to), *steps;
	bool reached;

	if (!rfs_gdb_travels(gdb))
		return false;
	if (travel->mode == RFS_TRAVEL_STEPS && !travel->by_markers && !travel->steps &&
	    rfs_gdb_course_pass(&travel->from, mark)) {
		travel->steps = true;
		rfs_gdb_moment_set(&gdb->here, &travel->from.goal);
		if (mark->mark == RFS_MARK_CHOICE)
			rfs_gdb_moment_after(&gdb->here, gdb->here.choices);
		travel_begin_steps(run, travel->thread, NULL);
	}
	if (travel->to_operation)
		reached = mark->mark == RFS_MARK_CHOICE && rfs_trace_position(run) >= travel->operation;
	else
		reached = rfs_gdb_course_pass(&travel->to, mark);
	if (reached)
		return travel_reached(run);
	steps = rfs_gdb_course_steps(&travel->to);
	if (steps && steps != before)
		travel_begin_steps(run, steps->thread, &steps->address);
	return false;
}

bool rfs_gdb_travel_is_lost(struct rfs_run *run)
{
	const struct rfs_gdb_leg mark = {.mark = RFS_MARK_END, .count = 1};

	if (!rfs_gdb_travels(run->gdb) || rfs_gdb_travel_pass(run, &mark))
		return false;
	return run->result->end != RFS_END_RESTART;
}

bool rfs_gdb_travel_to_end(struct rfs_run *run)
{
	struct rfs_gdb *gdb = run->gdb;
	const bool killed = run->result->end == RFS_END_SIGNAL;
	const uint64_t choices = gdb->here.choices;
	const struct rfs_gdb_leg mark = {.mark = killed ? RFS_MARK_SIGNAL : RFS_MARK_EXIT,
					 .count = killed ? gdb->signals : gdb->exits};
	struct rfs_gdb_moment last = {0};

	if (gdb->travel.to_end)
		return false;
	rfs_gdb_moment_after(&last, choices);
	if (mark.count)
		rfs_gdb_moment_add(&last, &mark);
	else if (choices)
		rfs_gdb_moment_before(&last, choices - 1);
	rfs_gdb_travel_to(gdb, &last);
	gdb->travel.to_end = true;
	rfs_gdb_moment_release(&last);
	rfs_gdb_travel_restart(run);
	return true;
}

void rfs_gdb_travel_event(struct rfs_gdb *gdb, const struct rfs_thread *thread, const struct rfs_gdb_leg *mark,
			  bool wanted)
{
	struct rfs_gdb_travel *travel = &gdb->travel;

	if (travel->mode != RFS_TRAVEL_SEARCH || !wanted)
		return;
	travel->has_event = true;
	travel->event_thread = thread->number;
	travel->event_at = where(thread);
	rfs_gdb_moment_after(&travel->event, gdb->here.choices);
	rfs_gdb_moment_add(&travel->event, mark);
}

static void note_marker(struct rfs_gdb *gdb, const struct rfs_thread *thread, const struct rfs_gdb_point *point)
{
	struct rfs_gdb_travel *travel = &gdb->travel;
	const struct rfs_gdb_leg mark = {.mark = RFS_MARK_BREAK, .count = point->hits, .address = point->address};

	rfs_gdb_travel_event(gdb, thread, &mark, point->wanted);
	for (size_t i = 0; i < travel->n_markers; i++) {
		struct rfs_gdb_marker *marker = &travel->markers[i];

		if (travel->mode == RFS_TRAVEL_MARKERS && marker->address == point->address &&
		    thread->number == travel->thread) {
			marker->choices = gdb->here.choices;
			marker->hits = point->hits;
		}
	}
}

/* The number of choices after which the thread has passed its last marker. */
static uint64_t choices_of_last(const struct rfs_gdb_travel *travel)
{
	uint64_t choices = 0;

	for (size_t i = 0; i < travel->n_markers; i++)
		if (travel->markers[i].hits && travel->markers[i].choices > choices)
			choices = travel->markers[i].choices;
	return choices;
}

/* How many more hits of the marker there are before its last one; UINT64_MAX: that was reached, or is elsewhere. */
static uint64_t before_last(const struct rfs_gdb *gdb, const struct rfs_gdb_marker *marker, uint64_t hits)
{
	return marker->choices == gdb->here.choices && hits < marker->hits ? marker->hits - hits - 1 : UINT64_MAX;
}

/* Whether the last marker was reached. */
static bool all_passed(const struct rfs_gdb *gdb)
{
	const struct rfs_gdb_travel *travel = &gdb->travel;

	if (gdb->here.choices != choices_of_last(travel))
		return false;
	for (size_t i = 0; i < travel->n_markers; i++) {
		const struct rfs_gdb_point *point = rfs_gdb_point_at(gdb, travel->markers[i].address);

		if (travel->markers[i].hits &&
		    (!point || before_last(gdb, &travel->markers[i], point->hits) != UINT64_MAX))
			return false;
	}
	return true;
}

static bool waits_for_markers(const struct rfs_gdb_travel *travel)
{
	return travel->mode == RFS_TRAVEL_STEPS && travel->by_markers && !travel->steps;
}

bool rfs_gdb_travel_hits(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_gdb_point *point)
{
	struct rfs_gdb *gdb = run->gdb;
	struct rfs_gdb_travel *travel = &gdb->travel;
	const struct rfs_gdb_leg mark = {.mark = RFS_MARK_BREAK, .count = point->hits, .address = point->address};

	note_marker(gdb, thread, point);
	if (!waits_for_markers(travel) || thread->number != travel->thread || !all_passed(gdb))
		return false;
	travel->steps = true;
	rfs_gdb_moment_after(&gdb->here, gdb->here.choices);
	rfs_gdb_moment_add(&gdb->here, &mark);
	travel_begin_steps(run, travel->thread, NULL);
	return rfs_gdb_travel_is_before(run, thread);
}

uint64_t rfs_gdb_travel_may_pass(const struct rfs_gdb *gdb, rfs_addr address, uint64_t hits)
{
	const struct rfs_gdb_travel *travel = &gdb->travel;
	const struct rfs_gdb_leg mark = {.mark = RFS_MARK_BREAK, .address = address};
	uint64_t most = UINT64_MAX / 2, room;

	room = travel->to_operation ? UINT64_MAX : rfs_gdb_course_room(&travel->to, &mark);
	most = room < most ? room : most;
	if (travel->mode == RFS_TRAVEL_STEPS && !travel->by_markers && !travel->steps) {
		room = rfs_gdb_course_room(&travel->from, &mark);
		most = room < most ? room : most;
	}
	for (size_t i = 0; i < travel->n_markers && waits_for_markers(travel); i++) {
		room = travel->markers[i].address == address ? before_last(gdb, &travel->markers[i], hits) : UINT64_MAX;
		most = room < most ? room : most;
	}
	return most;
}

void rfs_gdb_travel_skip(struct rfs_gdb *gdb, const struct rfs_thread *thread, const struct rfs_gdb_point *point,
			 uint64_t n)
{
	struct rfs_gdb_travel *travel = &gdb->travel;
	const struct rfs_gdb_leg mark = {.mark = RFS_MARK_BREAK, .address = point->address};

	if (!travel->to_operation)
		rfs_gdb_course_skip(&travel->to, &mark, n);
	if (travel->mode == RFS_TRAVEL_STEPS && !travel->by_markers && !travel->steps)
		rfs_gdb_course_skip(&travel->from, &mark, n);
	note_marker(gdb, thread, point);
}

bool rfs_gdb_travel_forgets(struct rfs_gdb *gdb, rfs_addr address)
{
	struct rfs_gdb_travel *travel = &gdb->travel;
	const struct rfs_gdb_moment *goal = &travel->to.goal;

	if (travel->at != address || !(travel->mode == RFS_TRAVEL_MARKERS || travel->by_markers))
		return false;
	for (size_t i = 0; i < goal->n; i++)
		if (goal->legs[i].mark == RFS_MARK_BREAK && goal->legs[i].address == address)
			return false;
	for (size_t i = 0; i < travel->n_markers; i++)
		if (travel->markers[i].address == address)
			return false;
	travel->at = 0;
	return true;
}

bool rfs_gdb_travel_is_before(struct rfs_run *run, const struct rfs_thread *thread)
{
	struct rfs_gdb *gdb = run->gdb;
	struct rfs_gdb_travel *travel = &gdb->travel;

	/*
	 * The same number of choices, hits and signals as at the goal: nothing but this instruction is left before it.
	 * Before a choice, other threads may run too, so that a step back goes to right before the choice.
	 */
	if (travel->mode != RFS_TRAVEL_STEPS || !travel->by_markers || !travel->steps || !travel->at || run->ended ||
	    gdb->here.choices != travel->to.goal.choices || thread->number != travel->thread ||
	    all_hits(gdb, travel->at) != travel->at_hits || gdb->all_signals != travel->signals ||
	    rfs_gdb_in_call(thread) || !rfs_gdb_leads_to(run, thread, travel->at))
		return false;
	rfs_gdb_moment_set(&travel->to.goal, &gdb->here);
	return true;
}

bool rfs_gdb_travel_steps(const struct rfs_gdb *gdb, const struct rfs_thread *thread)
{
	const struct rfs_gdb_travel *travel = &gdb->travel;
	const struct rfs_gdb_leg *steps = travel->to_operation ? NULL : rfs_gdb_course_steps(&travel->to);

	return (steps && steps->thread == thread->number) || (travel->steps && travel->thread == thread->number);
}

/*
 * While a thread is in a system call, it is at no instruction. So if the last step was a call, the travel goes to where
 * the step began, although other threads may have run since then. Before any other operation, the thread is at its
 * instruction, and the travel goes there.
 */
void rfs_gdb_travel_note_step(struct rfs_run *run, const struct rfs_thread *thread)
{
	struct rfs_gdb *gdb = run->gdb;
	struct rfs_gdb_travel *travel = &gdb->travel;
	bool call;

	if (!travel->steps || travel->thread != thread->number)
		return;
	call = !gdb->here.n && rfs_gdb_after_call(run, thread);
	if (call && !travel->has_began)
		return;
	travel->has_last = true;
	rfs_gdb_moment_set(&travel->last, call ? &travel->began : &gdb->here);
}

void rfs_gdb_travel_begins_step(struct rfs_gdb *gdb, const struct rfs_thread *thread)
{
	struct rfs_gdb_travel *travel = &gdb->travel;

	if (!travel->steps || travel->thread != thread->number)
		return;
	travel->has_began = true;
	rfs_gdb_moment_set(&travel->began, &gdb->here);
}

void rfs_gdb_travel_arrive(struct rfs_gdb *gdb, struct rfs_gdb_stop *stop)
{
	struct rfs_gdb_travel *travel = &gdb->travel;

	stop->signo = travel->arrival == RFS_ARRIVES_ASKED ? 0 : SIGTRAP;
	stop->breakpoint = travel->arrival == RFS_ARRIVES_BREAK;
	stop->begin = travel->arrival == RFS_ARRIVES_BEGIN;
	if (travel->arrival == RFS_ARRIVES_WATCH) {
		stop->watch = travel->watch_reads ? "awatch" : "watch";
		stop->address = travel->watched;
	}
	if (!travel->to_operation)
		rfs_gdb_moment_set(&gdb->here, &travel->to.goal);
	travel->mode = RFS_TRAVEL_NONE;
}
