/*
 * gdb_stop.c - decides when gdb gets control, and resumes the run afterwards.
 *
 * The first stop is before the first race is resolved, or before the operation that --stop-at names. If the run fails
 * earlier, the first stop is at the failure: before a signal that kills, at a deadlock, or right before the exit. gdb
 * is started only at the first stop, because it does not wait long for a server that does not answer.
 */
#include "supervisor/gdb/gdb.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/gdb/gdb-priv.h"
#include "supervisor/gdb/gdb_call.h"
#include "supervisor/gdb/gdb_count.h"
#include "supervisor/gdb/gdb_link.h"
#include "supervisor/gdb/gdb_names.h"
#include "supervisor/gdb/gdb_signal.h"
#include "supervisor/gdb/gdb_threads.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_observer.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/trace.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

void rfs_gdb_release(struct rfs_run *run)
{
	struct rfs_gdb *gdb = run->gdb;

	if (!gdb)
		return;
	run->gdb = NULL;
	run->observer = NULL;
	if (rfs_gdb_travels(gdb) && run->result->end == RFS_END_RESTART) {
		*gdb->settings->kept = gdb;
		return;
	}
	if (gdb->link.fd >= 0)
		close(gdb->link.fd);
	free(gdb->stop.message);
	free(gdb->points);
	rfs_gdb_moment_release(&gdb->here);
	rfs_gdb_travel_release(&gdb->travel);
	for (size_t i = 0; i < gdb->n_checkpoints; i++)
		rfs_gdb_moment_release(&gdb->checkpoints[i]);
	free(gdb->checkpoints);
	free(gdb);
}

bool rfs_gdb_attached(const struct rfs_run *run)
{
	return run->gdb && run->gdb->link.fd >= 0;
}

/* Lets the session start gdb, and waits until gdb has connected. False if the session has ended. */
static bool connect_gdb(struct rfs_run *run)
{
	struct rfs_gdb *gdb = run->gdb;
	const struct rfs_gdb_settings *settings = gdb->settings;
	struct pollfd fds[] = {
		{.fd = settings->listener, .events = POLLIN},
		{.fd = settings->control, .events = POLLIN},
		{.fd = run->spec->cancel_fd, .events = POLLIN},
	};
	struct rfs_gdb_opening opening = {0};
	const int on = 1;

	snprintf(opening.where, sizeof(opening.where), "%s", gdb->stop.message);
	if (settings->waits)
		rfs_gdb_read_names(run);
	else if (gdb->stop.thread)
		rfs_gdb_own_frame(run, gdb->stop.thread, &opening);
	if (send(settings->control, &opening, sizeof(opening), MSG_NOSIGNAL) < 0)
		return false;
	while (poll(fds, 3, -1) < 0)
		; /* EINTR: the run's interval timer (run/pump.c) */
	if (!fds[0].revents)
		return false;
	gdb->link.fd = accept4(settings->listener, NULL, NULL, SOCK_CLOEXEC);
	/* packets are short, and each one waits for an answer; a Unix socket has no such option */
	(void)!setsockopt(gdb->link.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (settings->path)
		unlink(settings->path);
	return gdb->link.fd >= 0;
}

/*
 * A step, a watchpoint or a travel may have ended at a breakpoint that has not stopped the thread yet. gdb sees where
 * the thread is, so that breakpoint must not stop it again when gdb resumes.
 */
static void note_seen(struct rfs_thread *thread)
{
	if (!thread || thread->state == RFS_STATE_KERNEL)
		return;
	thread->gdb.seen = rfs_task_passes(thread->task) ? 0 : rfs_task_regs(thread->task)->rip;
}

/*
 * Gives gdb control until gdb resumes the run. *signo: if not NULL, becomes the signal to deliver to the thread. False
 * if the run has ended.
 */
static bool give_gdb_control(struct rfs_run *run, struct rfs_gdb_stop *why, int *signo)
{
	struct rfs_gdb *gdb = run->gdb;
	struct rfs_gdb_resume how;
	bool first = gdb->link.fd < 0, on;

	why->thread = rfs_gdb_stand_in(run, why->thread);
	free(gdb->stop.message);
	gdb->stop = *why;
	gdb->stepping = NULL;
	note_seen(why->thread);
	if (!gdb->travel.waits)
		gdb->travel.mode = RFS_TRAVEL_NONE;
	rfs_gdb_watchpoints_return(gdb);
	rfs_gdb_pages_open(run);
	gdb->general = why->thread;
	gdb->wanted = false;
	rfs_target_memory_forget(run);
	if (first) {
		on = connect_gdb(run);
	} else {
		if (why->message) {
			rfs_gdb_send_text(gdb, why->message);
			rfs_gdb_send_text(gdb, "\n");
		}
		rfs_gdb_send_stop(run);
		on = true;
	}
	if (!on || !rfs_gdb_serve(run, &how)) {
		rfs_run_end(run, RFS_END_STOPPED, 0);
		return false;
	}
	if (how.others || !how.step)
		gdb->travel.waits = false;
	if (rfs_gdb_travels(gdb)) {
		rfs_gdb_travel_restart(run);
		return false;
	}
	if (signo)
		*signo = how.pass_signo ? how.signo : 0;
	if (how.others || !how.step)
		rfs_gdb_points_sweep(run);
	rfs_gdb_points_count(gdb, true);
	rfs_gdb_watchpoints_look(run);
	gdb->signals = 0;
	gdb->stepping = how.step;
	if (how.step) {
		how.step->gdb.stepped = true;
		how.step->gdb.step_from = how.step->state == RFS_STATE_KERNEL ? 0 : rfs_task_regs(how.step->task)->rip;
		gdb->range_start = how.range_start;
		gdb->range_end = how.range_end;
	}
	rfs_target_memory_forget(run);
	return true;
}

/* Gives gdb control at the goal of a travel. */
static bool gdb_stop_arrive(struct rfs_run *run, struct rfs_thread *thread, int *signo)
{
	struct rfs_gdb_stop why = {.thread = thread};

	rfs_gdb_travel_arrive(run->gdb, &why);
	return give_gdb_control(run, &why, signo);
}

/* A choice was executed, or history begins. */
static void begin_counting(struct rfs_gdb *gdb, uint64_t choices)
{
	rfs_gdb_moment_after(&gdb->here, choices);
	rfs_gdb_points_count(gdb, false);
	memset(gdb->watch_hits, 0, sizeof(gdb->watch_hits));
	gdb->signals = 0;
}

/* The start of history: main begins. False if the run has ended. */
static bool begin_history(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_gdb *gdb = run->gdb;

	if (gdb->begun)
		return true;
	gdb->begun = true;
	begin_counting(gdb, 0);
	if (rfs_gdb_travel_choices(run))
		return gdb_stop_arrive(run, thread, NULL);
	return !run->ended;
}

/* Gives gdb control after the thread has passed this mark. False if the run has ended. */
static bool stop_at(struct rfs_run *run, const struct rfs_gdb_leg *mark, struct rfs_gdb_stop *why, int *signo)
{
	rfs_gdb_moment_add(&run->gdb->here, mark);
	return give_gdb_control(run, why, signo);
}

/* gdb gets control at an instruction that cannot be found again. Going back begins at the last choice. */
static bool stop_somewhere(struct rfs_run *run, struct rfs_gdb_stop *why)
{
	struct rfs_gdb_moment *here = &run->gdb->here;

	if (here->choices)
		rfs_gdb_moment_before(here, here->choices - 1);
	else
		rfs_gdb_moment_after(here, 0);
	return give_gdb_control(run, why, NULL);
}

/* Before a choice is executed. False if the run has ended. */
static bool stop_before_choice(struct rfs_run *run, const struct rfs_choice *choice)
{
	const struct rfs_gdb_leg mark = {.mark = RFS_MARK_CHOICE, .count = 1};
	struct rfs_thread *thread = run->threads[choice->thread];
	struct rfs_gdb *gdb = run->gdb;
	struct rfs_gdb_stop why = {.thread = thread};

	if (!begin_history(run, thread))
		return false;
	if (gdb->wanted) {
		why.signo = SIGINT;
	} else if (rfs_gdb_travels(gdb)) {
		if (!rfs_gdb_travel_pass(run, &mark))
			return !run->ended;
		rfs_gdb_moment_before(&gdb->here, gdb->here.choices);
		return gdb_stop_arrive(run, thread, NULL);
	} else if (gdb->link.fd < 0 &&
		   (gdb->settings->stop_at == RFS_GDB_NO_STEP ? choice->race[0] >= 0
							      : rfs_trace_position(run) >= gdb->settings->stop_at)) {
		why.signo = SIGTRAP;
		why.race = choice->race[0] >= 0;
		why.message = rfs_gdb_choice_text(run, choice);
	} else {
		return true;
	}
	rfs_gdb_moment_before(&gdb->here, gdb->here.choices);
	return give_gdb_control(run, &why, NULL);
}

void rfs_gdb_chosen(struct rfs_run *run, const struct rfs_choice *choice)
{
	if (!run->gdb || run->ended)
		return;
	for (size_t i = 0; i < run->n_threads; i++)
		run->threads[i]->gdb.known = true;
	if (!stop_before_choice(run, choice))
		return;
	begin_counting(run->gdb, run->gdb->here.choices + 1);
	(void)rfs_gdb_travel_choices(run);
}

void rfs_gdb_arrived(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address)
{
	struct rfs_gdb *gdb = run->gdb;
	struct rfs_gdb_point *point = gdb ? rfs_gdb_point_hit(gdb, address) : NULL;
	struct rfs_gdb_stop why = {.thread = thread, .signo = SIGTRAP, .breakpoint = true};
	struct rfs_gdb_leg mark = {.mark = RFS_MARK_BREAK, .count = 1, .address = address};
	bool seen = thread->gdb.seen == address;

	thread->gdb.seen = 0;
	if (!point || !gdb->begun)
		return;
	thread->gdb.hit = address;
	gdb->stops++;
	if (rfs_gdb_travel_pass(run, &mark)) {
		(void)gdb_stop_arrive(run, thread, NULL);
	} else if (rfs_gdb_travels(gdb)) {
		if (!run->ended && rfs_gdb_travel_hits(run, thread, point))
			(void)gdb_stop_arrive(run, thread, NULL);
		else if (!run->ended)
			rfs_gdb_count_stop(run, thread, point);
	} else if (!seen) {
		mark.count = point->whole ? point->hits : point->since_stop;
		if (point->whole)
			rfs_gdb_moment_after(&gdb->here, gdb->here.choices);
		(void)stop_at(run, &mark, &why, NULL);
	}
}

/* The thread has accessed watched memory. True if this is the goal of a travel. */
static bool pass_watch(struct rfs_run *run, const struct rfs_thread *thread, int i, struct rfs_gdb_leg *mark)
{
	struct rfs_gdb *gdb = run->gdb;
	const struct rfs_watched *watched = &gdb->watched[i];
	struct rfs_gdb_leg all;

	*mark = (struct rfs_gdb_leg){.mark = RFS_MARK_WATCH,
				     .count = 1,
				     .address = watched->address,
				     .size = watched->size,
				     .reads = watched->reads};
	all = *mark;
	all.count = ++gdb->watch_hits[i];
	/* the event counts even if it is the goal: going back from it, the value changes */
	if ((size_t)i < gdb->n_watched - gdb->n_lent)
		rfs_gdb_travel_event(gdb, thread, &all, true);
	return rfs_gdb_travel_pass(run, mark);
}

/* The thread has executed an instruction while it was stepped. True if gdb still waits for the end of its step. */
static bool note_step(struct rfs_run *run, struct rfs_thread *thread, struct rfs_gdb_stop *why)
{
	const struct rfs_gdb_leg mark = {
		.mark = RFS_MARK_STEP, .count = 1, .thread = thread->number, .address = thread->gdb.step_from};
	struct rfs_gdb *gdb = run->gdb;
	struct rfs_gdb_leg watch;
	bool arrived;
	int i;

	gdb->stops++;
	rfs_gdb_travel_note_step(run, thread);
	thread->gdb.step_from = rfs_task_regs(thread->task)->rip;
	rfs_gdb_moment_add(&gdb->here, &mark);
	rfs_gdb_travel_begins_step(gdb, thread);
	i = rfs_gdb_watchpoint_hit(run, thread);
	if (i >= 0)
		rfs_gdb_watchpoint_tell(gdb, i, why);
	arrived = i >= 0 && pass_watch(run, thread, i, &watch);
	if (!arrived && !run->ended)
		arrived = rfs_gdb_travel_pass(run, &mark) || rfs_gdb_travel_is_before(run, thread);
	if (arrived)
		(void)gdb_stop_arrive(run, thread, NULL);
	return !arrived && !run->ended && !rfs_gdb_travels(gdb) && (gdb->stepping == thread || why->watch);
}

static bool in_range(const struct rfs_gdb *gdb, rfs_addr address)
{
	return address >= gdb->range_start && address < gdb->range_end;
}

/* Tells gdb that the step is done. False if the run has ended. */
static bool report_step(struct rfs_run *run, struct rfs_thread *thread, struct rfs_gdb_stop *why)
{
	why->thread = thread;
	why->signo = SIGTRAP;
	return give_gdb_control(run, why, NULL);
}

/* Whether gdb steps the thread, or a travel does. */
static bool is_asked_to_step(const struct rfs_gdb *gdb, const struct rfs_thread *thread)
{
	return rfs_gdb_travels(gdb) ? rfs_gdb_travel_steps(gdb, thread) : gdb->stepping == thread;
}

/* The same, or it is stepped because of a watchpoint. */
static bool is_stepped(const struct rfs_gdb *gdb, const struct rfs_thread *thread)
{
	return rfs_gdb_watchpoints_step(gdb) || is_asked_to_step(gdb, thread);
}

void rfs_gdb_stepped(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct rfs_gdb *gdb = run->gdb;
	struct rfs_gdb_stop why = {0};

	if (!gdb || !thread->gdb.stepped || !is_stepped(gdb, thread))
		return;
	if (note_step(run, thread, &why) && (why.watch || !in_range(gdb, rfs_task_regs(thread->task)->rip)))
		(void)report_step(run, thread, &why);
}

void rfs_gdb_watched(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_gdb_stop why = {.thread = thread, .signo = SIGTRAP};
	struct rfs_gdb_leg mark;
	int i = run->gdb ? rfs_gdb_watchpoint_hit(run, thread) : -1;

	if (i < 0)
		return;
	run->gdb->stops++;
	rfs_gdb_watchpoint_tell(run->gdb, i, &why);
	if (pass_watch(run, thread, i, &mark))
		(void)gdb_stop_arrive(run, thread, NULL);
	else if (!rfs_gdb_travels(run->gdb))
		(void)stop_at(run, &mark, &why, NULL);
}

void rfs_gdb_interrupted(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_gdb_stop why = {.thread = thread, .signo = SIGINT};

	if (run->gdb && run->gdb->wanted)
		(void)stop_somewhere(run, &why);
}

/* The thread is about to receive a signal. False if the run has ended. */
static bool stop_at_signal(struct rfs_run *run, struct rfs_thread *thread, int *signo)
{
	struct rfs_gdb_leg mark = {.mark = RFS_MARK_SIGNAL, .count = 1};
	struct rfs_gdb *gdb = run->gdb;
	struct rfs_gdb_stop why = {.thread = thread, .signo = *signo};

	mark.count = ++gdb->signals;
	gdb->all_signals++;
	if (rfs_gdb_travels(gdb)) {
		mark.count = 1;
		if (rfs_gdb_travel_pass(run, &mark)) {
			rfs_gdb_travel_arrive(gdb, &why);
			why.signo = *signo;
			return give_gdb_control(run, &why, signo);
		}
		return !run->ended;
	}
	if (gdb->link.fd < 0 && !rfs_gdb_signal_kills(run, *signo))
		return true;
	if (gdb->link.fd < 0)
		why.message = xasprintf("thread %d receives SIG%s", thread->number,
					sigabbrev_np(*signo) ? sigabbrev_np(*signo) : "?");
	return stop_at(run, &mark, &why, signo);
}

/* Watched memory has changed without a trap. False if the run has ended. */
static bool stop_at_change(struct rfs_run *run, struct rfs_thread *next)
{
	struct rfs_gdb *gdb = run->gdb;
	struct rfs_thread *by = gdb->moved_by >= 0 ? run->threads[gdb->moved_by] : next;
	struct rfs_gdb_stop why = {.thread = rfs_gdb_shows(by) ? by : next, .signo = SIGTRAP};
	int i = rfs_gdb_watchpoint_changed(gdb);
	struct rfs_gdb_leg mark;

	if (i < 0 || !gdb->begun)
		return true;
	rfs_gdb_watchpoint_tell(gdb, i, &why);
	if (pass_watch(run, why.thread, i, &mark))
		return gdb_stop_arrive(run, why.thread, NULL);
	if (rfs_gdb_travels(gdb) || run->ended)
		return !run->ended;
	return stop_at(run, &mark, &why, NULL);
}

void rfs_gdb_stops(struct rfs_run *run, struct rfs_thread *thread)
{
	if (!run->gdb)
		return;
	rfs_gdb_count_take(run, thread);
	if (thread->gdb.stepped)
		rfs_gdb_forget_trap_flag(run, thread);
	if (run->gdb->n_watched)
		rfs_gdb_watchpoints_compare(run, thread);
}

/* The member `resumes` of struct rfs_run_observer: the thread is about to run. */
static void gdb_stop_resumes(struct rfs_run *run, struct rfs_thread *thread, enum rfs_resume *how, int *signo)
{
	struct rfs_gdb *gdb = run->gdb;
	struct rfs_gdb_stop why = {0};
	rfs_addr at;

	if (run->ended || (run->main_reached && !begin_history(run, thread)))
		return;
	thread->gdb.hit = 0;
	rfs_gdb_points_plant(run, thread->task);
	if (*signo && gdb->begun && !stop_at_signal(run, thread, signo))
		return;
	if (*signo)
		thread->gdb.seen = 0; /* first the handler runs */
	at = rfs_task_regs(thread->task)->rip;
	/* a breakpoint that gdb sets there later is a new one */
	if (thread->gdb.seen != at || !rfs_gdb_point_at(gdb, at))
		thread->gdb.seen = 0;
	/* rfsup has executed the stepped operation for the thread, so the thread has moved already */
	if (thread->gdb.stepped && is_stepped(gdb, thread) && !*signo && at != thread->gdb.step_from &&
	    !rfs_gdb_in_call(thread)) {
		if (note_step(run, thread, &why) && (why.watch || !in_range(gdb, at)))
			(void)report_step(run, thread, &why);
		if (run->ended)
			return;
	}
	rfs_gdb_watchpoints_compare(run, NULL);
	while (gdb->moved)
		if (!stop_at_change(run, thread))
			return;
	rfs_gdb_watchpoint_apply(run, thread, !is_asked_to_step(gdb, thread), how, *signo);
	if (!is_stepped(gdb, thread)) {
		thread->gdb.stepped = false;
		rfs_gdb_count_lend(run, thread);
		return;
	}
	rfs_gdb_count_end(run);
	if (!thread->gdb.stepped) {
		thread->gdb.stepped = true;
		thread->gdb.step_from = at;
	}
	if (*how == RFS_RESUME_RUN)
		*how = RFS_RESUME_STEP;
}

static bool gdb_stop_has_changed(const struct rfs_run *run)
{
	return run->gdb->changed;
}

static const struct rfs_run_observer observer = {
	.resumes = gdb_stop_resumes,
	.has_changed = gdb_stop_has_changed,
};

/* What remains when the run begins again: gdb, its breakpoints and watchpoints, and the travel. */
static void renew(struct rfs_gdb *gdb)
{
	struct rfs_gdb_travel *travel = &gdb->travel;

	free(gdb->stop.message);
	gdb->stop = (struct rfs_gdb_stop){0};
	gdb->general = gdb->continued = gdb->stepping = NULL;
	gdb->begun = gdb->changed = gdb->exits = false;
	gdb->known = gdb->moved = 0;
	gdb->stops = 0;
	gdb->all_signals = 0;
	gdb->counted = NULL;
	gdb->pages = (struct rfs_gdb_pages){0};
	gdb->watches_step = false;
	rfs_gdb_points_renew(gdb);
	begin_counting(gdb, 0);
	rfs_gdb_points_lend(gdb, &travel->to.goal);
	rfs_gdb_points_lend(gdb, &travel->from.goal);
	if (travel->mode == RFS_TRAVEL_MARKERS || travel->by_markers) {
		if (travel->at)
			rfs_gdb_point_lend(gdb, travel->at);
		for (size_t i = 0; i < travel->n_markers; i++)
			rfs_gdb_point_lend(gdb, travel->markers[i].address);
	}
	rfs_gdb_watchpoints_lend(gdb, &travel->to.goal);
	rfs_gdb_watchpoints_lend(gdb, &travel->from.goal);
}

void rfs_gdb_init(struct rfs_run *run)
{
	if (!run->spec->gdb)
		return;
	run->observer = &observer;
	run->gdb = *run->spec->gdb->kept;
	*run->spec->gdb->kept = NULL;
	if (run->gdb) {
		renew(run->gdb);
		return;
	}
	run->gdb = xcalloc(1, sizeof(*run->gdb));
	run->gdb->settings = run->spec->gdb;
	run->gdb->link.fd = -1;
	run->gdb->watches_by = rfs_watchpoints_fire() ? RFS_WATCHES_BY_REGISTERS : RFS_WATCHES_BY_PAGES;
}

void rfs_gdb_exiting(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct rfs_gdb_leg mark = {.mark = RFS_MARK_EXIT, .count = 1};
	struct rfs_gdb_stop why = {.thread = thread};

	if (!run->gdb || run->ended || run->gdb->exits)
		return;
	run->gdb->exits = true;
	if (rfs_gdb_travel_pass(run, &mark)) {
		(void)gdb_stop_arrive(run, thread, NULL);
	} else if (!rfs_gdb_travels(run->gdb) && !run->ended && (run->gdb->link.fd < 0 || rfs_gdb_calls_exit(thread))) {
		/* the last moment from which gdb can go back; a signal that kills has its own stop */
		why.end = run->gdb->link.fd >= 0;
		why.message = xasprintf("the program is about to end, in thread %d", thread->number);
		(void)stop_at(run, &mark, &why, NULL);
	}
}

void rfs_gdb_look(struct rfs_run *run)
{
	struct rfs_gdb *gdb = run->gdb;
	struct rfs_gdb_stop why = {.signo = SIGINT};

	if (!rfs_gdb_attached(run) || run->ended)
		return;
	gdb->wanted = gdb->wanted || rfs_gdb_wanted(&gdb->link);
	if (!gdb->wanted)
		return;
	if (run->running) {
		(void)!rfs_task_interrupt(run->running->task);
		return;
	}
	why.thread = rfs_gdb_any_thread(run);
	if (why.thread)
		(void)stop_somewhere(run, &why);
}

/* Tells gdb that the target has ended. kind: 'W' exited, 'X' killed by a signal. */
static void send_end(const struct rfs_run *run, char kind, int value)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "%c%02x;process:%x", kind, (unsigned)value & 0xff, RFS_GDB_PROCESS);

	rfs_gdb_send(&run->gdb->link, text, (size_t)n);
}

static char *gdb_stop_end_text(const struct rfs_run *run)
{
	const struct rfs_run_result *result = run->result;

	if (result->message)
		return xasprintf("%s: %s",
				 result->end == RFS_END_DIVERGED ? "the replay diverged from the recorded run"
								 : "the run cannot be controlled",
				 result->message);
	return xstrdup(result->end == RFS_END_DEADLOCK ? "a deadlock: no thread can continue" : "the program hangs");
}

/* Waits until the session has ended, because nothing may be written to the terminal as long as gdb uses it. */
static void wait_for_session(const struct rfs_run *run)
{
	struct pollfd fds[] = {
		{.fd = run->gdb->settings->control, .events = POLLIN},
		{.fd = run->spec->cancel_fd, .events = POLLIN},
	};

	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
}

/* The first thread of the deadlock; if there is none, any thread. NULL: no thread is left. */
static struct rfs_thread *stuck_thread(const struct rfs_run *run)
{
	const struct rfs_run_result *result = run->result;
	const int first = result->end == RFS_END_DEADLOCK && result->deadlock.n ? result->deadlock.list[0].thread : -1;

	return first >= 0 && rfs_gdb_shows(run->threads[first]) ? run->threads[first] : rfs_gdb_any_thread(run);
}

/* Gives gdb control after the run has ended in a way in which threads are left. */
static void stop_at_end(struct rfs_run *run)
{
	const struct rfs_gdb_leg mark = {.mark = RFS_MARK_END, .count = 1};
	struct rfs_gdb_stop why = {.thread = stuck_thread(run), .message = gdb_stop_end_text(run)};

	if (rfs_gdb_travels(run->gdb))
		rfs_gdb_travel_arrive(run->gdb, &why);
	else
		rfs_gdb_moment_add(&run->gdb->here, &mark);
	if (give_gdb_control(run, &why, NULL))
		send_end(run, 'X', rfs_gdb_signal_to(SIGKILL));
}

/* The run has ended before the goal. gdb gets its last moment instead. */
static void lose_travel(struct rfs_run *run)
{
	const struct rfs_gdb_travel *travel = &run->gdb->travel;
	const bool ends = run->result->end == RFS_END_EXIT || run->result->end == RFS_END_SIGNAL;
	char *text;

	if (!travel->to_operation) {
		rfs_gdb_send_text(run->gdb, "cannot go there: the replay has not reached that moment\n");
	} else if (travel->operation > rfs_trace_position(run)) {
		text = xasprintf("the run ends before operation %llu; this is its last moment\n",
				 (unsigned long long)travel->operation);
		rfs_gdb_send_text(run->gdb, text);
		free(text);
	}
	if (!ends || !rfs_gdb_travel_to_end(run))
		run->gdb->travel.mode = RFS_TRAVEL_NONE;
}

void rfs_gdb_ended(struct rfs_run *run)
{
	enum rfs_run_end end = run->result->end;

	if (!run->gdb || end == RFS_END_CANCELLED)
		return;
	if (end != RFS_END_RESTART && rfs_gdb_travel_is_lost(run))
		lose_travel(run);
	end = run->result->end;
	if (end == RFS_END_EXIT || end == RFS_END_SIGNAL) {
		if (!rfs_gdb_attached(run))
			return;
		send_end(run, end == RFS_END_EXIT ? 'W' : 'X',
			 end == RFS_END_EXIT ? run->result->detail : rfs_gdb_signal_to(run->result->detail));
	} else if (end != RFS_END_STOPPED && end != RFS_END_RESTART) {
		stop_at_end(run);
	}
	if (run->result->end == RFS_END_RESTART) {
		if (rfs_gdb_travels(run->gdb))
			rfs_tracer_kill(run->tracer);
		return;
	}
	rfs_tracer_kill(run->tracer);
	if (run->gdb->link.fd >= 0)
		close(run->gdb->link.fd);
	run->gdb->link.fd = -1;
	if (!run->gdb->settings->waits)
		wait_for_session(run);
}
