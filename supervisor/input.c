/* The file: magic, entries, and a hash of all before it. Integers as this machine has them. */
#include "supervisor/input.h"

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

#include "supervisor/alloc.h"
#include "supervisor/error.h"
#include "supervisor/input_fd.h"
#include "supervisor/output.h"
#include "supervisor/run-priv.h"

#define MAGIC "rfsinp01"
#define MAGIC_SIZE (sizeof(MAGIC) - 1)
/* More than this from outside is not kept: the record says so. */
#define INPUT_MAX (256ul << 20)
#define PIECES_MAX 64

enum entry_kind {
	ENTRY_CALL,    /* value: result */
	ENTRY_BACK,    /* the same, of a call that had been waiting in the kernel */
	ENTRY_READY,   /* value: whether the thread's call would not wait */
	ENTRY_SIGNAL,  /* value: its number */
	ENTRY_HORIZON, /* value: of the run, as nobody could go on */
	ENTRY_TIME,    /* value: virtual time, for the same reason */
};

struct entry {
	uint64_t choice; /* that it comes before, from 1 */
	uint32_t kind, pieces;
	int32_t thread, number; /* number: of the system call */
	int64_t value;
};

/* Memory of the target's that the call wrote; the bytes follow. */
struct piece {
	rfs_addr address;
	uint64_t size;
};

struct rfs_input {
	bool replays;
	char *path;
	unsigned char *bytes;
	size_t n, size, at; /* at: replayed up to here */
	uint64_t choices;   /* made so far */
};

bool rfs_input_replays(const struct rfs_run *run)
{
	return run->input && run->input->replays;
}

static bool records(const struct rfs_run *run)
{
	return run->input && !run->input->replays;
}

/* ---- the file ---- */

static void put(struct rfs_input *input, const void *data, size_t n)
{
	if (input->n > INPUT_MAX)
		return;
	if (input->n + n > input->size) {
		input->size = 2 * (input->n + n) + 4096;
		input->bytes = xrealloc(input->bytes, input->size);
	}
	memcpy(input->bytes + input->n, data, n);
	input->n += n;
}

/* Every piece lies within the file. */
static bool whole(const struct rfs_input *input)
{
	size_t at = input->at;

	while (at < input->n) {
		struct entry entry;

		if (input->n - at < sizeof(entry))
			return false;
		memcpy(&entry, input->bytes + at, sizeof(entry));
		at += sizeof(entry);
		for (uint32_t i = 0; i < entry.pieces; i++) {
			struct piece piece;

			if (input->n - at < sizeof(piece))
				return false;
			memcpy(&piece, input->bytes + at, sizeof(piece));
			at += sizeof(piece);
			if (piece.size > input->n - at)
				return false;
			at += piece.size;
		}
	}
	return true;
}

static int load(struct rfs_input *input, char *why, size_t n)
{
	FILE *file = fopen(input->path, "rbe");
	uint64_t hash;
	long size;

	if (!file)
		return rfs_why(why, n, -errno, "cannot read the recorded input in %s: %s", input->path,
			       strerror(errno));
	if (fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0 || (size_t)size > 2 * INPUT_MAX) {
		fclose(file);
		return rfs_why(why, n, -EINVAL, "%s: not a file", input->path);
	}
	rewind(file);
	input->bytes = xmalloc((size_t)size + 1);
	input->n = fread(input->bytes, 1, (size_t)size, file);
	fclose(file);
	if (input->n < MAGIC_SIZE + sizeof(hash) || memcmp(input->bytes, MAGIC, MAGIC_SIZE) != 0)
		return rfs_why(why, n, -EBADMSG, "%s: damaged, or no input of this version of rfsup", input->path);
	input->n -= sizeof(hash);
	memcpy(&hash, input->bytes + input->n, sizeof(hash));
	if (hash != XXH3_64bits(input->bytes, input->n))
		return rfs_why(why, n, -EBADMSG, "%s: damaged: its checksum is wrong", input->path);
	input->at = MAGIC_SIZE;
	if (!whole(input))
		return rfs_why(why, n, -EBADMSG, "%s: damaged: an entry is cut short", input->path);
	return 0;
}

int rfs_input_open(struct rfs_run *run, char *why, size_t n)
{
	const struct rfs_run_spec *spec = run->spec;
	const char *path = spec->input_in ? spec->input_in : spec->input_out;

	if (!path)
		return 0;
	run->input = xcalloc(1, sizeof(*run->input));
	run->input->path = xstrdup(path);
	run->input->replays = spec->input_in != NULL;
	if (run->input->replays)
		return load(run->input, why, n);
	put(run->input, MAGIC, MAGIC_SIZE);
	return 0;
}

void rfs_input_close(struct rfs_run *run)
{
	const unsigned recorded = 1u << RFS_OUTSIDE_NETWORK | 1u << RFS_OUTSIDE_TERMINAL | 1u << RFS_OUTSIDE_PROCESSES;
	struct rfs_input *input = run->input;
	uint64_t hash;
	int error;

	if (!input)
		return;
	if (!input->replays && (run->result->outside & recorded) && input->n <= INPUT_MAX) {
		hash = XXH3_64bits(input->bytes, input->n);
		put(input, &hash, sizeof(hash));
		error = rfs_file_replace(input->path, input->bytes, input->n, false);
		if (error)
			rfs_warn("the recorded input %s is lost: %s", input->path, strerror(-error));
	}
	free(input->bytes);
	free(input->path);
	free(input);
	run->input = NULL;
}

/* The next entry, if there is one; its pieces follow at input->at + sizeof. */
static bool next(const struct rfs_input *input, struct entry *out)
{
	if (input->n - input->at < sizeof(*out))
		return false;
	memcpy(out, input->bytes + input->at, sizeof(*out));
	return true;
}

static void differs(struct rfs_run *run, const char *what, const struct rfs_thread *thread)
{
	if (run->ended)
		return;
	run->result->message =
		xasprintf("the recorded input does not fit: %s of thread %d", what, thread ? thread->number : 0);
	rfs_run_end(run, RFS_END_DIVERGED, 0);
}

/* Takes an entry, writing its pieces into the target. False: the memory is not there. */
static bool take(struct rfs_run *run, const struct entry *entry)
{
	struct rfs_input *input = run->input;
	struct piece piece;

	input->at += sizeof(*entry);
	for (uint32_t i = 0; i < entry->pieces; i++) {
		memcpy(&piece, input->bytes + input->at, sizeof(piece));
		input->at += sizeof(piece);
		if (piece.size && !rfs_poke(run, piece.address, input->bytes + input->at, piece.size))
			return false;
		input->at += piece.size;
	}
	return true;
}

/* ---- what a call wrote ---- */

struct pieces {
	struct piece list[PIECES_MAX];
	uint32_t n;
};

static void add(struct pieces *pieces, rfs_addr address, uint64_t size)
{
	if (address && size && pieces->n < PIECES_MAX)
		pieces->list[pieces->n++] = (struct piece){address, size};
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

static void add_message(struct rfs_run *run, struct pieces *pieces, rfs_addr at, uint64_t size)
{
	struct msghdr message;

	if (!rfs_peek(run, at, &message, sizeof(message)))
		return;
	if (message.msg_controllen)
		rfs_run_warn(run,
			     "ancillary data of recvmsg(2) is recorded as bytes: descriptors that came so are not");
	add(pieces, at, sizeof(message));
	add(pieces, (rfs_addr)(uintptr_t)message.msg_name, message.msg_namelen);
	add(pieces, (rfs_addr)(uintptr_t)message.msg_control, message.msg_controllen);
	add_vector(run, pieces, (rfs_addr)(uintptr_t)message.msg_iov, message.msg_iovlen, size);
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
		rfs_run_warn(run, "recvmmsg(2) on a socket cannot be recorded: a replay goes another way there");
		break;
	case SYS_splice:
	case SYS_tee:
	case SYS_sendfile:
		if (thread->number_nr != SYS_sendfile)
			rfs_run_warn(run, "splice(2) on a socket cannot be recorded: a replay goes another way there");
		break;
	default:
		break;
	}
}

static void log_entry(struct rfs_run *run, enum entry_kind kind, const struct rfs_thread *thread, int64_t value,
		      const struct pieces *pieces)
{
	struct rfs_input *input = run->input;
	const struct entry entry = {
		.choice = input->choices + 1,
		.kind = kind,
		.pieces = pieces ? pieces->n : 0,
		.thread = thread ? thread->number : -1,
		.number = thread ? (int32_t)thread->number_nr : 0,
		.value = value,
	};

	put(input, &entry, sizeof(entry));
	for (uint32_t i = 0; i < entry.pieces; i++) {
		const struct piece *piece = &pieces->list[i];
		unsigned char *copy = xcalloc(piece->size, 1);

		/* what cannot be read any more is zero in the replay too */
		(void)rfs_peek(run, piece->address, copy, piece->size);
		put(input, piece, sizeof(*piece));
		put(input, copy, piece->size);
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
	if (!thread->from_outside)
		return now;
	if (!rfs_input_replays(run))
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
	struct entry entry;

	if (!thread->from_outside || !rfs_input_replays(run))
		return false;
	if (!next(run->input, &entry) || entry.kind != ENTRY_CALL || entry.thread != thread->number ||
	    entry.number != thread->number_nr || !take(run, &entry)) {
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
	struct pieces pieces = {.n = 0};

	if (thread->stands_in >= 0) {
		if ((long)regs->rax != thread->stands_in)
			differs(run, "the descriptor", thread);
		regs->rdi = thread->args[0];
		regs->rsi = thread->args[1];
		regs->rdx = thread->args[2];
		thread->stands_in = -1;
		return;
	}
	if (!thread->from_outside || !records(run))
		return;
	thread->from_outside = false;
	written(run, thread, (long)regs->rax, &pieces);
	log_entry(run, back ? ENTRY_BACK : ENTRY_CALL, thread, (int64_t)regs->rax, &pieces);
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

/* ---- time ---- */

static void come_back(struct rfs_run *run, struct rfs_thread *thread, long result)
{
	thread->held_back = false;
	rfs_task_answer_syscall(thread->task, result);
	rfs_park(run, thread, rfs_op_make(RFS_OP_SYSCALL, thread->next.site, 0), rfs_ready_always, rfs_go_proceed);
}

static void take_place(struct rfs_run *run, const struct entry *entry)
{
	struct rfs_thread *thread = NULL;

	if (entry->thread >= 0 && (size_t)entry->thread < run->n_threads)
		thread = run->threads[entry->thread];
	if (entry->kind == ENTRY_SIGNAL && entry->value > 0 && entry->value <= 64 && take(run, entry)) {
		kill(rfs_tracer_pid(run->tracer), (int)entry->value);
		run->signals = true;
	} else if (entry->kind == ENTRY_HORIZON && take(run, entry)) {
		run->horizon = (uint64_t)entry->value;
	} else if (entry->kind == ENTRY_TIME && take(run, entry)) {
		rfs_advance(run, (uint64_t)entry->value);
	} else if (entry->kind == ENTRY_READY && thread && take(run, entry)) {
		thread->ready_now = entry->value;
	} else if (entry->kind == ENTRY_BACK && thread && thread->held_back && take(run, entry)) {
		come_back(run, thread, entry->value);
	} else {
		differs(run, "what comes before a choice", thread);
	}
}

bool rfs_input_due(struct rfs_run *run)
{
	struct entry entry;
	bool signals = false;

	if (!rfs_input_replays(run))
		return false;
	while (!run->ended && next(run->input, &entry) && entry.kind != ENTRY_CALL &&
	       entry.choice <= run->input->choices + 1) {
		signals |= entry.kind == ENTRY_SIGNAL;
		take_place(run, &entry);
	}
	return signals;
}

bool rfs_input_idle(struct rfs_run *run, bool horizon, uint64_t due)
{
	if (records(run))
		log_entry(run, horizon ? ENTRY_HORIZON : ENTRY_TIME, NULL, (int64_t)due, NULL);
	if (!rfs_input_replays(run) || due != RFS_NEVER)
		return false;
	differs(run, "nobody can go on, but the call", NULL);
	return true;
}

void rfs_input_chosen(struct rfs_run *run)
{
	if (records(run))
		for (size_t i = 0; i < run->n_threads; i++) {
			struct rfs_thread *thread = run->threads[i];

			if (thread->state != RFS_STATE_PARKED || !thread->from_outside ||
			    thread->ready_now == thread->ready_known)
				continue;
			thread->ready_known = thread->ready_now;
			log_entry(run, ENTRY_READY, thread, thread->ready_now, NULL);
		}
	if (run->input)
		run->input->choices++;
}

void rfs_input_signal(struct rfs_run *run, int signo)
{
	if (records(run))
		log_entry(run, ENTRY_SIGNAL, NULL, signo, NULL);
	kill(rfs_tracer_pid(run->tracer), signo);
	run->signals = true;
}
