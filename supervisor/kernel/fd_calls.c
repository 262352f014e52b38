/* fd_calls.c - finds the descriptors in the arguments of a call, and sends them to the detector or the policy. */
#include "supervisor/kernel/fd_calls.h"

#include <inttypes.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/select.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "policy/core/op.h"
#include "policy/detect/fd_lifetimes.h"
#include "policy/policy.h"
#include "supervisor/kernel/call_place.h"
#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stream.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/order_places.h"
#include "tracer/tracer.h"

/* Of a longer array, the first ones. */
#define POLLED_MOST 1024

/* Called for each descriptor that a call uses, and for the range that it closes. */
typedef void descriptor_visit(void *arg, uint64_t first, uint64_t n, bool closes);

bool rfs_fd_calls_followed(const struct rfs_run_spec *spec)
{
	return (spec->detector && spec->predicts_violations) || (spec->plan.order && spec->plan.order->descriptors);
}

static void visit_pollfds(struct rfs_run *run, const unsigned long *args, descriptor_visit *visit, void *arg)
{
	struct pollfd polled;

	for (size_t i = 0; i < args[1] && i < POLLED_MOST; i++) {
		if (!rfs_peek(run, args[0] + i * sizeof(polled), &polled, sizeof(polled)))
			return;
		if (polled.fd >= 0)
			visit(arg, (uint64_t)polled.fd, 1, false);
	}
}

static void visit_sets(struct rfs_run *run, const unsigned long *args, descriptor_visit *visit, void *arg)
{
	const int n = (int)args[0] < FD_SETSIZE ? (int)args[0] : FD_SETSIZE;
	fd_set sets[3];

	if (n <= 0)
		return;
	FD_ZERO(&sets[0]);
	sets[1] = sets[2] = sets[0];
	for (int i = 0; i < 3; i++)
		if (args[i + 1] && !rfs_peek(run, args[i + 1], &sets[i], ((size_t)n + 63) / 64 * 8))
			return;
	for (int fd = 0; fd < n; fd++)
		if (FD_ISSET(fd, &sets[0]) || FD_ISSET(fd, &sets[1]) || FD_ISSET(fd, &sets[2]))
			visit(arg, (uint64_t)fd, 1, false);
}

/* dup2() of a descriptor to itself closes nothing. It says whether the descriptor is open. */
static bool is_copied_to_itself(const struct rfs_syscall *row, const unsigned long *args)
{
	return (row->fds & RFS_FD_ARG0) && (row->fds & RFS_FD_CLOSES1) && (int)args[0] == (int)args[1];
}

static void visit_call(struct rfs_run *run, const struct rfs_syscall *row, const unsigned long *args,
		       descriptor_visit *visit, void *arg)
{
	for (unsigned i = 0; i < 3; i++)
		if ((row->fds & (RFS_FD_ARG0 << i)) && (int)args[i] >= 0)
			visit(arg, (unsigned)args[i], 1, false);
	if (row->waits == RFS_WAITS_POLL)
		visit_pollfds(run, args, visit, arg);
	if (row->waits == RFS_WAITS_SELECT)
		visit_sets(run, args, visit, arg);
	for (unsigned i = 0; i < 2; i++)
		if ((row->fds & (RFS_FD_CLOSES0 << i)) && (int)args[i] >= 0 && !is_copied_to_itself(row, args))
			visit(arg, (unsigned)args[i], 1, true);
	/* with flags, the call closes nothing now, or in a table that is not shared (close_range(2)) */
	if ((row->fds & RFS_FD_CLOSES_RANGE) && (unsigned)args[0] <= (unsigned)args[1] && !(unsigned)args[2])
		visit(arg, (unsigned)args[0], (uint64_t)(unsigned)args[1] - (unsigned)args[0] + 1, true);
}

static bool has_descriptors(const struct rfs_syscall *row)
{
	return row->fds || row->waits == RFS_WAITS_POLL || row->waits == RFS_WAITS_SELECT;
}

/* ---- a run that predicts ---- */

struct noting {
	struct rfs_run *run;
	const struct rfs_thread *thread;
	const struct rfs_syscall *row;
	struct rfs_call_place *place;
};

static bool fd_is_open(const struct rfs_thread *thread, uint64_t fd)
{
	char path[64], to[1];

	snprintf(path, sizeof(path), "/proc/%d/fd/%" PRIu64, rfs_task_tid(thread->task), fd);
	return readlink(path, to, sizeof(to)) >= 0;
}

static void fd_calls_note(void *arg, uint64_t first, uint64_t n, bool closes)
{
	struct noting *noting = arg;
	const rfs_addr address = rfs_call_place(noting->run, noting->thread, noting->place);

	rfs_stream_descriptor(noting->run->stream, &(struct rfs_fd_call){
							   .thread = noting->thread->number,
							   .closes = closes,
							   .is_late = closes && noting->row->fds == RFS_FD_CLOSES0 &&
								      !fd_is_open(noting->thread, first),
							   .site = address ? rfs_site_of(noting->run, address) : 0,
							   .first = first,
							   .n = n,
						   });
}

void rfs_fd_calls_note(struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_syscall *row,
		       const unsigned long *args, struct rfs_call_place *place)
{
	struct noting noting = {run, thread, row, place};

	/* what a thread does before it creates another one comes first */
	if (run->atomicity && run->n_threads > 1 && has_descriptors(row))
		visit_call(run, row, args, fd_calls_note, &noting);
}

/* ---- a run with a violation under test ---- */

/* The descriptors of a call: the lowest number, and how many numbers there are up to the highest. */
struct testing {
	bool closes; /* dup2() uses one descriptor and closes another: then this is what it closes */
	uint64_t first, n;
};

static void fd_calls_test(void *arg, uint64_t first, uint64_t n, bool closes)
{
	struct testing *testing = arg;
	uint64_t end = testing->first + testing->n;

	if (closes || testing->n == 0)
		*testing = (struct testing){closes, first, n};
	end = end > first + n ? end : first + n;
	testing->first = first < testing->first ? first : testing->first;
	testing->n = closes ? n : end - testing->first;
}

bool rfs_fd_calls_tested(struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_syscall *row,
			 const unsigned long *args, struct rfs_call_place *place, struct rfs_op *op)
{
	struct testing testing = {0};
	rfs_addr address;
	unsigned statements;

	if (!run->spec->plan.order || !run->spec->plan.order->descriptors || !has_descriptors(row))
		return false;
	visit_call(run, row, args, fd_calls_test, &testing);
	address = testing.n ? rfs_call_place(run, thread, place) : 0;
	/* a close may be the late use itself */
	statements = address ? rfs_order_at(run, address) & (testing.closes ? 3 | RFS_AT_HELD : 1 | RFS_AT_HELD) : 0;
	if (testing.closes && (statements & 1)) {
		run->kernel->late_close = testing.first + 1;
		statements |= RFS_AT_ADDRESS;
	} else if (!(statements & 3)) {
		/* the late close may close another file, which got the number, before this use of that file */
		statements = run->kernel->late_close - 1 - testing.first < testing.n ? RFS_AT_ADDRESS : 0;
	}
	if (!statements)
		return false;
	op->statements = statements;
	op->object = testing.first;
	op->size = testing.n > 1 ? testing.n : 0;
	return true;
}
