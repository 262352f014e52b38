/* hold_stacks.c - compares the number of the operation with those of the spec, and keeps a stack at each. */
#include "supervisor/state/findings/hold_stacks.h"

#include <stdlib.h>

#include "supervisor/base/alloc.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/symbols/place.h"

struct rfs_hold_stack {
	struct rfs_place *places;
	size_t n;
};

/* The index of the first number in the spec that is at least `step`. */
static size_t hold_stacks_first_from(const struct rfs_run_wanted *wanted, uint64_t step)
{
	size_t i = 0;

	while (i < wanted->n_stacks_at && wanted->stacks_at[i] < step)
		i++;
	return i;
}

static bool hold_stacks_is_wanted(const struct rfs_run_wanted *wanted, size_t i, uint64_t step)
{
	return i < wanted->n_stacks_at && wanted->stacks_at[i] == step;
}

bool rfs_hold_stacks_wanted(const struct rfs_run *run)
{
	const uint64_t step = run->result->counts.steps;
	const size_t i = hold_stacks_first_from(&run->spec->wanted, step);

	return hold_stacks_is_wanted(&run->spec->wanted, i, step) && !(run->hold_stacks && run->hold_stacks[i].places);
}

void rfs_hold_stacks_keep(struct rfs_run *run, struct rfs_place *places, size_t n)
{
	const size_t i = hold_stacks_first_from(&run->spec->wanted, run->result->counts.steps);

	if (!run->hold_stacks)
		run->hold_stacks = xcalloc(run->spec->wanted.n_stacks_at, sizeof(*run->hold_stacks));
	run->hold_stacks[i] = (struct rfs_hold_stack){places, n};
}

uint64_t rfs_hold_stacks_until_next(const struct rfs_run *run)
{
	const uint64_t step = run->result->counts.steps;
	const size_t i = hold_stacks_first_from(&run->spec->wanted, step + 1);

	return i < run->spec->wanted.n_stacks_at ? run->spec->wanted.stacks_at[i] - step - 1 : UINT64_MAX;
}

void rfs_hold_stacks_find(const struct rfs_run *run, uint64_t step, struct rfs_place **out, size_t *n)
{
	const size_t i = hold_stacks_first_from(&run->spec->wanted, step);

	*n = 0;
	*out = NULL;
	if (!run->hold_stacks || !hold_stacks_is_wanted(&run->spec->wanted, i, step))
		return;
	*n = run->hold_stacks[i].n;
	*out = rfs_places_copy(run->hold_stacks[i].places, *n);
}

void rfs_hold_stacks_close(struct rfs_run *run)
{
	for (size_t i = 0; run->hold_stacks && i < run->spec->wanted.n_stacks_at; i++)
		rfs_places_free(run->hold_stacks[i].places, run->hold_stacks[i].n);
	free(run->hold_stacks);
	run->hold_stacks = NULL;
}
