/*
 * gdb_stop.c - decides when gdb gets control, and resumes the run afterwards.
 *
 * The first stop is before the first race is resolved, or before the operation that --stop-at names. If the run fails
 * earlier, the first stop is at the failure: before a signal that kills, at a deadlock, or right before the exit. gdb
 * is started only at the first stop, because it does not wait long for a server that does not answer.
 */
#include "supervisor/gdb/gdb.h"

#include <errno.h>
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
#include "supervisor/gdb/gdb_link.h"
#include "supervisor/gdb/gdb_signal.h"
#include "supervisor/kernel/signals/signals.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_observer.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "tracer/tracer.h"

void rfs_gdb_release(struct rfs_run *run)
{
	struct rfs_gdb *gdb = run->gdb;

	if (!gdb)
		return;
	if (gdb->link.fd >= 0)
		close(gdb->link.fd);
	free(gdb->stop.message);
	free(gdb->points);
	free(gdb);
	run->gdb = NULL;
	run->observer = NULL;
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

	if (send(settings->control, gdb->stop.message, strlen(gdb->stop.message), MSG_NOSIGNAL) < 0)
		return false;
	while (poll(fds, 3, -1) < 0)
		; /* EINTR: the run's interval timer (run/pump.c) */
	if (!fds[0].revents)
		return false;
	gdb->link.fd = accept4(settings->listener, NULL, NULL, SOCK_CLOEXEC);
	unlink(settings->path);
	return gdb->link.fd >= 0;
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

	free(gdb->stop.message);
	gdb->stop = *why;
	gdb->stepping = NULL;
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
	if (signo)
		*signo = how.pass_signo ? how.signo : 0;
	if (how.others || !how.step)
		rfs_gdb_points_sweep(run);
	gdb->stepping = how.step;
	if (how.step) {
		gdb->step_from = how.step->state == RFS_STATE_KERNEL ? 0 : rfs_task_regs(how.step->task)->rip;
		gdb->range_start = how.range_start;
		gdb->range_end = how.range_end;
	}
	rfs_target_memory_forget(run);
	return true;
}

static char *gdb_stop_race_text(struct rfs_run *run, const struct rfs_choice *choice)
{
	char *side[2], *text;

	if (choice->race[0] < 0)
		return xasprintf("before operation %llu", (unsigned long long)run->result->counts.steps);
	for (int i = 0; i < 2; i++)
		side[i] = rfs_gdb_next(run, run->threads[choice->race[i]]);
	text = xasprintf("a race: thread %d %s; thread %d %s", choice->race[0], side[0], choice->race[1], side[1]);
	free(side[0]);
	free(side[1]);
	return text;
}

void rfs_gdb_chosen(struct rfs_run *run, const struct rfs_choice *choice)
{
	struct rfs_gdb *gdb = run->gdb;
	struct rfs_gdb_stop why = {0};

	if (!gdb || run->ended)
		return;
	why.thread = run->threads[choice->thread];
	if (gdb->wanted) {
		why.signo = SIGINT;
	} else if (gdb->link.fd < 0 &&
		   (gdb->settings->stop_at == RFS_GDB_NO_STEP ? choice->race[0] >= 0
							      : run->result->counts.steps >= gdb->settings->stop_at)) {
		why.signo = SIGTRAP;
		why.message = gdb_stop_race_text(run, choice);
	} else {
		return;
	}
	(void)give_gdb_control(run, &why, NULL);
}

void rfs_gdb_arrived(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address)
{
	struct rfs_gdb *gdb = run->gdb;
	struct rfs_gdb_stop why = {.thread = thread, .signo = SIGTRAP, .breakpoint = true};
	bool seen = thread->gdb.stepped_to == address;

	thread->gdb.stepped_to = 0;
	if (gdb && !seen && rfs_gdb_point_at(gdb, address))
		(void)give_gdb_control(run, &why, NULL);
}

static bool in_range(const struct rfs_gdb *gdb, rfs_addr address)
{
	return address >= gdb->range_start && address < gdb->range_end;
}

/* Tells gdb that the step is done. False if the run has ended. */
static bool report_step(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_gdb_stop why = {.thread = thread, .signo = SIGTRAP};

	(void)rfs_gdb_watchpoint_hit(run, thread, &why);
	/*
	 * If the thread is now at a breakpoint, this report has shown gdb that. So the breakpoint must not stop the
	 * thread again.
	 */
	thread->gdb.stepped_to = rfs_task_regs(thread->task)->rip;
	return give_gdb_control(run, &why, NULL);
}

void rfs_gdb_stepped(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct rfs_gdb *gdb = run->gdb;

	if (!gdb || gdb->stepping != thread || in_range(gdb, rfs_task_regs(thread->task)->rip))
		return;
	(void)report_step(run, thread);
}

void rfs_gdb_watched(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_gdb_stop why = {.thread = thread, .signo = SIGTRAP};

	if (run->gdb && rfs_gdb_watchpoint_hit(run, thread, &why))
		(void)give_gdb_control(run, &why, NULL);
}

void rfs_gdb_interrupted(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_gdb_stop why = {.thread = thread, .signo = SIGINT};

	if (run->gdb && run->gdb->wanted)
		(void)give_gdb_control(run, &why, NULL);
}

/* True if this signal kills the target, because the target neither handles nor ignores the signal. */
static bool kills(const struct rfs_run *run, int signo)
{
	return rfs_signal_is_default(run, signo) && !rfs_signal_is_ignored(run, signo) && signo != SIGSTOP &&
	       signo != SIGTSTP && signo != SIGTTIN && signo != SIGTTOU;
}

/* True if the thread is stopped at a system call that has not been made yet. A step is then not complete. */
static bool in_call(const struct rfs_thread *thread)
{
	return thread->at_syscall && (long)rfs_task_regs(thread->task)->orig_rax != -1;
}

/* The member `resumes` of struct rfs_run_observer: the thread is about to run. */
static void gdb_stop_resumes(struct rfs_run *run, struct rfs_thread *thread, enum rfs_resume *how, int *signo)
{
	struct rfs_gdb *gdb = run->gdb;
	struct rfs_gdb_stop why = {.thread = thread, .signo = *signo};
	rfs_addr at;

	if (run->ended)
		return;
	if (*signo && (gdb->link.fd >= 0 || kills(run, *signo))) {
		if (gdb->link.fd < 0)
			why.message = xasprintf("thread %d receives SIG%s", thread->number,
						sigabbrev_np(*signo) ? sigabbrev_np(*signo) : "?");
		if (!give_gdb_control(run, &why, signo))
			return;
	}
	if (gdb->poked && gdb->link.fd >= 0) {
		why = (struct rfs_gdb_stop){
			.thread = thread, .signo = SIGTRAP, .watch = "watch", .address = gdb->poked};
		gdb->poked = 0;
		if (!give_gdb_control(run, &why, NULL))
			return;
	}
	rfs_gdb_watchpoint_apply(run, thread);
	if (gdb->stepping != thread)
		return;
	at = rfs_task_regs(thread->task)->rip;
	/* rfsup has executed the stepped operation for the thread, so the thread has moved already */
	if (!*signo && at != gdb->step_from && !in_call(thread) && !in_range(gdb, at) && !report_step(run, thread))
		return;
	if (gdb->stepping == thread && *how == RFS_RESUME_RUN)
		*how = RFS_RESUME_STEP;
}

static bool gdb_stop_has_changed(const struct rfs_run *run)
{
	return run->gdb->changed;
}

static const struct rfs_run_observer observer = {
	.resumes = gdb_stop_resumes,
	.writes = rfs_gdb_watchpoint_written,
	.has_changed = gdb_stop_has_changed,
};

void rfs_gdb_init(struct rfs_run *run)
{
	if (!run->spec->gdb)
		return;
	run->gdb = xcalloc(1, sizeof(*run->gdb));
	run->gdb->settings = run->spec->gdb;
	run->gdb->link.fd = -1;
	run->observer = &observer;
}

void rfs_gdb_exiting(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_gdb_stop why = {.thread = thread};

	if (!run->gdb || run->gdb->link.fd >= 0 || run->ended)
		return;
	why.message = xasprintf("the program is about to end, in thread %d", thread->number);
	(void)give_gdb_control(run, &why, NULL);
}

static struct rfs_thread *any_thread(const struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_threads; i++)
		if (rfs_gdb_shows(run->threads[i]))
			return run->threads[i];
	return NULL;
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
	why.thread = any_thread(run);
	if (why.thread)
		(void)give_gdb_control(run, &why, NULL);
}

/* Tells gdb that the target has ended. kind: 'W' exited, 'X' killed by a signal. */
static void send_end(const struct rfs_run *run, char kind, int value)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "%c%02x;process:%x", kind, (unsigned)value & 0xff,
			 (unsigned)rfs_tracer_pid(run->tracer));

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

void rfs_gdb_ended(struct rfs_run *run)
{
	enum rfs_run_end end = run->result->end;
	struct rfs_gdb_stop why = {0};

	if (!run->gdb || end == RFS_END_RESTART || end == RFS_END_CANCELLED)
		return;
	if (end == RFS_END_EXIT || end == RFS_END_SIGNAL) {
		if (!rfs_gdb_attached(run))
			return;
		send_end(run, end == RFS_END_EXIT ? 'W' : 'X',
			 end == RFS_END_EXIT ? run->result->detail : rfs_gdb_signal_to(run->result->detail));
	} else if (end != RFS_END_STOPPED) {
		why.thread = any_thread(run);
		why.message = gdb_stop_end_text(run);
		if (give_gdb_control(run, &why, NULL))
			send_end(run, 'X', rfs_gdb_signal_to(SIGKILL));
	}
	rfs_tracer_kill(run->tracer);
	if (run->gdb->link.fd >= 0)
		close(run->gdb->link.fd);
	run->gdb->link.fd = -1;
	wait_for_session(run);
}
