/*
 * space_life.c - makes an address space with the parts that other layers keep, counts its tasks, and copies it when
 * the target forks.
 */
#include "tracer/tasks/space_life-priv.h"

#include <errno.h>
#include <stdlib.h>
#include <utlist.h>

#include "tracer/code/breakpoint_table-priv.h"
#include "tracer/code/closed_code-priv.h"
#include "tracer/code/patch-priv.h"
#include "tracer/code/space_code-priv.h"
#include "tracer/modules/module-priv.h"
#include "tracer/modules/space_files-priv.h"
#include "tracer/modules/unwind-priv.h"
#include "tracer/places/arena-priv.h"
#include "tracer/places/slot-priv.h"
#include "tracer/places/space_places-priv.h"
#include "tracer/places/stub_buffer-priv.h"
#include "tracer/process/code_bytes-priv.h"
#include "tracer/process/space-priv.h"
#include "tracer/process/task-priv.h"
#include "tracer/tasks/task_life-priv.h"
#include "tracer/tracer.h"

/* A space and the parts of it that other layers keep. */
struct whole_space {
	struct rfs_space space;
	struct rfs_space_places places;
	struct rfs_space_code code;
	struct rfs_space_files files;
};

static struct rfs_space *space_allocate(struct rfs_tracer *tracer)
{
	struct whole_space *whole = calloc(1, sizeof(*whole));
	struct rfs_space *space;

	if (!whole)
		return NULL;
	space = &whole->space;
	space->tracer = tracer;
	space->mem = -1;
	space->places = &whole->places;
	space->code = &whole->code;
	space->files = &whole->files;
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

int rfs_space_join(struct rfs_space *parent, struct rfs_task *child, struct rfs_space **out)
{
	struct rfs_space *root = parent->root ? parent->root : parent;
	struct rfs_space *space = calloc(1, sizeof(*space));

	if (!space)
		return -ENOMEM;
	*space = (struct rfs_space){
		.tracer = root->tracer,
		.gate = root->gate,
		.root = root,
		.places = root->places,
		.code = root->code,
		.files = root->files,
	};
	rfs_space_open(space, child->tid);
	root->references++;
	LL_PREPEND2(root->kin, space, next_kin);
	*out = space;
	return 0;
}

static void leave_root(struct rfs_space *space)
{
	struct rfs_space *root = space->root;

	LL_DELETE2(root->kin, space, next_kin);
	rfs_space_close(space);
	free(space);
	rfs_space_put(root);
}

void rfs_space_put(struct rfs_space *space)
{
	if (--space->references)
		return;
	if (space->root) {
		leave_root(space);
		return;
	}
	rfs_unwind_release(space);
	rfs_modules_release(space);
	rfs_breakpoints_release(space);
	rfs_slot_release_all(space);
	rfs_patches_release(space);
	rfs_code_release(space);
	rfs_arena_release(space);
	rfs_stub_buffer_release(space);
	rfs_space_close(space);
	free(space);
}

/* Makes a space for `task` whose memory is as in `space`, and removes the breakpoints and patches from that memory. */
static int new_uncovered(const struct rfs_space *space, struct rfs_task *task, struct rfs_space **out)
{
	int r = rfs_space_new(task, out);

	if (r)
		return r;
	/* the fork has copied the gate page too */
	(*out)->gate = space->gate;
	(*out)->places->trampolines = space->places->trampolines;
	rfs_breakpoint_uncover(space, *out);
	rfs_patches_uncover(space, *out);
	r = rfs_code_fork(space, *out);
	if (r) {
		(*out)->references = 1;
		rfs_space_put(*out);
	}
	return r;
}

int rfs_space_fork(struct rfs_space *parent, struct rfs_task *child, struct rfs_space **out)
{
	child->stub->foreign_gs = parent->places->records != NULL;
	return new_uncovered(parent, child, out);
}

bool rfs_space_is_private(const struct rfs_task *task)
{
	return task->space->references == 1;
}

int rfs_space_give(struct rfs_task *parent, struct rfs_task *child)
{
	const struct rfs_task_stub stub = *child->stub;
	struct rfs_space *space = parent->space, *left;
	int r = new_uncovered(space, parent, &left);

	if (r)
		return r;
	/* the child's gs points to the control block of its parent, which is the child's now */
	*child->stub = *parent->stub;
	*parent->stub = stub;
	if (child->stub->control)
		rfs_task_regs_mut(parent)->gs_base = 0;
	rfs_space_close(space);
	rfs_space_open(space, child->tid);
	rfs_task_join_space(child, space);
	rfs_task_leave_space(parent);
	rfs_task_join_space(parent, left);
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
	space->places->trampolines = from->places->trampolines;
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
