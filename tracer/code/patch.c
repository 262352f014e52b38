/*
 * patch.c - writes patches, which are jumps to stubs, into the program's code. patch_task.c moves tasks into stubs and
 * out of them.
 *
 * A patch replaces the bytes of its group. The jump replaces the first five bytes. After it, the first byte of each
 * instruction becomes an int3. If the group has a ledge (disasm/rewrite/plan.h), a short jump to the ledge replaces its
 * first two bytes.
 *
 * A breakpoint can be at the beginning of a group, but not inside a group. It lies on top of the patch: its int3 hides
 * the first byte of the jump, and passing it executes the jump. If the patch has tests, the breakpoint is guarded: it
 * has no int3, and the stub traps if a test fails. Passing such a breakpoint continues after that trap.
 */
#include "tracer/code/patch-priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/addr.h"
#include "disasm/insn/insn.h"
#include "disasm/rewrite/plan.h"
#include "disasm/rewrite/stub.h"
#include "tracer/code/breakpoint_table-priv.h"
#include "tracer/code/space_code-priv.h"
#include "tracer/places/arena-priv.h"
#include "tracer/places/space_places-priv.h"
#include "tracer/places/stub_buffer-priv.h"
#include "tracer/process/code_bytes-priv.h"
#include "tracer/process/space-priv.h"
#include "tracer/process/task-priv.h"

/* At most this many bytes of code are read or written at once. */
#define PIECE (64 * 1024ul)

static rfs_addr patch_end_of(const struct rfs_patch *patch)
{
	return patch->start + patch->group->length;
}

/* Where the ledge of a patch begins. Call it only if the group has one. */
static rfs_addr ledge_of(const struct rfs_patch *patch)
{
	return patch->start + (rfs_addr)(int64_t)patch->group->ledge;
}

/* Where the jump to the stub is. */
static rfs_addr jump_of(const struct rfs_plan_group *group, uint64_t bias)
{
	return group->vaddr + bias + (rfs_addr)(group->ledge ? group->ledge + 1 : 0);
}

/* The bytes at the beginning of a group that a jump replaces. */
static unsigned jump_length(const struct rfs_plan_group *group)
{
	return group->ledge ? RFS_SHORT_JUMP_LENGTH : RFS_JUMP_LENGTH;
}

static rfs_addr patch_key_of(const struct rfs_patch *patch, bool by_stub)
{
	return by_stub ? patch->stub : patch->start;
}

/* How many patches (if by_stub is true: how many stubs) begin at or below address. */
static size_t count_below(struct rfs_patch *const *patches, size_t n, bool by_stub, rfs_addr address)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (patch_key_of(patches[middle], by_stub) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct rfs_patch *rfs_patch_find(const struct rfs_space *space, rfs_addr address)
{
	const struct rfs_patches *all = space->code->patches;
	size_t i = all ? count_below(all->by_start, all->n, false, address) : 0;

	return i && address < patch_end_of(all->by_start[i - 1]) ? all->by_start[i - 1] : NULL;
}

struct rfs_patch *rfs_patch_of_stub(const struct rfs_space *space, rfs_addr address)
{
	const struct rfs_patches *all = space->code->patches;
	size_t i = all ? count_below(all->by_stub, all->n, true, address) : 0;

	return i && address - all->by_stub[i - 1]->stub < all->by_stub[i - 1]->group->code_length ? all->by_stub[i - 1]
												  : NULL;
}

/* The first patch outside of [start, end) whose ledge has a byte in this range. NULL: there is none. */
static struct rfs_patch *ledge_in(const struct rfs_space *space, rfs_addr start, rfs_addr end)
{
	const struct rfs_patches *all = space->code->patches;
	size_t i = 0;

	if (!all || !all->n_ledges)
		return NULL;
	if (start > RFS_LEDGE_REACH)
		i = count_below(all->by_start, all->n, false, start - RFS_LEDGE_REACH);
	for (; i < all->n && (all->by_start[i]->start < end || all->by_start[i]->start - end < RFS_LEDGE_REACH); i++) {
		struct rfs_patch *patch = all->by_start[i];

		if (patch->start >= start && patch->start < end) /* continues behind the range */
			i = count_below(all->by_start, all->n, false, end - 1) - 1;
		else if (patch->group->ledge && ledge_of(patch) < end && ledge_of(patch) + RFS_LEDGE_LENGTH > start)
			return patch;
	}
	return NULL;
}

struct rfs_patch *rfs_patch_of_ledge(const struct rfs_space *space, rfs_addr address)
{
	return ledge_in(space, address, address + 1);
}

static void patch_free(const struct rfs_patches *all, struct rfs_patch *patch)
{
	if (patch->owner == all)
		free(patch);
}

static int patch_compare_start(const void *a, const void *b)
{
	const struct rfs_patch *const *x = a, *const *y = b;

	return (*x)->start < (*y)->start ? -1 : (*x)->start > (*y)->start;
}

static int compare_stub(const void *a, const void *b)
{
	const struct rfs_patch *const *x = a, *const *y = b;

	return (*x)->stub < (*y)->stub ? -1 : (*x)->stub > (*y)->stub;
}

/* Sorts the patches. Those of a module are mostly in order already. */
static void patch_sort(struct rfs_patch **patches, size_t n, int (*compare)(const void *, const void *))
{
	for (size_t i = 1; i < n; i++)
		if (compare(&patches[i - 1], &patches[i]) > 0) {
			qsort(patches, n, sizeof(struct rfs_patch *), compare);
			return;
		}
}

static void free_arrays(struct rfs_patches *all)
{
	if (!all->room)
		return;
	free(all->by_start);
	free(all->by_stub);
}

/* Makes room for n more patches. The arrays belong to the space afterwards, also in a copy. */
static int patch_make_room(struct rfs_space *space, size_t n)
{
	struct rfs_patches *all = space->code->patches;
	struct rfs_patch **by_start, **by_stub;
	size_t room;

	if (!all)
		space->code->patches = all = calloc(1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	if (all->n + n <= all->room)
		return 0;
	room = 2 * all->n + n;
	by_start = calloc(room, sizeof(struct rfs_patch *));
	by_stub = calloc(room, sizeof(struct rfs_patch *));
	if (!by_start || !by_stub) {
		free(by_start);
		free(by_stub);
		return -ENOMEM;
	}
	if (all->n) {
		memcpy(by_start, all->by_start, all->n * sizeof(struct rfs_patch *));
		memcpy(by_stub, all->by_stub, all->n * sizeof(struct rfs_patch *));
	}
	free_arrays(all);
	all->by_start = by_start;
	all->by_stub = by_stub;
	all->room = room;
	return 0;
}

/* Bit i of the result: an instruction of the group begins at offset i + 1 of the jump. */
static unsigned starts_in_jump(const struct rfs_plan_group *group)
{
	unsigned starts = 0, at = 0;

	for (unsigned i = 0; !group->ledge && i + 1 < group->n_starts; i++) {
		at += group->lengths[i];
		if (at >= RFS_JUMP_LENGTH)
			break;
		starts |= 1u << (at - 1);
	}
	return starts;
}

/* Makes the stub of a group. Returns NULL if there is no place for the stub. If memory is exhausted, returns NULL and
 * sets *error to -ENOMEM. */
static struct rfs_patch *patch_place(struct rfs_task *task, const struct rfs_plan_group *group, uint64_t bias,
				     uint32_t first, int *error)
{
	rfs_addr stub = rfs_arena_get(task, jump_of(group, bias), starts_in_jump(group), group->code_length);
	uint8_t code[RFS_STUB_CODE];
	struct rfs_patch *patch;

	if (!stub || rfs_stub_place(group->code, group->code_length, group->fixups, group->n_fixups, bias, stub,
				    first + group->first_record, rfs_stub_buffer_shift(task->space), code))
		return NULL;
	patch = malloc(sizeof(*patch) + group->length);
	if (!patch) {
		*error = -ENOMEM;
		return NULL;
	}
	*patch = (struct rfs_patch){
		.owner = task->space->code->patches,
		.start = group->vaddr + bias,
		.stub = stub,
		.group = group,
		.first = first + group->first_record,
	};
	rfs_arena_write(task->space, stub, code, group->code_length);
	return patch;
}

/* Writes a jump to the stub to buffer `at`. from: where the jump will be. */
static void patch_put_jump(const struct rfs_patch *patch, rfs_addr from, uint8_t *at)
{
	const int32_t distance = (int32_t)(patch->stub - (from + RFS_JUMP_LENGTH));

	at[0] = 0xe9;
	memcpy(at + 1, &distance, sizeof(distance));
}

/* Writes the jump and the int3 of a patch to buffer `at`, which has the group's bytes. Saves these bytes first. */
static void patch_cover(struct rfs_patch *patch, uint8_t *at)
{
	const struct rfs_plan_group *group = patch->group;
	unsigned offset = 0;

	memcpy(patch->original, at, group->length);
	if (group->ledge) {
		at[0] = 0xeb;
		at[1] = (uint8_t)(group->ledge + 1 - RFS_SHORT_JUMP_LENGTH);
	} else {
		patch_put_jump(patch, patch->start, at);
	}
	for (unsigned i = 0; i + 1 < group->n_starts; i++) {
		offset += group->lengths[i];
		if (offset >= jump_length(group))
			at[offset] = 0xcc;
	}
}

/* Writes the ledge of a patch to the target, if it has one. */
static int write_ledge(struct rfs_space *space, struct rfs_patch *patch)
{
	uint8_t bytes[RFS_LEDGE_LENGTH] = {0xcc};
	int r;

	if (!patch->group->ledge)
		return 0;
	space->code->patches->n_ledges++;
	r = rfs_space_peek(space, ledge_of(patch), patch->ledge, RFS_LEDGE_LENGTH);
	patch_put_jump(patch, ledge_of(patch) + 1, bytes + 1);
	return r ? r : rfs_space_poke_all(space, ledge_of(patch), bytes, RFS_LEDGE_LENGTH);
}

/* Writes the patches to the target. They are in ascending order; neighbouring ones are written together. */
static int write_patches(struct rfs_space *space, struct rfs_patch *const *patches, size_t n)
{
	uint8_t *bytes = malloc(PIECE);
	size_t part;
	int r = bytes ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !r; i++)
		r = write_ledge(space, patches[i]);
	for (size_t i = 0; i < n && !r; i += part) {
		rfs_addr from = patches[i]->start;

		for (part = 1; i + part < n && patch_end_of(patches[i + part]) - from <= PIECE; part++)
			;
		r = rfs_space_peek(space, from, bytes, patch_end_of(patches[i + part - 1]) - from);
		for (size_t k = i; k < i + part && !r; k++)
			patch_cover(patches[k], bytes + (patches[k]->start - from));
		if (!r)
			r = rfs_space_poke_all(space, from, bytes, patch_end_of(patches[i + part - 1]) - from);
	}
	free(bytes);
	return r;
}

int rfs_patches_add(struct rfs_task *task, const struct rfs_plan_group *const *groups, size_t n, uint64_t bias,
		    uint32_t first, bool *done)
{
	struct rfs_space *space = task->space;
	struct rfs_patches *all;
	size_t placed = 0;
	int r = 0;

	if (n == 0)
		return 0;
	memset(done, 0, n * sizeof(*done));
	if (!space->places->records || rfs_stub_buffer_given_up(space))
		return -ENOTSUP;
	r = patch_make_room(space, n);
	if (r)
		return r;
	all = space->code->patches;
	for (size_t i = 0; i < n && !r; i++) {
		struct rfs_patch *patch = patch_place(task, groups[i], bias, first, &r);

		done[i] = patch != NULL;
		if (patch)
			all->by_start[all->n + placed++] = patch;
	}
	if (!r && task->state != RFS_TASK_STOPPED)
		r = -ESRCH;
	if (!r)
		r = rfs_arena_flush(space);
	if (!r)
		r = write_patches(space, all->by_start + all->n, placed);
	if (r) {
		while (placed)
			patch_free(all, all->by_start[all->n + --placed]);
		memset(done, 0, n * sizeof(*done));
		return r;
	}
	memcpy(all->by_stub + all->n, all->by_start + all->n, placed * sizeof(struct rfs_patch *));
	all->n += placed;
	patch_sort(all->by_start, all->n, patch_compare_start);
	patch_sort(all->by_stub, all->n, compare_stub);
	return 0;
}

int rfs_patch_add_hot(struct rfs_task *task, const struct rfs_plan_group *group, uint64_t bias)
{
	struct rfs_space *space = task->space;
	const rfs_addr at = group->vaddr + bias;
	uint8_t byte = 0;
	bool done = false;
	int r, again;

	/* the patch saves the bytes under it, so the int3 must not be there */
	rfs_breakpoint_hide(space, at, &byte, 1);
	r = rfs_space_poke_all(space, at, &byte, 1);
	if (!r)
		r = rfs_patches_add(task, &group, 1, bias, 0, &done);
	if (done) {
		rfs_breakpoint_guard(space, at);
		return 0;
	}
	rfs_breakpoint_cover(space, at, &byte, 1);
	again = rfs_space_poke_all(space, at, &byte, 1);
	return r ? r : again ? again : -ENOSPC;
}

bool rfs_patch_at(const struct rfs_space *space, rfs_addr address, rfs_addr *start, rfs_addr *end)
{
	const struct rfs_patch *patch = rfs_patch_find(space, address);

	if (!patch)
		patch = rfs_patch_of_ledge(space, address);
	if (!patch)
		return false;
	*start = patch->start;
	*end = patch_end_of(patch);
	return true;
}

void rfs_patches_give_up(struct rfs_space *space)
{
	if (rfs_stub_buffer_set_given_up(space))
		rfs_patches_remove(space, 0, ~(rfs_addr)0);
}

size_t rfs_patches_count(const struct rfs_space *space)
{
	return space->code->patches ? space->code->patches->n : 0;
}

/* Restores the program's own bytes. A breakpoint there stays, with an int3 on top of them. */
static void patch_uncover(struct rfs_space *space, const struct rfs_patch *patch)
{
	uint8_t bytes[RFS_PLAN_STARTS * RFS_INSN_MAX];
	int r;

	rfs_breakpoint_unguard(space, patch->start);
	memcpy(bytes, patch->original, patch->group->length);
	rfs_breakpoint_cover(space, patch->start, bytes, patch->group->length);
	r = rfs_space_poke_all(space, patch->start, bytes, patch->group->length);
	if (patch->group->ledge)
		r = rfs_space_poke_all(space, ledge_of(patch), patch->ledge, RFS_LEDGE_LENGTH);
	(void)r; /* this fails only if the memory is gone */
	rfs_breakpoint_replace(space, patch->start, patch->original, patch->group->length);
}

/* Forgets the patches in [start, end), and those with a ledge there. restore: first restores the program's bytes. */
static void patch_drop(struct rfs_space *space, rfs_addr start, rfs_addr end, bool restore)
{
	struct rfs_patches *all = space->code->patches;
	const struct rfs_patch *outside;
	size_t from, to, kept = 0;

	if (!all)
		return;
	while ((outside = ledge_in(space, start, end)) != NULL)
		patch_drop(space, outside->start, outside->start + 1, restore);
	from = count_below(all->by_start, all->n, false, start);
	if (from && (all->by_start[from - 1]->start == start || patch_end_of(all->by_start[from - 1]) > start))
		from--;
	for (to = from; to < all->n && all->by_start[to]->start < end; to++)
		if (restore)
			patch_uncover(space, all->by_start[to]);
	if (from == to)
		return;
	/* uthash also ends the program if memory is exhausted */
	if (patch_make_room(space, 0))
		abort();
	for (size_t i = 0; i < all->n; i++) {
		const struct rfs_patch *patch = all->by_stub[i];

		if (patch->start < all->by_start[from]->start || patch->start > all->by_start[to - 1]->start)
			all->by_stub[kept++] = all->by_stub[i];
	}
	for (size_t i = from; i < to; i++)
		patch_free(all, all->by_start[i]);
	memmove(all->by_start + from, all->by_start + to, (all->n - to) * sizeof(struct rfs_patch *));
	all->n = kept;
}

void rfs_patches_remove(struct rfs_space *space, rfs_addr start, rfs_addr end)
{
	patch_drop(space, start, end, true);
}

void rfs_patches_drop(struct rfs_space *space, rfs_addr start, rfs_addr end)
{
	patch_drop(space, start, end, false);
}

void rfs_patches_uncover(const struct rfs_space *space, struct rfs_space *child)
{
	const struct rfs_patches *all = space->code->patches;

	for (size_t i = 0; all && i < all->n; i++) {
		const struct rfs_patch *patch = all->by_start[i];

		if (rfs_space_poke(child, patch->start, patch->original, patch->group->length) == -ESRCH ||
		    (patch->group->ledge &&
		     rfs_space_poke(child, ledge_of(patch), patch->ledge, RFS_LEDGE_LENGTH) == -ESRCH))
			return;
	}
}

/* In buf, which was read from [address, address + n), replaces the bytes of [start, start + length) by `original`. */
static void patch_hide(rfs_addr address, unsigned char *buf, size_t n, rfs_addr start, const uint8_t *original,
		       size_t length)
{
	const rfs_addr from = start > address ? start : address;
	const rfs_addr to = start + length < address + n ? start + length : address + n;

	if (from < to)
		memcpy(buf + (from - address), original + (from - start), to - from);
}

void rfs_patches_hide(const struct rfs_space *space, rfs_addr address, unsigned char *buf, size_t n)
{
	const struct rfs_patches *all = space->code->patches;
	rfs_addr reach;
	size_t i;

	if (!all || !all->n || !n)
		return;
	reach = all->n_ledges ? RFS_LEDGE_REACH : 0;
	if (address >= patch_end_of(all->by_start[all->n - 1]) + reach ||
	    address + n + reach <= all->by_start[0]->start)
		return;
	i = count_below(all->by_start, all->n, false, address > reach ? address - reach : 0);
	for (i = i ? i - 1 : 0; i < all->n && all->by_start[i]->start < address + n + reach; i++) {
		const struct rfs_patch *patch = all->by_start[i];

		patch_hide(address, buf, n, patch->start, patch->original, patch->group->length);
		if (patch->group->ledge)
			patch_hide(address, buf, n, ledge_of(patch), patch->ledge, RFS_LEDGE_LENGTH);
	}
}

int rfs_patches_lend(const struct rfs_space *from, struct rfs_space *to)
{
	const struct rfs_patches *all = from->code->patches;

	if (!all || !all->n)
		return 0;
	to->code->patches = calloc(1, sizeof(*to->code->patches));
	if (!to->code->patches)
		return -ENOMEM;
	to->code->patches->by_start = all->by_start;
	to->code->patches->by_stub = all->by_stub;
	to->code->patches->n = all->n;
	to->code->patches->n_ledges = all->n_ledges;
	return 0;
}

void rfs_patches_release(struct rfs_space *space)
{
	struct rfs_patches *all = space->code->patches;

	if (!all)
		return;
	for (size_t i = 0; all->room && i < all->n; i++)
		patch_free(all, all->by_start[i]);
	free_arrays(all);
	free(all);
	space->code->patches = NULL;
}

rfs_addr rfs_patch_passed(const struct rfs_space *space, rfs_addr address)
{
	const struct rfs_patch *patch = rfs_patch_find(space, address);

	return patch && patch->start == address && patch->group->stop_at ? patch->stub + patch->group->stop_at + 1 : 0;
}

rfs_addr rfs_patch_stopped(const struct rfs_space *space, rfs_addr address, bool fault)
{
	const struct rfs_patch *patch = rfs_arena_holds(space, address) ? rfs_patch_of_stub(space, address) : NULL;

	if (!patch || !patch->group->stop_at)
		return 0;
	if (fault ? address < patch->stub + patch->group->tests_end : address == patch->stub + patch->group->stop_at)
		return patch->start;
	return 0;
}

bool rfs_patch_is_inside(const struct rfs_space *space, rfs_addr address)
{
	const struct rfs_patch *patch = rfs_patch_find(space, address);
	rfs_addr at;

	if (!patch) {
		patch = rfs_patch_of_ledge(space, address);
		return patch && address == ledge_of(patch);
	}
	if (address == patch->start)
		return false;
	at = patch->start;
	for (unsigned i = 0; i < patch->group->n_starts && at < address; i++)
		at += patch->group->lengths[i];
	return at == address;
}
