#include "supervisor/kernel/input.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/kernel/blocking.h"
#include "supervisor/kernel/input_fd.h"
#include "supervisor/kernel/loopback.h"
#include "supervisor/record/input_file.h"
#include "supervisor/state/outcome.h"
#include "supervisor/state/park.h"
#include "supervisor/state/run_result.h"
#include "supervisor/state/run_spec.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/target_memory.h"
#include "supervisor/state/thread.h"
#include "supervisor/state/virtual_time.h"
#include "tracer/tracer.h"

/* Of ancillary data: far more than a message has. */
#define CONTROL_MAX (64u << 10)

/*
 * What is done with input. Loosely replayed, each thread gets what it got in the recorded run, in its own order and as
 * soon as it asks, whatever the others do meanwhile: so another schedule can have it too.
 */
enum mode { MODE_RECORD, MODE_REPLAY, MODE_LOOSE };

struct rfs_input {
	enum mode mode;
	/* MODE_REPLAY, MODE_LOOSE */
	struct rfs_input_bytes from;
	size_t *offsets, n; /* of its entries */
	size_t at;	    /* MODE_REPLAY: the next one */
	bool *taken;	    /* MODE_LOOSE: by entry */
	/* MODE_RECORD; MODE_LOOSE where a path is given */
	struct rfs_input_bytes to;
	char *path;
	uint64_t choices; /* made so far */
};

bool rfs_input_replays(const struct rfs_run *run)
{
	return run->input && run->input->mode != MODE_RECORD;
}

static bool strict(const struct rfs_run *run)
{
	return run->input && run->input->mode == MODE_REPLAY;
}

static bool loose(const struct rfs_run *run)
{
	return run->input && run->input->mode == MODE_LOOSE;
}

/* It is written down what happens. */
static bool notes(const struct rfs_run *run)
{
	return run->input && run->input->path;
}

int rfs_input_open(struct rfs_run *run, char *why, size_t n)
{
	const struct rfs_run_spec *spec = run->spec;
	struct rfs_input *input;
	int error = 0;

	if (!spec->input_in && !spec->input_out)
		return 0;
	run->input = input = xcalloc(1, sizeof(*input));
	input->mode = !spec->input_in ? MODE_RECORD : spec->input_loose ? MODE_LOOSE : MODE_REPLAY;
	if (spec->input_out) {
		input->path = xstrdup(spec->input_out);
		rfs_input_begin(&input->to);
	}
	if (spec->input_in)
		error = rfs_input_load(spec->input_in, &input->from, &input->offsets, &input->n, why, n);
	input->taken = xcalloc(input->n + 1, sizeof(*input->taken));
	return error;
}

static void save(const struct rfs_run *run, struct rfs_input *input)
{
	const unsigned recorded = 1u << RFS_NONDET_NETWORK | 1u << RFS_NONDET_TERMINAL | 1u << RFS_NONDET_PROCESSES |
				  1u << RFS_NONDET_DEVICES | 1u << RFS_NONDET_CLOCK;
	int error;

	/* a loose replay has what it takes from outside from a run that did */
	if (input->mode == MODE_RECORD && !(run->result->outside & recorded))
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
	struct rfs_input *input = run->input;

	if (!input)
		return;
	if (input->path)
		save(run, input);
	free(input->from.bytes);
	free(input->to.bytes);
	free(input->offsets);
	free(input->taken);
	free(input->path);
	free(input);
	run->input = NULL;
}

static void entry_at(const struct rfs_input *input, size_t i, struct rfs_input_entry *out)
{
	memcpy(out, input->from.bytes + input->offsets[i], sizeof(*out));
}

/* A strict replay's next entry, if there is one. */
static bool next(const struct rfs_input *input, struct rfs_input_entry *out)
{
	if (input->at == input->n)
		return false;
	entry_at(input, input->at, out);
	return true;
}

/* A loose replay's next entry of a thread (-1: of none) among those of two kinds; input->n: there is none. */
static size_t next_of(const struct rfs_input *input, int thread, enum rfs_input_kind kind, enum rfs_input_kind other,
		      struct rfs_input_entry *out)
{
	for (size_t i = 0; i < input->n; i++) {
		if (input->taken[i])
			continue;
		entry_at(input, i, out);
		if (out->thread == thread && (out->kind == kind || out->kind == other))
			return i;
	}
	return input->n;
}

static void differs(struct rfs_run *run, const char *what, const struct rfs_thread *thread)
{
	if (run->ended)
		return;
	run->result->message =
		thread ? xasprintf("the recorded input does not match this run: %s of thread %d", what, thread->number)
		       : xasprintf("the recorded input does not match this run: %s", what);
	rfs_run_end(run, RFS_END_DIVERGED, 0);
}

/* Takes entry i, writing its pieces into the target. False: the memory is not there. */
static bool take(struct rfs_run *run, size_t i)
{
	struct rfs_input *input = run->input;
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

/* ---- what a call wrote ---- */

struct pieces {
	struct rfs_input_piece *list; /* owned */
	uint32_t n;
};

static void add(struct pieces *pieces, rfs_addr address, uint64_t size)
{
	if (!address || !size)
		return;
	pieces->list = xreallocarray(pieces->list, pieces->n + 1, sizeof(*pieces->list));
	pieces->list[pieces->n++] = (struct rfs_input_piece){address, size};
}

static void add_vector(struct rfs_run *run, struct pieces *pieces, rfs_addr vector, size_t n, uint64_t left)
{
	struct iovec iov;

	for (size_t i = 0; i < n && left && rfs_peek(run, vector + i * sizeof(iov), &iov, sizeof(iov)); i++) {
		uint64_t size = iov.iov_len < left ? iov.iov_len : left;

		add(pieces, (rfs_addr)(uintptr_t)iov.iov_base, size);
		left -= size;
	}
}

/* A buffer whose length stands in memory. */
static void add_counted(struct rfs_run *run, struct pieces *pieces, rfs_addr address, rfs_addr length)
{
	socklen_t size = 0;

	if (!length || !rfs_peek(run, length, &size, sizeof(size)))
		return;
	add(pieces, length, sizeof(size));
	add(pieces, address, size < sizeof(struct sockaddr_storage) ? size : sizeof(struct sockaddr_storage));
}

static bool brings_descriptors(struct rfs_run *run, const struct msghdr *message)
{
	size_t n = message->msg_controllen < CONTROL_MAX ? message->msg_controllen : CONTROL_MAX;
	struct msghdr copy = {.msg_controllen = n};
	struct cmsghdr *part;
	bool found = false;

	if (n < sizeof(*part))
		return false;
	copy.msg_control = xcalloc(n, 1);
	if (rfs_peek(run, (rfs_addr)(uintptr_t)message->msg_control, copy.msg_control, n))
		for (part = CMSG_FIRSTHDR(&copy); part && !found; part = CMSG_NXTHDR(&copy, part))
			found = part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS;
	free(copy.msg_control);
	return found;
}

static void refuse(struct rfs_run *run, const char *what)
{
	rfs_run_uncontrolled(run, "cannot record %s; remove --drive and --clock=real to run without recording", what);
}

static void add_message(struct rfs_run *run, struct pieces *pieces, rfs_addr at, uint64_t size)
{
	struct msghdr message;

	if (!rfs_peek(run, at, &message, sizeof(message)))
		return;
	if (brings_descriptors(run, &message))
		refuse(run, "recvmsg(2) of a descriptor (SCM_RIGHTS)");
	add(pieces, at, sizeof(message));
	add(pieces, (rfs_addr)(uintptr_t)message.msg_name, message.msg_namelen);
	add(pieces, (rfs_addr)(uintptr_t)message.msg_control, message.msg_controllen);
	add_vector(run, pieces, (rfs_addr)(uintptr_t)message.msg_iov, message.msg_iovlen, size);
}

static void add_messages(struct rfs_run *run, struct pieces *pieces, rfs_addr at, long n)
{
	struct mmsghdr message;

	for (long i = 0; i < n; i++, at += sizeof(message)) {
		if (!rfs_peek(run, at, &message, sizeof(message)))
			return;
		add(pieces, at, sizeof(message));
		add_message(run, pieces, at, message.msg_len);
	}
}

static void written(struct rfs_run *run, const struct rfs_thread *thread, long result, struct pieces *pieces)
{
	const unsigned long *args = thread->args;
	uint64_t got = result > 0 ? (uint64_t)result : 0, set = (args[0] + 63) / 64 * 8;

	switch (thread->number_nr) {
	case SYS_read:
		add(pieces, args[1], got);
		break;
	case SYS_readv:
		add_vector(run, pieces, args[1], args[2], got);
		break;
	case SYS_recvfrom:
		add(pieces, args[1], got);
		if (result >= 0)
			add_counted(run, pieces, args[4], args[5]);
		break;
	case SYS_recvmsg:
		if (result >= 0)
			add_message(run, pieces, args[1], got);
		break;
	case SYS_accept:
	case SYS_accept4:
	case SYS_getpeername:
	case SYS_getsockname:
		if (result >= 0)
			add_counted(run, pieces, args[1], args[2]);
		break;
	case SYS_getsockopt:
		if (result >= 0)
			add_counted(run, pieces, args[3], args[4]);
		break;
	case SYS_poll:
	case SYS_ppoll:
		if (result >= 0)
			add(pieces, args[0], args[1] * sizeof(struct pollfd));
		break;
	case SYS_select:
	case SYS_pselect6:
		for (int i = 1; i < 4 && result >= 0; i++)
			add(pieces, args[i], set);
		break;
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
		add(pieces, args[1], got * 12); /* struct epoll_event is packed */
		break;
	case SYS_recvmmsg:
		add_messages(run, pieces, args[1], result);
		break;
	case SYS_sendfile:
		/* how far it got stands there; without, in the file's own position */
		if (!args[2])
			refuse(run, "sendfile(2) to a socket without an offset");
		add(pieces, args[2], sizeof(off_t));
		break;
	case SYS_splice:
	case SYS_tee:
		refuse(run, "splice(2) or tee(2) on a socket");
		break;
	default:
		break;
	}
}

static void log_entry(struct rfs_run *run, enum rfs_input_kind kind, const struct rfs_thread *thread, int64_t value,
		      const struct pieces *pieces)
{
	struct rfs_input *input = run->input;
	const struct rfs_input_entry entry = {
		.choice = input->choices + 1,
		.kind = kind,
		.pieces = pieces ? pieces->n : 0,
		.thread = thread ? thread->number : -1,
		.number = thread ? (int32_t)thread->number_nr : 0,
		.value = value,
	};

	rfs_input_put(&input->to, &entry, sizeof(entry));
	for (uint32_t i = 0; i < entry.pieces; i++) {
		const struct rfs_input_piece *piece = &pieces->list[i];
		unsigned char *copy = xcalloc(piece->size, 1);

		/* what cannot be read any more is zero in the replay too */
		(void)rfs_peek(run, piece->address, copy, piece->size);
		rfs_input_put(&input->to, piece, sizeof(*piece));
		rfs_input_put(&input->to, copy, piece->size);
		free(copy);
	}
}

/* ---- calls ---- */

void rfs_input_consider(struct rfs_run *run, struct rfs_thread *thread, int fd)
{
	thread->from_outside = run->input && (fd < 0 || rfs_fd_is_outside(fd));
	thread->ready_now = thread->ready_known = false;
}

bool rfs_input_ready(struct rfs_run *run, struct rfs_thread *thread, bool now)
{
	struct rfs_input_entry entry;

	if (!thread->from_outside)
		return now;
	if (loose(run))
		thread->ready_now =
			next_of(run->input, thread->number, RFS_INPUT_CALL, RFS_INPUT_BACK, &entry) < run->input->n &&
			entry.number == thread->number_nr;
	else if (!strict(run))
		thread->ready_now = now;
	return thread->ready_now;
}

/* accept in a replay: a socket that nobody is at the other end of takes the descriptor's place. */
static void stand_in(struct rfs_run *run, struct rfs_thread *thread, long descriptor)
{
	struct user_regs_struct *regs = rfs_task_regs_mut(thread->task);
	int domain = AF_INET, type = SOCK_STREAM;
	socklen_t size = sizeof(int);

	if (thread->fd >= 0) {
		getsockopt(thread->fd, SOL_SOCKET, SO_DOMAIN, &domain, &size);
		getsockopt(thread->fd, SOL_SOCKET, SO_TYPE, &type, &size);
	}
	regs->orig_rax = regs->rax = SYS_socket;
	regs->orig_rax = SYS_socket;
	regs->rdi = (unsigned long)domain;
	regs->rsi = (unsigned long)type | (thread->number_nr == SYS_accept4 ? thread->args[3] : 0);
	regs->rdx = 0;
	thread->stands_in = descriptor;
	rfs_blocking_drop(thread);
	rfs_let_run(run, thread, RFS_RESUME_SYSCALL, 0);
}

bool rfs_input_answer(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_input *input = run->input;
	struct rfs_input_entry entry = {.thread = -1};
	size_t i;

	if (!thread->from_outside || !rfs_input_replays(run))
		return false;
	i = loose(run) ? next_of(input, thread->number, RFS_INPUT_CALL, RFS_INPUT_BACK, &entry) : input->at;
	if (i < input->n)
		entry_at(input, i, &entry);
	if (i == input->n || entry.kind != RFS_INPUT_CALL || entry.thread != thread->number ||
	    entry.number != thread->number_nr || !take(run, i)) {
		differs(run, "a call", thread);
		return true;
	}
	thread->from_outside = false;
	if ((thread->number_nr == SYS_accept || thread->number_nr == SYS_accept4) && entry.value >= 0) {
		stand_in(run, thread, entry.value);
		return true;
	}
	rfs_blocking_drop(thread);
	rfs_blocking_restore(thread);
	if (thread->retry && entry.value == 0 && thread->number_nr != SYS_select && thread->number_nr != SYS_pselect6)
		rfs_task_restart_syscall(thread->task); /* a poll that came back empty is made again */
	else
		rfs_task_answer_syscall(thread->task, entry.value);
	rfs_proceed(run, thread);
	return true;
}

bool rfs_input_wait(struct rfs_run *run, struct rfs_thread *thread)
{
	if (!thread->from_outside || !rfs_input_replays(run))
		return false;
	rfs_blocking_drop(thread);
	thread->state = RFS_STATE_KERNEL;
	thread->deadline = RFS_NEVER;
	thread->held_back = true;
	if (run->running == thread)
		run->running = NULL;
	return true;
}

void rfs_input_returned(struct rfs_run *run, struct rfs_thread *thread, bool back)
{
	struct user_regs_struct *regs = rfs_task_regs_mut(thread->task);
	struct pieces pieces = {0};

	if (thread->stands_in >= 0) {
		if ((long)regs->rax != thread->stands_in)
			differs(run, "the descriptor", thread);
		regs->rdi = thread->args[0];
		regs->rsi = thread->args[1];
		regs->rdx = thread->args[2];
		thread->stands_in = -1;
		return;
	}
	if (!thread->from_outside || !run->input || rfs_input_replays(run))
		return;
	thread->from_outside = false;
	written(run, thread, (long)regs->rax, &pieces);
	log_entry(run, back ? RFS_INPUT_BACK : RFS_INPUT_CALL, thread, (int64_t)regs->rax, &pieces);
	free(pieces.list);
}

bool rfs_input_query(struct rfs_run *run, struct rfs_thread *thread)
{
	if (!run->input)
		return false;
	rfs_input_consider(run, thread, -1);
	if (!rfs_input_answer(run, thread))
		rfs_let_run(run, thread, RFS_RESUME_SYSCALL, 0);
	return true;
}

bool rfs_input_bind(struct rfs_run *run, struct rfs_thread *thread)
{
	int fd = run->input ? rfs_fd_duplicate(run, (int)thread->args[0]) : -1;
	bool inet = fd >= 0 && rfs_loopback_carries(fd);

	if (fd >= 0)
		close(fd);
	return inet && rfs_input_query(run, thread);
}

/* ---- time ---- */

static void come_back(struct rfs_run *run, struct rfs_thread *thread, long result)
{
	thread->held_back = false;
	rfs_task_answer_syscall(thread->task, result);
	rfs_park(run, thread, rfs_op_make(RFS_OP_SYSCALL, thread->next.site, 0), rfs_ready_always, rfs_go_proceed);
}

static void send_signal(struct rfs_run *run, int signo)
{
	kill(rfs_tracer_pid(run->tracer), signo);
	run->signals = true;
	run->result->told_to_end = run->result->told_to_end || signo == SIGTERM;
}

static void take_place(struct rfs_run *run, const struct rfs_input_entry *entry)
{
	size_t i = run->input->at;
	struct rfs_thread *thread = NULL;

	if (entry->thread >= 0 && (size_t)entry->thread < run->n_threads)
		thread = run->threads[entry->thread];
	if (entry->kind == RFS_INPUT_SIGNAL && entry->value > 0 && entry->value <= 64 && take(run, i)) {
		send_signal(run, (int)entry->value);
	} else if (entry->kind == RFS_INPUT_HORIZON && take(run, i)) {
		run->horizon = (uint64_t)entry->value;
	} else if (entry->kind == RFS_INPUT_TIME && take(run, i)) {
		rfs_advance(run, (uint64_t)entry->value);
	} else if (entry->kind == RFS_INPUT_READY && thread && take(run, i)) {
		thread->ready_now = entry->value;
	} else if (entry->kind == RFS_INPUT_BACK && thread && thread->held_back && take(run, i)) {
		come_back(run, thread, entry->value);
	} else {
		differs(run, "an event before a choice", thread);
	}
}

/* Whoever waits in the kernel for a recorded return has it at once. */
static void return_loosely(struct rfs_run *run)
{
	struct rfs_input_entry entry;

	for (size_t i = 0; i < run->n_threads && !run->ended; i++) {
		struct rfs_thread *thread = run->threads[i];
		size_t at;

		if (!thread->held_back)
			continue;
		at = next_of(run->input, thread->number, RFS_INPUT_CALL, RFS_INPUT_BACK, &entry);
		if (at == run->input->n)
			continue;
		if (entry.kind == RFS_INPUT_BACK && entry.number == thread->number_nr && take(run, at))
			come_back(run, thread, entry.value);
		else
			differs(run, "a call", thread);
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
	while (!run->ended && next(run->input, &entry) && entry.kind != RFS_INPUT_CALL &&
	       entry.kind != RFS_INPUT_CLOCK && entry.choice <= run->input->choices + 1) {
		signals |= entry.kind == RFS_INPUT_SIGNAL;
		take_place(run, &entry);
	}
	return signals;
}

/*
 * A signal comes when nothing else from outside is left for anybody, or nothing else is to come at all: true where one
 * was sent.
 */
static bool signal_loosely(struct rfs_run *run, uint64_t due)
{
	struct rfs_input *input = run->input;
	struct rfs_input_entry entry;
	size_t i;

	for (i = 0; i < input->n && due != RFS_NEVER; i++) {
		entry_at(input, i, &entry);
		if (!input->taken[i] && (entry.kind == RFS_INPUT_CALL || entry.kind == RFS_INPUT_BACK))
			return false;
	}
	i = next_of(input, -1, RFS_INPUT_SIGNAL, RFS_INPUT_SIGNAL, &entry);
	if (i == input->n || entry.value <= 0 || entry.value > 64 || !take(run, i))
		return false;
	send_signal(run, (int)entry.value);
	return true;
}

bool rfs_input_idle(struct rfs_run *run, bool horizon, uint64_t due)
{
	if (loose(run) && signal_loosely(run, due))
		return true;
	if (notes(run) && due != RFS_NEVER)
		log_entry(run, horizon ? RFS_INPUT_HORIZON : RFS_INPUT_TIME, NULL, (int64_t)due, NULL);
	if (!rfs_input_replays(run) || due != RFS_NEVER)
		return false;
	differs(run, "no thread can continue, and no event is recorded", NULL);
	return true;
}

bool rfs_input_clock(struct rfs_run *run, const struct rfs_thread *thread, uint64_t *now)
{
	const int number = thread ? thread->number : -1;
	struct rfs_input *input = run->input;
	struct rfs_input_entry entry;
	size_t i;

	if (!rfs_input_replays(run)) {
		if (notes(run))
			log_entry(run, RFS_INPUT_CLOCK, thread, (int64_t)*now, NULL);
		return false;
	}
	if (loose(run)) {
		/* time never goes back, whoever looked first; a look more than there were sees the last again */
		i = next_of(input, number, RFS_INPUT_CLOCK, RFS_INPUT_CLOCK, &entry);
		if (i < input->n) {
			input->taken[i] = true;
			*now = (uint64_t)entry.value > run->now ? (uint64_t)entry.value : run->now;
		} else {
			*now = run->now;
		}
		if (notes(run))
			log_entry(run, RFS_INPUT_CLOCK, thread, (int64_t)*now, NULL);
		return true;
	}
	*now = run->now;
	if (!next(input, &entry) || entry.kind != RFS_INPUT_CLOCK || entry.thread != number || !take(run, input->at))
		differs(run, "a clock read", thread);
	else
		*now = (uint64_t)entry.value;
	return true;
}

void rfs_input_chosen(struct rfs_run *run)
{
	if (notes(run))
		for (size_t i = 0; i < run->n_threads; i++) {
			struct rfs_thread *thread = run->threads[i];

			if (thread->state != RFS_STATE_PARKED || !thread->from_outside ||
			    thread->ready_now == thread->ready_known)
				continue;
			thread->ready_known = thread->ready_now;
			log_entry(run, RFS_INPUT_READY, thread, thread->ready_now, NULL);
		}
	if (run->input)
		run->input->choices++;
}

void rfs_input_signal(struct rfs_run *run, int signo)
{
	if (notes(run))
		log_entry(run, RFS_INPUT_SIGNAL, NULL, signo, NULL);
	run->result->outside |= 1u << RFS_NONDET_PROCESSES;
	send_signal(run, signo);
}
