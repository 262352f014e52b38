/* superseded.c - lists of older accesses, by number. Numbers of lists that were dropped are used again. */
#include "policy/shadow/superseded.h"

#include <stdlib.h>
#include <string.h>

#include "policy/core/alloc.h"

#define FIRST_LIMIT 16 /* limit of a new list */
#define RECENT 8       /* a new access is compared with this many of the latest older ones */

void rfs_superseded_init(struct rfs_superseded_list *olders, struct rfs_descriptors *stamps, struct rfs_locksets *sets)
{
	*olders = (struct rfs_superseded_list){.stamps = stamps, .sets = sets, .n = 1};
}

void rfs_superseded_release(struct rfs_superseded_list *olders)
{
	for (size_t i = 0; i < olders->n && olders->lists; i++)
		free(olders->lists[i].items);
	free(olders->lists);
	free(olders->seen);
}

static uint32_t superseded_new_list(struct rfs_superseded_list *olders, rfs_lockset core)
{
	uint32_t i = olders->first_free;

	if (i) {
		olders->first_free = olders->lists[i].next;
	} else {
		i = (uint32_t)olders->n++;
		olders->lists = rfs_policy_grow(olders->lists, &olders->capacity, olders->n, sizeof(*olders->lists));
	}
	*olders->stamps->bytes += sizeof(*olders->lists);
	olders->lists[i].limit = FIRST_LIMIT;
	olders->lists[i].core = core;
	return i;
}

void rfs_superseded_drop(struct rfs_superseded_list *olders, uint32_t number)
{
	struct rfs_superseded *list = &olders->lists[number];

	for (size_t i = 0; i < list->n; i++)
		rfs_descriptors_drop(olders->stamps, list->items[i].stamp);
	*olders->stamps->bytes -= sizeof(*list) + list->capacity * sizeof(*list->items);
	free(list->items);
	*list = (struct rfs_superseded){.next = olders->first_free};
	olders->first_free = number;
}

static rfs_lockset locks_of(const struct rfs_superseded_list *olders, rfs_access_descriptor stamp)
{
	return olders->stamps->all[stamp].locks;
}

/* For each lockset, removes all accesses except the last one. */
static void compact(struct rfs_superseded_list *olders, struct rfs_superseded *list)
{
	size_t kept = list->n;

	olders->seen = rfs_policy_grow(olders->seen, &olders->seen_capacity, rfs_locksets_count(olders->sets),
				       sizeof(*olders->seen));
	olders->n_compactions++;
	for (size_t i = list->n; i-- > 0;) {
		rfs_lockset locks = locks_of(olders, list->items[i].stamp);

		if (olders->seen[locks] == olders->n_compactions) {
			rfs_descriptors_drop(olders->stamps, list->items[i].stamp);
			continue;
		}
		olders->seen[locks] = olders->n_compactions;
		list->items[--kept] = list->items[i];
	}
	list->n -= kept;
	memmove(list->items, list->items + kept, list->n * sizeof(*list->items));
	list->limit = list->n < FIRST_LIMIT / 2 ? FIRST_LIMIT : 2 * list->n;
}

void rfs_superseded_push(struct rfs_superseded_list *olders, struct rfs_cell *cell, rfs_access_descriptor stamp,
			 uint8_t part, uint8_t start)
{
	rfs_lockset locks = locks_of(olders, stamp), before = locks_of(olders, cell->stamp);
	struct rfs_superseded *list;
	size_t before_growth;

	rfs_descriptors_keep(olders->stamps, stamp);
	if (!rfs_locksets_within(olders->sets, locks, before)) {
		if (!cell->older)
			cell->older = superseded_new_list(olders, before);
		list = &olders->lists[cell->older];
		before_growth = list->capacity;
		list->items = rfs_policy_grow(list->items, &list->capacity, list->n + 1, sizeof(*list->items));
		*olders->stamps->bytes += (list->capacity - before_growth) * sizeof(*list->items);
		list->items[list->n++] = (struct rfs_superseded_access){cell->stamp, cell->part, cell->start};
	} else {
		rfs_descriptors_drop(olders->stamps, cell->stamp);
	}
	cell->stamp = stamp;
	cell->part = part;
	cell->start = start;
	if (!cell->older)
		return;
	list = &olders->lists[cell->older];
	list->core = rfs_locksets_meet(olders->sets, list->core, locks);
	for (size_t i = list->n; i-- > 0 && i + RECENT >= list->n;) {
		if (!rfs_locksets_within(olders->sets, locks, locks_of(olders, list->items[i].stamp)))
			continue;
		rfs_descriptors_drop(olders->stamps, list->items[i].stamp);
		list->n--;
		memmove(&list->items[i], &list->items[i + 1], (list->n - i) * sizeof(*list->items));
	}
	if (list->n > list->limit)
		compact(olders, list);
}
