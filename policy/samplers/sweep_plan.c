/*
 * sweep_plan.c - numbers the alternatives, spreads them over the runs, and keeps as a blob what the runs have shown.
 */
#include "policy/samplers/sweep_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/core/alloc.h"

static const char magic[8] = "rfsswp1";

/* ---- the blob ---- */

/* All of the memory up to the member singles, which the blob has after it. */
#define HEAD_SIZE offsetof(struct rfs_sweep_memory, singles)

static bool is_valid(const struct rfs_sweep_memory *memory, size_t size)
{
	if (memory->n_bases > 2 || memory->n_singles > RFS_SWEEP_SINGLES_MAX ||
	    size != sizeof(magic) + HEAD_SIZE + memory->n_singles * sizeof(*memory->singles))
		return false;
	return true;
}

int rfs_sweep_memory_read(struct rfs_sweep_memory *memory, const struct rfs_blob *blob)
{
	const char *data = blob ? blob->data : NULL;

	*memory = (struct rfs_sweep_memory){0};
	if (!blob || !blob->size)
		return 0;
	if (blob->size < sizeof(magic) + HEAD_SIZE || memcmp(data, magic, sizeof(magic)) != 0)
		return -EINVAL;
	memcpy(memory, data + sizeof(magic), HEAD_SIZE);
	if (!is_valid(memory, blob->size))
		return -EINVAL;
	memory->singles = rfs_policy_zalloc(memory->n_singles + 1, sizeof(*memory->singles));
	memcpy(memory->singles, data + sizeof(magic) + HEAD_SIZE, memory->n_singles * sizeof(*memory->singles));
	for (size_t i = 0; i < memory->n_singles; i++)
		if (memory->singles[i].base > 1 || memory->singles[i].class >= RFS_SWEEP_CLASSES) {
			rfs_sweep_memory_release(memory);
			return -EINVAL;
		}
	return 0;
}

void rfs_sweep_memory_write(const struct rfs_sweep_memory *memory, struct rfs_blob *blob)
{
	const size_t singles = memory->n_singles * sizeof(*memory->singles);
	char *data = rfs_policy_zalloc(1, sizeof(magic) + HEAD_SIZE + singles);

	memcpy(data, magic, sizeof(magic));
	memcpy(data + sizeof(magic), memory, HEAD_SIZE);
	if (singles)
		memcpy(data + sizeof(magic) + HEAD_SIZE, memory->singles, singles);
	*blob = (struct rfs_blob){data, sizeof(magic) + HEAD_SIZE + singles};
}

void rfs_sweep_memory_release(struct rfs_sweep_memory *memory)
{
	free(memory->singles);
	memory->singles = NULL;
}

/* ---- the next run ---- */

static uint32_t greatest_common_divisor(uint32_t a, uint32_t b)
{
	while (b) {
		const uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * Number i of a permutation of 0 to n - 1 that starts with 0. Its steps are about 0.618 n (the golden ratio), so its
 * first members are spread nearly evenly, however few they are (the three-distance theorem).
 */
static uint32_t sweep_plan_spread(uint32_t i, uint32_t n)
{
	uint32_t step = (uint32_t)((uint64_t)n * 618 / 1000);

	if (step == 0)
		step = 1;
	while (greatest_common_divisor(step, n) != 1)
		step++;
	return (uint32_t)((uint64_t)i * step % n);
}

static bool next_single(const struct rfs_sweep_memory *memory, enum rfs_sweep_class class, struct rfs_sweep_plan *out)
{
	int best = -1;

	for (int i = 0; i < (int)memory->n_bases; i++) {
		const struct rfs_sweep_base *base = &memory->bases[i];

		if (base->taken[class] < base->counts[class] &&
		    (best < 0 || base->taken[class] < memory->bases[best].taken[class]))
			best = i;
	}
	if (best < 0)
		return false;
	*out = (struct rfs_sweep_plan){.kind = RFS_SWEEP_SINGLE, .base = (uint32_t)best, .n = 1};
	out->take[0].class = class;
	out->take[0].number = sweep_plan_spread(memory->bases[best].taken[class], memory->bases[best].counts[class]);
	return true;
}

/* The class and the number of the next second alternative of a single. False: all are taken. */
static bool next_second(const struct rfs_sweep_single *single, enum rfs_sweep_class *class, uint32_t *number)
{
	uint32_t i = single->pairs;

	for (int k = 0; k < RFS_SWEEP_CLASSES; k++) {
		if (i < single->after[k]) {
			*class = (enum rfs_sweep_class)k;
			*number = sweep_plan_spread(i, single->after[k]);
			return true;
		}
		i -= single->after[k];
	}
	return false;
}

static bool next_pair(const struct rfs_sweep_memory *memory, struct rfs_sweep_plan *out)
{
	enum rfs_sweep_class class, best_class = RFS_SWEEP_CLASSES;
	uint32_t number, pairs = 0;

	for (uint32_t i = 0; i < memory->n_singles; i++) {
		const struct rfs_sweep_single *single = &memory->singles[i];

		if (!next_second(single, &class, &number) || class > best_class ||
		    (class == best_class && single->pairs >= pairs))
			continue;
		best_class = class;
		pairs = single->pairs;
		*out = (struct rfs_sweep_plan){.kind = RFS_SWEEP_PAIR, .base = single->base, .n = 2, .single = i};
		out->take[0].class = (enum rfs_sweep_class)single->class;
		out->take[0].number = single->number;
		out->take[1].class = class;
		out->take[1].number = number;
	}
	return best_class != RFS_SWEEP_CLASSES;
}

static void sweep_plan_next(const struct rfs_sweep_memory *memory, unsigned bound, uint32_t first,
			    struct rfs_sweep_plan *out)
{
	*out = (struct rfs_sweep_plan){.kind = RFS_SWEEP_BASE, .base = first};
	if (memory->n_bases == 0)
		return;
	for (uint32_t i = 0; i < memory->n_bases; i++) {
		if (memory->bases[i].known)
			continue;
		out->base = i;
		if (!memory->bases[!i].taken[RFS_SWEEP_NEW])
			(void)next_single(memory, RFS_SWEEP_NEW, out);
		return;
	}
	if (next_single(memory, RFS_SWEEP_NEW, out))
		return;
	for (uint32_t i = 0; i < 4; i++) {
		const uint32_t turn = (memory->turn + i) % 4;
		bool any;

		if (turn % 2 == 0)
			any = bound > 1 && next_pair(memory, out);
		else if (turn == 1)
			any = next_single(memory, RFS_SWEEP_AGAIN, out) || next_single(memory, RFS_SWEEP_REST, out);
		else
			any = next_single(memory, RFS_SWEEP_OTHER, out);
		if (any) {
			out->from_singles = true;
			return;
		}
	}
	*out = (struct rfs_sweep_plan){.kind = RFS_SWEEP_DONE};
}

void rfs_sweep_next(const struct rfs_sweep_memory *memory, unsigned bound, uint32_t first, struct rfs_sweep_plan *out)
{
	sweep_plan_next(memory, bound, first, out);
	out->bound = bound;
}

/* ---- what a run adds ---- */

static void learn_base(struct rfs_sweep_memory *memory, uint32_t number, const struct rfs_sweep_found *found)
{
	struct rfs_sweep_base *base;

	/* if the base schedules are the same, there is only the first one */
	if (memory->n_bases == 0) {
		memory->n_bases = found->parted ? 2 : 1;
		number = found->parted ? number : 0;
	}
	base = &memory->bases[number];
	*base = (struct rfs_sweep_base){.known = 1, .conflicts = found->conflicts};
	memcpy(base->counts, found->counts, sizeof(base->counts));
}

static void learn_single(struct rfs_sweep_memory *memory, const struct rfs_sweep_plan *plan,
			 const struct rfs_sweep_found *found)
{
	struct rfs_sweep_single *single;

	memory->bases[plan->base].taken[plan->take[0].class]++;
	if (!found->took || plan->bound < 2)
		return; /* nothing continues it */
	if (memory->n_singles == RFS_SWEEP_SINGLES_MAX) {
		memory->incomplete = 1;
		return;
	}
	memory->singles = realloc(memory->singles, (memory->n_singles + 1) * sizeof(*memory->singles));
	if (!memory->singles)
		rfs_policy_out_of_memory();
	single = &memory->singles[memory->n_singles++];
	*single = (struct rfs_sweep_single){plan->base, plan->take[0].class, plan->take[0].number, {0}, 0};
	memcpy(single->after, found->counts, sizeof(single->after));
}

void rfs_sweep_learn(struct rfs_sweep_memory *memory, const struct rfs_sweep_plan *plan,
		     const struct rfs_sweep_found *found)
{
	if (found->stale) {
		memory->n_bases = memory->turn = memory->incomplete = memory->n_singles = 0;
		memset(memory->bases, 0, sizeof(memory->bases));
		return;
	}
	memory->turn += plan->from_singles;
	memory->incomplete |= found->incomplete;
	if (plan->kind == RFS_SWEEP_BASE)
		learn_base(memory, plan->base, found);
	else if (plan->kind == RFS_SWEEP_SINGLE)
		learn_single(memory, plan, found);
	else if (plan->kind == RFS_SWEEP_PAIR)
		memory->singles[plan->single].pairs++;
}
