/* input_pieces.c - what a system call has written to the target's memory. */
#include "supervisor/kernel/input/input_pieces.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "disasm/addr.h"
#include "supervisor/base/alloc.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/record/input_file.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/target_memory.h"

/* At most this much ancillary data of a message is searched. Real messages have far less. */
#define CONTROL_MAX (64u << 10)

static void input_pieces_add(struct rfs_input_pieces *pieces, rfs_addr address, uint64_t size)
{
	if (!address || !size)
		return;
	pieces->list = xreallocarray(pieces->list, pieces->n + 1, sizeof(*pieces->list));
	pieces->list[pieces->n++] = (struct rfs_input_piece){address, size};
}

static void input_pieces_add_vector(struct rfs_run *run, struct rfs_input_pieces *pieces, rfs_addr vector, size_t n,
				    uint64_t left)
{
	struct iovec iov;

	for (size_t i = 0; i < n && left && rfs_peek(run, vector + i * sizeof(iov), &iov, sizeof(iov)); i++) {
		uint64_t size = iov.iov_len < left ? iov.iov_len : left;

		input_pieces_add(pieces, (rfs_addr)(uintptr_t)iov.iov_base, size);
		left -= size;
	}
}

/* Adds a buffer whose length is in the target's memory, and the length itself. */
static void add_counted(struct rfs_run *run, struct rfs_input_pieces *pieces, rfs_addr address, rfs_addr length)
{
	socklen_t size = 0;

	if (!length || !rfs_peek(run, length, &size, sizeof(size)))
		return;
	input_pieces_add(pieces, length, sizeof(size));
	input_pieces_add(pieces, address,
			 size < sizeof(struct sockaddr_storage) ? size : sizeof(struct sockaddr_storage));
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

static void input_pieces_refuse(struct rfs_run *run, const char *what)
{
	rfs_run_uncontrolled(run, "cannot record %s; remove --drive and --clock=real to run without recording", what);
}

static void add_message(struct rfs_run *run, struct rfs_input_pieces *pieces, rfs_addr at, uint64_t size)
{
	struct msghdr message;

	if (!rfs_peek(run, at, &message, sizeof(message)))
		return;
	if (brings_descriptors(run, &message))
		input_pieces_refuse(run, "recvmsg(2) of a descriptor (SCM_RIGHTS)");
	input_pieces_add(pieces, at, sizeof(message));
	input_pieces_add(pieces, (rfs_addr)(uintptr_t)message.msg_name, message.msg_namelen);
	input_pieces_add(pieces, (rfs_addr)(uintptr_t)message.msg_control, message.msg_controllen);
	input_pieces_add_vector(run, pieces, (rfs_addr)(uintptr_t)message.msg_iov, message.msg_iovlen, size);
}

static void add_messages(struct rfs_run *run, struct rfs_input_pieces *pieces, rfs_addr at, long n)
{
	struct mmsghdr message;

	for (long i = 0; i < n; i++, at += sizeof(message)) {
		if (!rfs_peek(run, at, &message, sizeof(message)))
			return;
		input_pieces_add(pieces, at, sizeof(message));
		add_message(run, pieces, at, message.msg_len);
	}
}

static void add_data(struct rfs_run *run, const struct rfs_thread *thread, long result, struct rfs_input_pieces *pieces)
{
	const unsigned long *args = thread->args;
	uint64_t got = result > 0 ? (uint64_t)result : 0;

	switch (thread->call->row->data) {
	case RFS_DATA_BYTES:
		input_pieces_add(pieces, args[1], got);
		break;
	case RFS_DATA_VECTOR:
		input_pieces_add_vector(run, pieces, args[1], args[2], got);
		break;
	case RFS_DATA_MESSAGE:
		if (result >= 0)
			add_message(run, pieces, args[1], got);
		break;
	case RFS_DATA_MESSAGES:
		add_messages(run, pieces, args[1], result);
		break;
	case RFS_DATA_NONE:
		break;
	}
}

static void add_moved(struct rfs_run *run, const struct rfs_thread *thread, struct rfs_input_pieces *pieces)
{
	switch (thread->syscall) {
	case SYS_sendfile:
		/*
		 * If the target passes a pointer to an offset, the kernel stores the new offset there. Otherwise the
		 * kernel changes the file's offset, which is not recorded.
		 */
		if (!thread->args[2])
			input_pieces_refuse(run, "sendfile(2) to a socket, with a NULL offset");
		input_pieces_add(pieces, thread->args[2], sizeof(off_t));
		break;
	case SYS_splice:
	case SYS_tee:
		input_pieces_refuse(run, "splice(2) or tee(2) on a socket");
		break;
	default:
		break;
	}
}

void rfs_input_collect(struct rfs_run *run, const struct rfs_thread *thread, long result,
		       struct rfs_input_pieces *pieces)
{
	const struct rfs_syscall *row = thread->call->row;
	const unsigned long *args = thread->args;
	uint64_t set = (args[0] + 63) / 64 * 8;

	switch (row->waits) {
	case RFS_WAITS_READ:
		add_data(run, thread, result, pieces);
		break;
	case RFS_WAITS_MOVE:
		add_moved(run, thread, pieces);
		break;
	case RFS_WAITS_POLL:
		if (result >= 0)
			input_pieces_add(pieces, args[0], args[1] * sizeof(struct pollfd));
		break;
	case RFS_WAITS_SELECT:
		for (int i = 1; i < 4 && result >= 0; i++)
			input_pieces_add(pieces, args[i], set);
		break;
	case RFS_WAITS_EPOLL:
		if (result > 0)
			input_pieces_add(pieces, args[1], (uint64_t)result * 12); /* struct epoll_event is packed */
		break;
	default:
		break;
	}
	if (row->counted && result >= 0)
		add_counted(run, pieces, args[row->counted], args[row->counted + 1]);
}
