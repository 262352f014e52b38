/* shared_things.c - a list of touches, and the comparison of each new one with those of other threads. */
#include "supervisor/state/operations/shared_things.h"

#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"

/* With more touches than these, there is a conflict. */
#define TOUCHES_MOST 20000
/* Of more locks than these, the rest does not count. */
#define LOCKS_MOST 4
/* The thread of a touch that each thread may make by accesses of memory. */
#define EVERYBODY (-1)

struct touch {
	struct rfs_shared_touch what;
	rfs_addr locks[LOCKS_MOST]; /* that the thread held alone; 0: no more */
	int thread;
};

struct rfs_shared {
	struct touch *list; /* all different */
	size_t n, capacity;
};

bool rfs_shared_noted(const struct rfs_run_spec *spec)
{
	return spec->policy && (spec->policy->flags & RFS_POLICY_NEEDS_CALLS);
}

static bool same_thing(const struct rfs_shared_touch *a, const struct rfs_shared_touch *b)
{
	return a->thing == b->thing && a->device == b->device && a->inode == b->inode && a->detail == b->detail;
}

static bool common_lock(const struct touch *a, const struct touch *b)
{
	for (size_t i = 0; i < LOCKS_MOST && a->locks[i]; i++)
		for (size_t k = 0; k < LOCKS_MOST && b->locks[k]; k++)
			if (a->locks[i] == b->locks[k])
				return true;
	return false;
}

static bool shared_things_conflict(const struct touch *a, const struct touch *b)
{
	if (a->thread == b->thread || !same_thing(&a->what, &b->what) || common_lock(a, b) ||
	    (a->what.effect == RFS_SHARED_LOOKS && b->what.effect == RFS_SHARED_LOOKS))
		return false;
	return a->what.effect != RFS_SHARED_APPENDS || b->what.effect != RFS_SHARED_APPENDS || a->what.fd != b->what.fd;
}

static bool shared_things_equal(const struct touch *a, const struct touch *b)
{
	return a->thread == b->thread && same_thing(&a->what, &b->what) && a->what.effect == b->what.effect &&
	       a->what.fd == b->what.fd && memcmp(a->locks, b->locks, sizeof(a->locks)) == 0;
}

static void shared_things_note_locks(const struct rfs_thread *thread, struct touch *out)
{
	size_t n = 0;

	for (size_t i = 0; i < thread->sync.n_holds && n < LOCKS_MOST; i++)
		if (thread->sync.holds[i].kind != RFS_OP_RDLOCK)
			out->locks[n++] = thread->sync.holds[i].lock;
}

/* What a thread did that nobody has joined could also have come later. */
bool rfs_shared_is_alone(const struct rfs_run *run)
{
	size_t alive = 0;

	for (size_t i = 0; i < run->n_threads; i++)
		alive += run->threads[i]->state != RFS_STATE_ENDED || !run->threads[i]->start.joining.joined;
	return alive < 2;
}

/* Whether two threads have appended to the thing in an order that is not explored. */
static bool was_appended_to(const struct rfs_shared *shared, const struct rfs_shared_touch *what)
{
	for (size_t i = 0; i < shared->n; i++)
		for (size_t k = 0; k < i; k++) {
			const struct touch *a = &shared->list[i], *b = &shared->list[k];

			if (same_thing(&a->what, what) && same_thing(&b->what, what) && a->thread != b->thread &&
			    a->what.effect == RFS_SHARED_APPENDS && b->what.effect == RFS_SHARED_APPENDS &&
			    !common_lock(a, b))
				return true;
		}
	return false;
}

static void shared_things_add(struct rfs_run *run, const struct touch *touch)
{
	struct rfs_shared *shared = run->shared;

	if (!shared)
		run->shared = shared = xcalloc(1, sizeof(*shared));
	for (size_t i = 0; i < shared->n; i++) {
		if (shared_things_equal(&shared->list[i], touch))
			return;
		run->result->shares_calls |= shared_things_conflict(&shared->list[i], touch);
	}
	run->result->shares_calls |= shared->n == TOUCHES_MOST;
	if (run->result->shares_calls)
		return;
	if (shared->n == shared->capacity) {
		shared->capacity = shared->capacity ? 2 * shared->capacity : 64;
		shared->list = xrealloc(shared->list, shared->capacity * sizeof(*shared->list));
	}
	shared->list[shared->n++] = *touch;
}

void rfs_shared_note(struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_shared_touch *what)
{
	const struct rfs_shared *shared = run->shared;
	struct touch touch = {.what = *what, .thread = thread->number};

	if (!rfs_shared_noted(run->spec) || run->result->shares_calls)
		return;
	if (rfs_shared_is_alone(run)) {
		run->result->shares_calls = shared && what->effect == RFS_SHARED_LOOKS && was_appended_to(shared, what);
		return;
	}
	shared_things_note_locks(thread, &touch);
	shared_things_add(run, &touch);
}

void rfs_shared_map_file(struct rfs_run *run, dev_t device, ino_t inode, bool writes)
{
	const struct rfs_shared_touch what = {.thing = RFS_SHARED_FILE,
					      .effect = writes ? RFS_SHARED_CHANGES : RFS_SHARED_LOOKS,
					      .device = device,
					      .inode = inode,
					      .fd = -1};

	if (rfs_shared_noted(run->spec))
		shared_things_add(run, &(struct touch){.what = what, .thread = EVERYBODY});
}

void rfs_shared_forget_file(struct rfs_run *run, dev_t device, ino_t inode)
{
	struct rfs_shared *shared = run->shared;
	size_t kept = 0;

	if (!shared)
		return;
	for (size_t i = 0; i < shared->n; i++) {
		const struct rfs_shared_touch *what = &shared->list[i].what;

		if (what->device != device || what->inode != inode || what->thing == RFS_SHARED_NAME)
			shared->list[kept++] = shared->list[i];
	}
	shared->n = kept;
}

void rfs_shared_release(struct rfs_run *run)
{
	if (run->shared)
		free(run->shared->list);
	free(run->shared);
}
