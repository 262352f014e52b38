/*
 * Slots: the memory in which out-of-line copies of instructions run.
 *
 * Slots are in regions. The address of a region depends only on the address of a breakpoint, so it is the same in each
 * run. A region is away from memory that the kernel places itself. It is within 2 GiB of the instruction and of its
 * operand, because the displacements of RIP-relative operands and of the jump back have 32 bits. The first place to try
 * is:
 *
 *     program at 0x400000       1.75 GiB above, because the heap begins right above the program and grows up
 *     program at 0x5555…        1 GiB below
 *     libraries at 0x7ffff7…    1.75 GiB below, because mappings grow down from there
 *
 * A slot keeps its instruction for the life of the space. So a task that is in a slot when the breakpoint is removed
 * continues undisturbed.
 */
#include "tracer/places/slot-priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

#include "disasm/addr.h"
#include "disasm/insn/insn.h"
#include "tracer/places/space_places-priv.h"
#include "tracer/process/code_bytes-priv.h"
#include "tracer/process/inject-priv.h"
#include "tracer/process/space-priv.h"
#include "tracer/process/task-priv.h"

#define MIB (1ll << 20)
#define GIB (1ll << 30)
#define SLOT_SIZE RFS_COPY_MAX
#define REGION_SIZE (4 * MIB)
#define REGION_SLOTS ((size_t)(REGION_SIZE / SLOT_SIZE))
/* A slot is used for instructions at most this far away. The difference to 2 GiB leaves room for operands, which may be
 * elsewhere in the module. */
#define REACH (2 * GIB - 128 * MIB)
/* How many neighbouring regions are tried at each place before the next place. */
#define NEIGHBOURS 8

struct rfs_slot {
	rfs_addr original, address;
	size_t length; /* of the copy, without the jump back */
	uint8_t bytes[RFS_INSN_MAX];
	uint8_t original_length;
	UT_hash_handle hh;
};

struct rfs_region {
	rfs_addr start;
	size_t used, size;
	struct rfs_slot **slots; /* an array with room for `size` slots */
	/* in a copy: the original's array, which has the first n_lent slots; `slots` has those after them (forker.h) */
	struct rfs_slot *const *lent;
	size_t n_lent;
	struct rfs_region *next;
};

static const int64_t places_high[] = {-1792 * MIB, -1536 * MIB, -1280 * MIB, -GIB, 1536 * MIB};
static const int64_t places_middle[] = {-GIB, -1280 * MIB, -1536 * MIB, -512 * MIB, 1792 * MIB};
static const int64_t places_low[] = {1792 * MIB, 1536 * MIB, 1280 * MIB, GIB, -GIB};

static rfs_addr slot_place(rfs_addr near, int i, int neighbour)
{
	rfs_addr anchor = near & ~(rfs_addr)(16 * MIB - 1);
	int64_t offset = places_middle[i];

	if (near >= 0x700000000000)
		offset = places_high[i];
	else if (near < 0x100000000)
		offset = places_low[i];
	if (offset < 0 && anchor < (rfs_addr)-offset + 16 * MIB)
		return 0;
	return anchor + (rfs_addr)offset + (rfs_addr)(neighbour * REGION_SIZE);
}

static bool within_reach(const struct rfs_region *region, rfs_addr address)
{
	int64_t distance = (int64_t)(address - region->start);

	return distance < REACH && distance > -REACH + REGION_SIZE;
}

static struct rfs_region *region_new(struct rfs_task *task, rfs_addr near)
{
	struct rfs_region *region = calloc(1, sizeof(*region));

	if (!region)
		return NULL;
	for (int i = 0; i < (int)(sizeof(places_low) / sizeof(places_low[0])); i++) {
		for (int neighbour = 0; neighbour < NEIGHBOURS; neighbour++) {
			rfs_addr at = slot_place(near, i, neighbour);

			if (!at || task->state != RFS_TASK_STOPPED || !rfs_space_map_code(task, at, REGION_SIZE))
				continue;
			region->start = at;
			LL_APPEND(task->space->places->regions, region);
			return region;
		}
	}
	free(region);
	return NULL;
}

static bool slot_make_room(struct rfs_region *region, size_t n)
{
	struct rfs_slot **grown;

	if (n <= region->size)
		return true;
	n = n < 2 * region->size ? 2 * region->size : n;
	grown = realloc(region->slots, n * sizeof(struct rfs_slot *));
	if (!grown)
		return false;
	region->slots = grown;
	region->size = n;
	return true;
}

static struct rfs_region *find_room(const struct rfs_space *space, rfs_addr near)
{
	struct rfs_region *region;

	LL_FOREACH(space->places->regions, region)
	if (region->used < REGION_SLOTS && within_reach(region, near))
		return region;
	return NULL;
}

void rfs_slot_reserve(struct rfs_task *task, rfs_addr near)
{
	if (!find_room(task->space, near))
		(void)region_new(task, near);
}

/* The slot that was made for the same instruction, or NULL. */
static struct rfs_slot *slot_of_it(const struct rfs_space *space, const struct rfs_insn *insn)
{
	struct rfs_slot *slot;

	HASH_FIND(hh, space->places->slots, &insn->vaddr, sizeof(insn->vaddr), slot);
	if (!slot && space->places->lent_slots)
		HASH_FIND(hh, space->places->lent_slots, &insn->vaddr, sizeof(insn->vaddr), slot);
	if (slot && slot->original_length == insn->length && !memcmp(slot->bytes, insn->bytes, insn->length))
		return slot;
	return NULL;
}

struct rfs_slot *rfs_slot_get_reserved(struct rfs_space *space, const struct rfs_insn *insn)
{
	uint8_t copy[RFS_COPY_MAX];
	struct rfs_region *region;
	struct rfs_slot *slot;
	rfs_addr address;
	size_t length, total;

	slot = slot_of_it(space, insn);
	if (slot)
		return slot;
	region = find_room(space, insn->vaddr);
	if (!region || !slot_make_room(region, region->used - region->n_lent + 1))
		return NULL;
	address = region->start + region->used * SLOT_SIZE;
	if (rfs_insn_copy(insn, insn->vaddr, address, copy, &length, &total) != RFS_COPY_OK ||
	    rfs_space_poke_all(space, address, copy, total))
		return NULL;
	/* after dlclose and dlopen, another instruction can be at this address: the old slot stays, but is never found
	 * again */
	HASH_FIND(hh, space->places->slots, &insn->vaddr, sizeof(insn->vaddr), slot);
	if (slot)
		HASH_DEL(space->places->slots, slot);
	slot = calloc(1, sizeof(*slot));
	if (!slot)
		return NULL;
	slot->original = insn->vaddr;
	slot->address = address;
	slot->length = length;
	slot->original_length = insn->length;
	memcpy(slot->bytes, insn->bytes, insn->length);
	HASH_ADD(hh, space->places->slots, original, sizeof(slot->original), slot);
	region->slots[region->used++ - region->n_lent] = slot;
	return slot;
}

struct rfs_slot *rfs_slot_get(struct rfs_task *task, const struct rfs_insn *insn)
{
	if (!slot_of_it(task->space, insn))
		rfs_slot_reserve(task, insn->vaddr);
	return rfs_slot_get_reserved(task->space, insn);
}

rfs_addr rfs_slot_address(const struct rfs_slot *slot)
{
	return slot->address;
}

bool rfs_slot_translate(const struct rfs_space *space, rfs_addr rip, rfs_addr *original, bool *before)
{
	const struct rfs_region *region;

	LL_FOREACH(space->places->regions, region)
	{
		rfs_addr offset = rip - region->start;
		const size_t i = offset / SLOT_SIZE;
		const struct rfs_slot *slot;

		if (i >= region->used)
			continue;
		slot = i < region->n_lent ? region->lent[i] : region->slots[i - region->n_lent];
		/* if the copy consists of several instructions, only the last one has the effect */
		*before = offset % SLOT_SIZE < slot->length;
		*original = *before ? slot->original : slot->original + slot->original_length;
		return true;
	}
	return false;
}

bool rfs_slots_hold(const struct rfs_space *space, rfs_addr address)
{
	const struct rfs_region *region;

	LL_FOREACH(space->places->regions, region)
	if (address - region->start < REGION_SIZE)
		return true;
	return false;
}

int rfs_slots_lend(const struct rfs_space *from, struct rfs_space *to)
{
	const struct rfs_region *lender;

	to->places->lent_slots = from->places->slots;
	for (lender = from->places->regions; lender; lender = lender->next) {
		struct rfs_region *region = calloc(1, sizeof(*region));

		if (!region)
			return -ENOMEM;
		region->start = lender->start;
		region->lent = lender->slots;
		region->n_lent = region->used = lender->used;
		LL_APPEND(to->places->regions, region);
	}
	return 0;
}

void rfs_slot_release_all(struct rfs_space *space)
{
	struct rfs_region *region, *next;

	HASH_CLEAR(hh, space->places->slots);
	LL_FOREACH_SAFE(space->places->regions, region, next)
	{
		for (size_t i = region->n_lent; i < region->used; i++)
			free(region->slots[i - region->n_lent]);
		free(region->slots);
		free(region);
	}
	space->places->regions = NULL;
}
