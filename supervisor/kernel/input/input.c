/* input.c - records what comes from outside the target, and replays it. */
#include "supervisor/kernel/input/input.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/process.h"
#include "supervisor/base/text/syscall_name.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/kernel/core/wait_arguments.h"
#include "supervisor/kernel/descriptors/input_fd.h"
#include "supervisor/kernel/descriptors/kernel_hb.h"
#include "supervisor/kernel/descriptors/loopback.h"
#include "supervisor/kernel/descriptors/target_fd.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/ids/translate.h"
#include "supervisor/kernel/input/input_pieces.h"
#include "supervisor/record/input_file.h"
#include "supervisor/record/nondet.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/operations/park.h"
#include "tracer/tracer.h"

/*
 * Whether the run records input, replays it in the recorded order, or replays it loosely. In a loose replay, each
 * thread gets its own recorded input in its own order. It gets the input as soon as it asks, whatever other threads do.
 * So the input can be used with another schedule too.
 */
enum mode { MODE_RECORD, MODE_REPLAY, MODE_LOOSE };

struct rfs_input {
	enum mode mode;
	/* MODE_REPLAY, MODE_LOOSE */
	struct rfs_input_bytes from;
	size_t *offsets, n; /* where the entries of `from` begin, and their number */
	size_t at;	    /* MODE_REPLAY: the next entry */
	bool *taken;	    /* for each entry, whether it was used; only in MODE_LOOSE */
	/* MODE_RECORD; also MODE_LOOSE if a path is given */
	struct rfs_input_bytes to;
	char *path;
	uint64_t choices; /* how many choices were made */
};

bool rfs_input_replays(const struct rfs_run *run)
{
	return run->kernel->input && run->kernel->input->mode != MODE_RECORD;
}

static bool strict(const struct rfs_run *run)
{
	return run->kernel->input && run->kernel->input->mode == MODE_REPLAY;
}

static bool loose(const struct rfs_run *run)
{
	return run->kernel->input && run->kernel->input->mode == MODE_LOOSE;
}

/* Whether the run records its input. */
static bool notes(const struct rfs_run *run)
{
	return run->kernel->input && run->kernel->input->path;
}

int rfs_input_open(struct rfs_run *run, char *why, size_t n)
{
	const struct rfs_run_spec *spec = run->spec;
	struct rfs_input *input;
	int error = 0;

	if (!spec->input.in && !spec->input.out)
		return 0;
	run->kernel->input = input = xcalloc(1, sizeof(*input));
	input->mode = !spec->input.in ? MODE_RECORD : spec->input.loose ? MODE_LOOSE : MODE_REPLAY;
	if (spec->input.out) {
		input->path = xstrdup(spec->input.out);
		rfs_input_begin(&input->to);
	}
	if (spec->input.in)
		error = rfs_input_load(spec->input.in, &input->from, &input->offsets, &input->n, why, n);
	input->taken = xcalloc(input->n + 1, sizeof(*input->taken));
	return error;
}

static void input_save(const struct rfs_run *run, struct rfs_input *input)
{
	int error;

	/*
	 * without outside input there is no file; a loose replay always writes one, because its input came from a file
	 */
	if (input->mode == MODE_RECORD && !(run->result->nondet.kinds & RFS_NONDET_RECORDED))
		return;
	if (rfs_input_overflows(&input->to)) {
		rfs_warn("too much outside input to record; %s is not written, and the run cannot be replayed",
			 input->path);
		return;
	}
	error = rfs_input_save(&input->to, input->path);
	if (error)
		rfs_warn("cannot save the recorded input %s: %s", input->path, strerror(-error));
}

void rfs_input_close(struct rfs_run *run)
{
	struct rfs_input *input = run->kernel->input;

	if (!input)
		return;
	if (input->path)
		input_save(run, input);
	free(input->from.bytes);
	free(input->to.bytes);
	free(input->offsets);
	free(input->taken);
	free(input->path);
	free(input);
	run->kernel->input = NULL;
}

static void entry_at(const struct rfs_input *input, size_t i, struct rfs_input_entry *out)
{
	memcpy(out, input->from.bytes + input->offsets[i], sizeof(*out));
}

/* The next entry of a strict replay, if there is one. */
static bool input_next(const struct rfs_input *input, struct rfs_input_entry *out)
{
	if (input->at == input->n)
		return false;
	entry_at(input, input->at, out);
	return true;
}

/* Whether the entry is the result of a call. */
static bool is_result(const struct rfs_input_entry *entry)
{
	return entry->kind == RFS_INPUT_CALL || entry->kind == RFS_INPUT_BACK || entry->kind == RFS_INPUT_MADE;
}

/*
 * Finds the thread's first unused entry of a kind; RFS_INPUT_CALL: the result of any call. thread -1: an entry without
 * a thread. Returns the index of the entry; input->n: there is no such entry.
 */
static size_t input_next_of(const struct rfs_input *input, int thread, enum rfs_input_kind kind,
			    struct rfs_input_entry *out)
{
	for (size_t i = 0; i < input->n; i++) {
		if (input->taken[i])
			continue;
		entry_at(input, i, out);
		if (out->thread == thread && (out->kind == kind || (kind == RFS_INPUT_CALL && is_result(out))))
			return i;
	}
	return input->n;
}

static void input_differs(struct rfs_run *run, const char *what, const struct rfs_thread *thread)
{
	if (run->ended)
		return;
	run->result->message =
		thread ? xasprintf("the recorded input does not match this run: %s (thread %d)", what, thread->number)
		       : xasprintf("the recorded input does not match this run: %s", what);
	rfs_run_end(run, RFS_END_DIVERGED, 0);
}

/* The thread makes another call than the record has. entry: of the record; thread -1: the record has no more. */
static void call_differs(struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_input_entry *entry)
{
	char now[32], then[32], what[160];

	rfs_syscall_name(thread->syscall, now, sizeof(now));
	rfs_syscall_name(entry->number, then, sizeof(then));
	if (entry->thread < 0)
		snprintf(what, sizeof(what), "the record has no call here, and the thread calls %s", now);
	else if (is_result(entry))
		snprintf(what, sizeof(what), "in the record thread %d calls %s here, and now it is %s", entry->thread,
			 then, now);
	else
		snprintf(what, sizeof(what), "the record has an event here, and the thread calls %s", now);
	input_differs(run, what, thread);
}

/* Uses entry i: writes its pieces to the target's memory. False: the memory cannot be written. */
static bool input_take(struct rfs_run *run, size_t i)
{
	struct rfs_input *input = run->kernel->input;
	size_t at = input->offsets[i], end = i + 1 < input->n ? input->offsets[i + 1] : input->from.n;
	struct rfs_input_entry entry;
	struct rfs_input_piece piece;

	entry_at(input, i, &entry);
	if (input->mode == MODE_REPLAY)
		input->at = i + 1;
	input->taken[i] = true;
	if (notes(run)) {
		entry.choice = input->choices + 1;
		rfs_input_put(&input->to, &entry, sizeof(entry));
		rfs_input_put(&input->to, input->from.bytes + at + sizeof(entry), end - at - sizeof(entry));
	}
	at += sizeof(entry);
	for (uint32_t k = 0; k < entry.pieces; k++) {
		memcpy(&piece, input->from.bytes + at, sizeof(piece));
		at += sizeof(piece);
		if (piece.size && !rfs_poke(run, piece.address, input->from.bytes + at, piece.size))
			return false;
		at += piece.size;
	}
	return true;
}

static void log_entry(struct rfs_run *run, enum rfs_input_kind kind, const struct rfs_thread *thread, int64_t value,
		      const struct rfs_input_pieces *pieces)
{
	struct rfs_input *input = run->kernel->input;
	const struct rfs_input_entry entry = {
		.choice = input->choices + 1,
		.kind = kind,
		.pieces = pieces ? pieces->n : 0,
		.thread = thread ? thread->number : -1,
		.number = thread ? (int32_t)thread->syscall : 0,
		.value = value,
	};

	rfs_input_put(&input->to, &entry, sizeof(entry));
	for (uint32_t i = 0; i < entry.pieces; i++) {
		const struct rfs_input_piece *piece = &pieces->list[i];
		unsigned char *copy = xcalloc(piece->size, 1);

		/* memory that can no longer be read is recorded as zeros */
		(void)rfs_peek(run, piece->address, copy, piece->size);
		rfs_input_put(&input->to, piece, sizeof(*piece));
		rfs_input_put(&input->to, copy, piece->size);
		free(copy);
	}
}

/* ---- calls ---- */

bool rfs_input_is_outside(const struct rfs_run *run, int fd)
{
	return rfs_fd_is_outside(fd) && !rfs_pids_was_known(run, rfs_fd_local_peer(fd));
}

void rfs_input_consider(struct rfs_run *run, struct rfs_thread *thread, int fd)
{
	thread->call->from_outside = run->kernel->input && (fd < 0 || rfs_input_is_outside(run, fd));
	thread->call->ready_now = thread->call->ready_known = false;
}

bool rfs_input_ready(struct rfs_run *run, struct rfs_thread *thread, bool now)
{
	struct rfs_call_state *call = thread->call;
	struct rfs_input_entry entry;

	if (!call->from_outside)
		return now;
	if (loose(run))
		call->ready_now = input_next_of(run->kernel->input, thread->number, RFS_INPUT_CALL, &entry) <
					  run->kernel->input->n &&
				  entry.number == thread->syscall && (entry.kind != RFS_INPUT_MADE || now);
	else if (!strict(run))
		call->ready_now = now;
	return call->ready_now;
}

/*
 * The entry that a replay has for the call of the thread: the next one, or in a loose replay the thread's own next
 * result. Returns its index; input->n: there is none.
 */
static size_t entry_of_call(const struct rfs_run *run, const struct rfs_thread *thread, struct rfs_input_entry *out)
{
	const struct rfs_input *input = run->kernel->input;
	const size_t i = loose(run) ? input_next_of(input, thread->number, RFS_INPUT_CALL, out) : input->at;

	if (i < input->n)
		entry_at(input, i, out);
	return i;
}

/* Whether the entry says that a replay makes the call of the thread. */
static bool is_made(const struct rfs_thread *thread, const struct rfs_input_entry *entry)
{
	return entry->kind == RFS_INPUT_MADE && entry->thread == thread->number && entry->number == thread->syscall;
}

/*
 * Replays accept(2): makes the thread call socket(2) instead, so that the target gets a descriptor. The new socket is
 * not connected to anything.
 */
static enum rfs_then stand_in(struct rfs_thread *thread, long descriptor)
{
	struct rfs_call_state *call = thread->call;
	struct user_regs_struct *regs = rfs_task_regs_mut(thread->task);
	int domain = AF_INET, type = SOCK_STREAM;
	socklen_t size = sizeof(int);

	if (call->fd >= 0) {
		getsockopt(call->fd, SOL_SOCKET, SO_DOMAIN, &domain, &size);
		getsockopt(call->fd, SOL_SOCKET, SO_TYPE, &type, &size);
	}
	regs->orig_rax = regs->rax = SYS_socket;
	regs->rdi = (unsigned long)domain;
	regs->rsi = (unsigned long)type | (thread->syscall == SYS_accept4 ? thread->args[3] : 0);
	regs->rdx = 0;
	call->stands_in = descriptor;
	rfs_call_drop_fds(thread);
	return RFS_THEN_STOP_AT_EXIT;
}

enum rfs_then rfs_input_answer(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_input *input = run->kernel->input;
	struct rfs_input_entry entry = {.thread = -1};
	size_t i;

	if (!thread->call->from_outside || !rfs_input_replays(run))
		return RFS_THEN_UNDECIDED;
	i = entry_of_call(run, thread, &entry);
	if (i < input->n && is_made(thread, &entry))
		return RFS_THEN_UNDECIDED;
	if (i == input->n || entry.kind != RFS_INPUT_CALL || entry.thread != thread->number ||
	    entry.number != thread->syscall || !input_take(run, i)) {
		call_differs(run, thread, &entry);
		return RFS_THEN_END;
	}
	thread->call->from_outside = false;
	if ((thread->call->row->flags & RFS_CALL_ACCEPTS) && entry.value >= 0)
		return stand_in(thread, entry.value);
	rfs_kernel_hb_replayed(run, thread, entry.value);
	rfs_call_drop_fds(thread);
	rfs_call_restore_size(thread);
	rfs_poll_restore(run, thread);
	if (entry.value >= 0)
		rfs_poll_left(run, thread);
	if (rfs_poll_is_again(thread, entry.value))
		rfs_task_restart_syscall(thread->task);
	else
		rfs_task_answer_syscall(thread->task, entry.value);
	return RFS_THEN_EXECUTE;
}

bool rfs_input_wait(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_input_entry entry;

	if (!thread->call->from_outside || !rfs_input_replays(run))
		return false;
	if (input_next_of(run->kernel->input, thread->number, RFS_INPUT_CALL, &entry) < run->kernel->input->n &&
	    is_made(thread, &entry))
		return false;
	rfs_call_drop_fds(thread);
	thread->state = RFS_STATE_KERNEL;
	thread->deadline = RFS_NEVER;
	thread->call->held_back = true;
	if (run->running == thread)
		run->running = NULL;
	return true;
}

/* A call has returned. Whether the target now has a connection to one of its own processes. */
static bool connects_inside(struct rfs_run *run, const struct rfs_thread *thread, long result)
{
	const bool accepts = thread->call->row->flags & RFS_CALL_ACCEPTS;
	bool inside;
	int fd;

	if (result < 0 || (!accepts && thread->syscall != SYS_connect))
		return false;
	fd = rfs_fd_duplicate(run, accepts ? (int)result : (int)thread->args[0]);
	inside = fd >= 0 && !rfs_input_is_outside(run, fd);
	if (fd >= 0)
		close(fd);
	return inside;
}

/* A replay has made the call, as the record says. */
static void made(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct rfs_input *input = run->kernel->input;
	struct rfs_input_entry entry = {.thread = -1};
	const size_t i = entry_of_call(run, thread, &entry);

	if (i == input->n || !is_made(thread, &entry) || !input_take(run, i))
		call_differs(run, thread, &entry);
}

void rfs_input_returned(struct rfs_run *run, struct rfs_thread *thread, bool back)
{
	struct rfs_call_state *call = thread->call;
	struct user_regs_struct *regs = rfs_task_regs_mut(thread->task);
	struct rfs_input_pieces pieces = {0};

	if (call->stands_in >= 0) {
		if ((long)regs->rax != call->stands_in)
			input_differs(run, "the call uses a different descriptor", thread);
		regs->rdi = thread->args[0];
		regs->rsi = thread->args[1];
		regs->rdx = thread->args[2];
		call->stands_in = -1;
		return;
	}
	if (!call->from_outside || !run->kernel->input)
		return;
	call->from_outside = false;
	if (rfs_input_replays(run)) {
		made(run, thread);
		return;
	}
	if (connects_inside(run, thread, (long)regs->rax)) {
		log_entry(run, RFS_INPUT_MADE, thread, (int64_t)regs->rax, NULL);
		return;
	}
	rfs_input_collect(run, thread, (long)regs->rax, &pieces);
	log_entry(run, back ? RFS_INPUT_BACK : RFS_INPUT_CALL, thread, (int64_t)regs->rax, &pieces);
	free(pieces.list);
}

enum rfs_then rfs_input_query(struct rfs_run *run, struct rfs_thread *thread)
{
	int fd = run->kernel->input ? rfs_fd_duplicate(run, (int)thread->args[0]) : -1;
	enum rfs_then then;

	rfs_input_consider(run, thread, fd);
	if (fd >= 0)
		close(fd);
	if (!thread->call->from_outside)
		return RFS_THEN_UNDECIDED;
	then = rfs_input_answer(run, thread);
	if (then)
		return then;
	if (thread->call->row->ids)
		(void)rfs_syscall_translate(run, thread->task, thread->call->row, thread->args);
	return RFS_THEN_STOP_AT_EXIT;
}

enum rfs_then rfs_input_bind(struct rfs_run *run, struct rfs_thread *thread)
{
	int fd = run->kernel->input ? rfs_fd_duplicate(run, (int)thread->args[0]) : -1;
	bool inet = fd >= 0 && rfs_loopback_carries(fd);

	if (fd >= 0)
		close(fd);
	return inet ? rfs_input_query(run, thread) : RFS_THEN_UNDECIDED;
}

/* ---- time ---- */

static void come_back(struct rfs_run *run, struct rfs_thread *thread, long result)
{
	thread->call->held_back = false;
	rfs_call_restore_size(thread);
	rfs_kernel_hb_replayed(run, thread, result);
	rfs_task_answer_syscall(thread->task, result);
	(void)rfs_park(run, thread, rfs_op_make(RFS_OP_SYSCALL, thread->next.site, 0), rfs_ready_always, rfs_go_on);
}

/*
 * The process that gets signals from outside. If a process has taken the place of the program, that is still the first
 * one as long as it has a handler: a server ends its workers itself, and they may ignore the signal.
 */
static pid_t addressee(const struct rfs_run *run, int signo)
{
	const pid_t first = rfs_tracer_root(run->tracer);
	uint64_t caught = 0;

	if (run->follow.taken && !run->follow.over)
		(void)rfs_process_signals(first, "SigCgt:", &caught);
	return caught >> (signo - 1) & 1 ? first : rfs_tracer_pid(run->tracer);
}

static void send_signal(struct rfs_run *run, int signo)
{
	kill(addressee(run, signo), signo);
	run->signals = true;
	run->result->told_to_end = run->result->told_to_end || signo == SIGTERM;
}

static void input_take_place(struct rfs_run *run, const struct rfs_input_entry *entry)
{
	size_t i = run->kernel->input->at;
	struct rfs_thread *thread = NULL;

	if (entry->thread >= 0 && (size_t)entry->thread < run->n_threads)
		thread = run->threads[entry->thread];
	rfs_family_turn(run, thread);
	if (entry->kind == RFS_INPUT_SIGNAL && entry->value > 0 && entry->value <= 64 && input_take(run, i)) {
		send_signal(run, (int)entry->value);
	} else if (entry->kind == RFS_INPUT_HORIZON && input_take(run, i)) {
		run->time.horizon = (uint64_t)entry->value;
	} else if (entry->kind == RFS_INPUT_TIME && input_take(run, i)) {
		rfs_advance(run, (uint64_t)entry->value);
	} else if (entry->kind == RFS_INPUT_READY && thread && input_take(run, i)) {
		thread->call->ready_now = entry->value;
	} else if (entry->kind == RFS_INPUT_BACK && thread && thread->call->held_back && input_take(run, i)) {
		come_back(run, thread, entry->value);
	} else {
		input_differs(run, "the next recorded event cannot happen at this point of the run", thread);
	}
	rfs_family_turn(run, NULL);
}

/* For a loose replay: lets each thread that waits for its recorded return come back at once. */
static void return_loosely(struct rfs_run *run)
{
	struct rfs_input_entry entry;

	for (size_t i = 0; i < run->n_threads && !run->ended; i++) {
		struct rfs_thread *thread = run->threads[i];
		size_t at;

		if (!thread->call->held_back)
			continue;
		at = input_next_of(run->kernel->input, thread->number, RFS_INPUT_CALL, &entry);
		if (at == run->kernel->input->n)
			continue;
		rfs_family_turn(run, thread);
		if (entry.kind == RFS_INPUT_BACK && entry.number == thread->syscall && input_take(run, at))
			come_back(run, thread, entry.value);
		else
			call_differs(run, thread, &entry);
		rfs_family_turn(run, NULL);
	}
}

bool rfs_input_due(struct rfs_run *run)
{
	struct rfs_input_entry entry;
	bool signals = false;

	if (loose(run))
		return_loosely(run);
	if (!strict(run))
		return false;
	while (!run->ended && input_next(run->kernel->input, &entry) && entry.kind != RFS_INPUT_CALL &&
	       entry.kind != RFS_INPUT_MADE && entry.kind != RFS_INPUT_CLOCK &&
	       entry.choice <= run->kernel->input->choices + 1) {
		signals |= entry.kind == RFS_INPUT_SIGNAL;
		input_take_place(run, &entry);
	}
	return signals;
}

/*
 * For a loose replay: sends the next recorded signal if all recorded calls were used, or if nothing else is due. True
 * if it sent a signal.
 */
static bool signal_loosely(struct rfs_run *run, uint64_t due)
{
	struct rfs_input *input = run->kernel->input;
	struct rfs_input_entry entry;
	size_t i;

	for (i = 0; i < input->n && due != RFS_NEVER; i++) {
		entry_at(input, i, &entry);
		if (!input->taken[i] && is_result(&entry))
			return false;
	}
	i = input_next_of(input, -1, RFS_INPUT_SIGNAL, &entry);
	if (i == input->n || entry.value <= 0 || entry.value > 64 || !input_take(run, i))
		return false;
	send_signal(run, (int)entry.value);
	return true;
}

bool rfs_input_outside(struct rfs_run *run, uint64_t due)
{
	return loose(run) && signal_loosely(run, due);
}

bool rfs_input_idle(struct rfs_run *run, bool horizon, uint64_t due)
{
	if (loose(run) && signal_loosely(run, due))
		return true;
	if (notes(run) && due != RFS_NEVER)
		log_entry(run, horizon ? RFS_INPUT_HORIZON : RFS_INPUT_TIME, NULL, (int64_t)due, NULL);
	if (!rfs_input_replays(run) || due != RFS_NEVER)
		return false;
	input_differs(run, "no thread can continue, and no event is recorded", NULL);
	return true;
}

bool rfs_input_clock(struct rfs_run *run, const struct rfs_thread *thread, uint64_t *now)
{
	const int number = thread ? thread->number : -1;
	struct rfs_input *input = run->kernel->input;
	struct rfs_input_entry entry;
	size_t i;

	if (!rfs_input_replays(run)) {
		if (notes(run))
			log_entry(run, RFS_INPUT_CLOCK, thread, (int64_t)*now, NULL);
		return false;
	}
	if (loose(run)) {
		/*
		 * The threads may read the clock in another order than the recorded one, but time must not go back. A
		 * read of the clock that has no recorded value gets the present virtual time.
		 */
		i = input_next_of(input, number, RFS_INPUT_CLOCK, &entry);
		if (i < input->n) {
			input->taken[i] = true;
			*now = (uint64_t)entry.value > run->time.now ? (uint64_t)entry.value : run->time.now;
		} else {
			*now = run->time.now;
		}
		if (notes(run))
			log_entry(run, RFS_INPUT_CLOCK, thread, (int64_t)*now, NULL);
		return true;
	}
	*now = run->time.now;
	if (!input_next(input, &entry) || entry.kind != RFS_INPUT_CLOCK || entry.thread != number ||
	    !input_take(run, input->at))
		input_differs(run, "the thread reads the clock here, but the record has something else or nothing",
			      thread);
	else
		*now = (uint64_t)entry.value;
	return true;
}

void rfs_input_chosen(struct rfs_run *run)
{
	if (notes(run))
		for (size_t i = 0; i < run->n_threads; i++) {
			struct rfs_thread *thread = run->threads[i];

			if (thread->state != RFS_STATE_PARKED || !thread->call->from_outside ||
			    thread->call->ready_now == thread->call->ready_known)
				continue;
			thread->call->ready_known = thread->call->ready_now;
			log_entry(run, RFS_INPUT_READY, thread, thread->call->ready_now, NULL);
		}
	if (run->kernel->input)
		run->kernel->input->choices++;
}

void rfs_input_signal(struct rfs_run *run, int signo)
{
	if (notes(run))
		log_entry(run, RFS_INPUT_SIGNAL, NULL, signo, NULL);
	run->result->nondet.kinds |= 1u << RFS_NONDET_PROCESSES;
	send_signal(run, signo);
}
