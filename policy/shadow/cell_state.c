/* cell_state.c - a hash table of states by their cells, and when a state may be forgotten. */
#include "policy/shadow/cell_state.h"

#include <stdlib.h>
#include <string.h>

#include "policy/core/alloc.h"

#define FIRST_BUCKETS 1024
#define UNUSED_MAX 8192 /* limit of states that are kept although no granule is in them */

void rfs_cell_states_init(struct rfs_cell_states *states, struct rfs_descriptors *stamps)
{
	states->stamps = stamps;
	states->bytes = stamps->bytes;
	states->n = 1;
	states->n_buckets = FIRST_BUCKETS;
	states->buckets = rfs_policy_zalloc(FIRST_BUCKETS, sizeof(*states->buckets));
}

void rfs_cell_states_release(struct rfs_cell_states *states)
{
	for (size_t i = 1; i < states->n; i++)
		free(states->all[i].cells);
	free(states->all);
	free(states->buckets);
	free(states->unused);
}

static uint32_t cell_state_hash_of(const struct rfs_cell *cells, size_t n)
{
	uint64_t hash = n;

	for (size_t i = 0; i < n; i++) {
		hash ^= (uint64_t)cells[i].stamp << 24 | (uint64_t)cells[i].mask << 16 | cells[i].part << 8 |
			cells[i].start;
		hash *= 0x9e3779b97f4a7c15u;
		hash ^= hash >> 29;
	}
	return (uint32_t)hash;
}

static bool has_cells(const struct rfs_cell_state_data *state, const struct rfs_cell *cells, size_t n)
{
	if (state->n != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct rfs_cell *a = &state->cells[i], *b = &cells[i];

		if (a->stamp != b->stamp || a->mask != b->mask || a->part != b->part || a->start != b->start)
			return false;
	}
	return true;
}

static uint32_t *bucket_of(const struct rfs_cell_states *states, uint32_t hash)
{
	return &states->buckets[hash & (states->n_buckets - 1)];
}

static void link_state(struct rfs_cell_states *states, rfs_cell_state state)
{
	uint32_t *bucket = bucket_of(states, states->all[state].hash);

	states->all[state].next = *bucket;
	*bucket = state;
}

static void more_buckets(struct rfs_cell_states *states)
{
	free(states->buckets);
	states->n_buckets *= 2;
	states->buckets = rfs_policy_zalloc(states->n_buckets, sizeof(*states->buckets));
	for (rfs_cell_state i = 1; i < states->n; i++)
		if (states->all[i].n)
			link_state(states, i);
}

static void drop_stamps(struct rfs_cell_states *states, const struct rfs_cell *cells, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rfs_descriptors_drop(states->stamps, cells[i].stamp);
}

static void forget_state(struct rfs_cell_states *states, rfs_cell_state state)
{
	struct rfs_cell_state_data *data = &states->all[state];
	uint32_t *link = bucket_of(states, data->hash);

	while (*link != state)
		link = &states->all[*link].next;
	*link = data->next;
	drop_stamps(states, data->cells, data->n);
	*states->bytes -= sizeof(*data) + data->n * sizeof(*data->cells);
	free(data->cells);
	*data = (struct rfs_cell_state_data){.next = states->first_free};
	states->first_free = state;
	states->in_use--;
}

/* Their numbers will be reused, so the cache of steps is cleared. */
void rfs_cell_states_forget_unused(struct rfs_cell_states *states)
{
	for (size_t i = 0; i < states->n_unused; i++) {
		rfs_cell_state state = states->unused[i];

		states->all[state].listed = false;
		if (!states->all[state].granules)
			forget_state(states, state);
	}
	states->n_unused = 0;
	memset(states->steps, 0, sizeof(states->steps));
}

void rfs_cell_states_unused(struct rfs_cell_states *states, rfs_cell_state state)
{
	if (states->all[state].listed)
		return;
	states->all[state].listed = true;
	states->unused = rfs_policy_grow(states->unused, &states->unused_capacity, states->n_unused + 1,
					 sizeof(*states->unused));
	states->unused[states->n_unused++] = state;
}

static rfs_cell_state new_state(struct rfs_cell_states *states, const struct rfs_cell *cells, size_t n, uint32_t hash)
{
	rfs_cell_state state = states->first_free;

	if (state) {
		states->first_free = states->all[state].next;
	} else {
		state = (rfs_cell_state)states->n++;
		states->all = rfs_policy_grow(states->all, &states->capacity, states->n, sizeof(*states->all));
	}
	states->all[state] = (struct rfs_cell_state_data){
		.granules = 1,
		.hash = hash,
		.n = (uint8_t)n,
		.cells = rfs_policy_zalloc(n, sizeof(*cells)),
	};
	memcpy(states->all[state].cells, cells, n * sizeof(*cells));
	*states->bytes += sizeof(*states->all) + n * sizeof(*cells);
	if (++states->in_use > states->n_buckets)
		more_buckets(states); /* links this state too */
	else
		link_state(states, state);
	return state;
}

rfs_cell_state rfs_cell_states_intern(struct rfs_cell_states *states, const struct rfs_cell *cells, size_t n)
{
	uint32_t hash = cell_state_hash_of(cells, n);

	if (states->n_unused > UNUSED_MAX)
		rfs_cell_states_forget_unused(states);
	for (rfs_cell_state state = *bucket_of(states, hash); state; state = states->all[state].next)
		if (states->all[state].hash == hash && has_cells(&states->all[state], cells, n)) {
			drop_stamps(states, cells, n);
			states->all[state].granules++;
			return state;
		}
	return new_state(states, cells, n, hash);
}
