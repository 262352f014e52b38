/* family.c - which memory the processes of a run share. */
#include "supervisor/state/core/family.h"

#include <inttypes.h>
#include <stdlib.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/memory_name.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "tracer/stub_buffer.h"
#include "tracer/tracer.h"

struct shared {
	rfs_addr start, end;
};

struct member {
	struct shared *shared; /* what was mapped as shared memory when the process was forked */
	size_t n;
	bool threaded, openmp;
};

struct rfs_family {
	struct member *members; /* of process 1, 2, ... */
	unsigned n;
};

void rfs_family_open(struct rfs_run *run)
{
	if (!run->family)
		run->family = xcalloc(1, sizeof(*run->family));
}

void rfs_family_release(struct rfs_run *run)
{
	struct rfs_family *family = run->family;

	for (unsigned i = 0; family && i < family->n; i++)
		free(family->members[i].shared);
	if (family)
		free(family->members);
	free(family);
	run->family = NULL;
}

bool rfs_family_any(const struct rfs_run *run)
{
	return run->family != NULL;
}

static void add_shared(struct member *member, rfs_addr start, rfs_addr end)
{
	member->shared = xreallocarray(member->shared, member->n + 1, sizeof(*member->shared));
	member->shared[member->n++] = (struct shared){start, end};
}

unsigned rfs_family_add(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_space *space, FILE *maps)
{
	struct rfs_family *family = run->family;
	struct member member = {0};
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, maps) > 0) {
		rfs_addr start, end;
		char access[5];

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &start, &end, access) == 3 && access[3] == 's' &&
		    !rfs_stub_buffer_hold(space, start))
			add_shared(&member, start, end);
	}
	free(line);
	family->members = xreallocarray(family->members, family->n + 1, sizeof(*family->members));
	family->members[family->n++] = member;
	thread->process = family->n;
	return family->n;
}

static bool member_shares(const struct member *member, rfs_addr address)
{
	for (size_t i = 0; i < member->n; i++)
		if (address - member->shared[i].start < member->shared[i].end - member->shared[i].start)
			return true;
	return false;
}

/* Of the thread's process. NULL: it is a thread of the program. */
static struct member *member_of(const struct rfs_run *run, const struct rfs_thread *thread)
{
	return thread->process ? &run->family->members[thread->process - 1] : NULL;
}

static void warn_of_openmp(struct rfs_run *run, const struct member *member)
{
	if (member->threaded && member->openmp)
		rfs_run_warn(run, "a process that the program forks uses OpenMP; races in it are not predicted");
}

void rfs_family_threaded(struct rfs_run *run, const struct rfs_thread *thread)
{
	struct member *member = member_of(run, thread);

	if (!member || member->threaded)
		return;
	member->threaded = true;
	warn_of_openmp(run, member);
}

void rfs_family_uses_openmp(struct rfs_run *run, const struct rfs_thread *thread)
{
	struct member *member = member_of(run, thread);

	if (!member || member->openmp)
		return;
	member->openmp = true;
	warn_of_openmp(run, member);
}

bool rfs_family_counts(const struct rfs_run *run, const struct rfs_thread *thread, rfs_addr address)
{
	const struct member *member = member_of(run, thread);

	if (member && member->threaded)
		return !member->openmp;
	return !member || member_shares(member, address);
}

unsigned rfs_family_processes(const struct rfs_run *run)
{
	return run->family ? run->family->n : 0;
}

rfs_addr rfs_family_name(const struct rfs_run *run, const struct rfs_thread *thread, rfs_addr address)
{
	const struct member *member = member_of(run, thread);

	if (!member || !rfs_memory_is_user(address) || member_shares(member, address))
		return address;
	return rfs_memory_name(thread->process, address);
}

struct rfs_space *rfs_family_space(const struct rfs_run *run, unsigned process)
{
	/* the memory of a thread that ends is there until it is gone */
	if (run->turn && run->turn->process == process && run->turn->task)
		return rfs_task_space(run->turn->task);
	for (size_t i = 0; i < run->n_threads; i++)
		if (run->threads[i]->task && run->threads[i]->state != RFS_STATE_ENDED &&
		    run->threads[i]->process == process)
			return rfs_task_space(run->threads[i]->task);
	return NULL;
}

static void member_unmapped(struct member *member, rfs_addr start, rfs_addr end)
{
	for (size_t i = member->n; i-- > 0;) {
		struct shared *shared = &member->shared[i];
		const struct shared old = *shared;

		if (end <= old.start || start >= old.end)
			continue;
		*shared = member->shared[--member->n];
		if (old.start < start)
			add_shared(member, old.start, start);
		if (end < old.end)
			add_shared(member, end, old.end);
	}
}

void rfs_family_unmapped(struct rfs_run *run, const struct rfs_thread *thread, rfs_addr address, uint64_t size)
{
	struct rfs_family *family = run->family;
	const rfs_addr end = address + size < address ? UINT64_MAX : address + size;

	/* what the program has at an address must mean the same in all processes */
	for (unsigned i = 0; family && i < family->n; i++)
		if (!thread->process || thread->process == i + 1)
			member_unmapped(&family->members[i], address & ~4095ull, end);
}

void rfs_family_turn(struct rfs_run *run, const struct rfs_thread *thread)
{
	const struct rfs_thread *turn = thread && thread->process ? thread : NULL;

	if (run->turn == turn)
		return;
	run->turn = turn;
	rfs_target_memory_forget(run);
}
