#include "tracer/space-priv.h"

#include <errno.h>
#include <stdlib.h>

#include "tracer/arena-priv.h"
#include "tracer/breakpoint_table-priv.h"
#include "tracer/code-priv.h"
#include "tracer/module-priv.h"
#include "tracer/patch-priv.h"
#include "tracer/slot-priv.h"
#include "tracer/stub_buffer-priv.h"
#include "tracer/task-priv.h"
#include "tracer/unwind-priv.h"

static struct rfs_space *space_allocate(struct rfs_tracer *tracer)
{
	struct rfs_space *space = calloc(1, sizeof(*space));

	if (space) {
		space->tracer = tracer;
		space->mem = -1;
	}
	return space;
}

int rfs_space_new(struct rfs_task *task, struct rfs_space **out)
{
	struct rfs_space *space = space_allocate(task->tracer);

	if (!space)
		return -ENOMEM;
	rfs_space_open(space, task->tid);
	*out = space;
	return 0;
}

void rfs_space_put(struct rfs_space *space)
{
	if (--space->references)
		return;
	rfs_unwind_release(space);
	rfs_modules_release(space);
	rfs_breakpoints_release(space);
	rfs_slot_release_all(space);
	rfs_patches_release(space);
	rfs_arena_release(space);
	rfs_stub_buffer_release(space);
	rfs_space_close(space);
	free(space);
}

int rfs_space_fork(struct rfs_space *parent, struct rfs_task *child, struct rfs_space **out)
{
	int r = rfs_space_new(child, out);

	if (r)
		return r;
	/* the fork has copied the gate page too */
	(*out)->gate = parent->gate;
	(*out)->trampolines = parent->trampolines;
	rfs_breakpoint_uncover(parent, *out);
	rfs_patches_uncover(parent, *out);
	child->foreign_gs = parent->records != NULL;
	return 0;
}

int rfs_space_copy(const struct rfs_task *original, struct rfs_task *copy, struct rfs_space **out)
{
	const struct rfs_space *from = original->space;
	struct rfs_space *space = space_allocate(copy->tracer);
	int r;

	if (!space)
		return -ENOMEM;
	space->gate = from->gate;
	space->trampolines = from->trampolines;
	r = rfs_slots_lend(from, space);
	if (!r)
		r = rfs_patches_lend(from, space);
	if (!r)
		r = rfs_stub_buffer_copy(original, copy, space);
	if (!r)
		r = rfs_modules_copy(from, space);
	rfs_breakpoints_lend(from, space);
	rfs_arenas_lend(from, space);
	rfs_unwind_share(from, space);
	if (r) {
		space->references = 1;
		rfs_space_put(space);
		return r;
	}
	*out = space;
	return 0;
}
