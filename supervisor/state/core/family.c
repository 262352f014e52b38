/* family.c - which memory the processes of a run share. */
#include "supervisor/state/core/family.h"

#include <inttypes.h>
#include <stdlib.h>

#include "supervisor/base/alloc.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "tracer/stub_buffer.h"

/* No address of a program has these bits. */
#define NAME_SHIFT 48

struct shared {
	rfs_addr start, end;
};

struct member {
	struct shared *shared; /* what was mapped as shared memory when the process was forked */
	size_t n;
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

bool rfs_family_is_apart(const struct rfs_run *run, const struct rfs_thread *thread, rfs_addr address)
{
	return thread->process && !member_shares(&run->family->members[thread->process - 1], address);
}

rfs_addr rfs_family_name(const struct rfs_run *run, const struct rfs_thread *thread, rfs_addr address)
{
	if (!rfs_family_is_apart(run, thread, address))
		return address;
	return address | (rfs_addr)thread->process << NAME_SHIFT;
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
