/*
 * order.c - keeps the last operations of each thing. Addresses are in regions with ranges that split where accesses
 * overlap in part.
 */
#include "policy/core/order.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <xxhash.h>

#include "policy/core/alloc.h"
#include "policy/core/dependence.h"

#define SPACES (RFS_SPACE_WORLD + 1)
/*
 * Spaces are divided into regions of 64 KiB. A large program touches a million places in random order. One sorted list
 * of all of them would be moved at each insertion.
 */
#define REGION_SHIFT 16
#define REGION_MASK (((uint64_t)1 << REGION_SHIFT) - 1)
/* Of a larger range, only this many bytes count. A wrong length may be as large as the address space. */
#define RANGE_MAX ((uint64_t)1 << 30)

/*
 * The operations on one thing so far, as two hashes: all that the next operation on it may depend on. The operations of
 * the last group commute with each other. The next operation with the same effect (if not WRITE) depends only on what
 * came before the group. Any other operation depends on the group too.
 */
struct history {
	enum rfs_effect group;	      /* effect of the last group; NONE: no operation yet */
	struct rfs_order_hash before; /* hash of all operations before the group */
	struct rfs_order_hash sum;    /* sum of the hashes of the group's operations */
};

/* A range of addresses in one region, all with the same history. The segments of a region are disjoint and ascending.
 */
struct segment {
	rfs_addr address, last; /* last: address of the last byte, not the end, which could be 2^64 */
	struct history history;
};

struct map {
	uint64_t number; /* of the region: its addresses without the lower bits */
	struct segment *segments;
	size_t n, capacity;
	UT_hash_handle hh;
};

struct rfs_order {
	struct map *maps[SPACES];   /* hash tables of the regions that were touched */
	struct map *latest[SPACES]; /* the region that was looked up last: mostly the next one, too */
	struct rfs_order_hash sum;
};

struct rfs_order *rfs_order_new(void)
{
	return rfs_policy_zalloc(1, sizeof(struct rfs_order));
}

struct rfs_order *rfs_order_copy(const struct rfs_order *order)
{
	struct rfs_order *copy = rfs_order_new();

	copy->sum = order->sum;
	for (size_t i = 0; i < SPACES; i++)
		for (const struct map *map = order->maps[i]; map; map = map->hh.next) {
			struct map *to = rfs_policy_zalloc(1, sizeof(*to));

			to->number = map->number;
			to->n = map->n;
			to->segments = rfs_policy_grow(NULL, &to->capacity, map->n, sizeof(*to->segments));
			if (map->n)
				memcpy(to->segments, map->segments, map->n * sizeof(*map->segments));
			HASH_ADD(hh, copy->maps[i], number, sizeof(to->number), to);
		}
	return copy;
}

void rfs_order_free(struct rfs_order *order)
{
	if (!order)
		return;
	for (size_t i = 0; i < SPACES; i++) {
		struct map *map, *next;

		HASH_ITER (hh, order->maps[i], map, next) {
			HASH_DEL(order->maps[i], map);
			free(map->segments);
			free(map);
		}
	}
	free(order);
}

struct rfs_order_hash rfs_order_get(const struct rfs_order *order)
{
	return order->sum;
}

static struct rfs_order_hash order_hash_of(const void *data, size_t size)
{
	XXH128_hash_t hash = XXH3_128bits(data, size);

	return (struct rfs_order_hash){hash.low64, hash.high64};
}

static void add_to(struct rfs_order_hash *sum, struct rfs_order_hash term)
{
	sum->low += term.low;
	sum->high += term.high + (sum->low < term.low);
}

static bool same_history(const struct history *a, const struct history *b)
{
	return a->group == b->group && a->before.low == b->before.low && a->before.high == b->before.high &&
	       a->sum.low == b->sum.low && a->sum.high == b->sum.high;
}

/* ---- the map of a region ---- */

/* The first segment that ends at or after the address. */
static size_t order_find(const struct map *map, rfs_addr address)
{
	size_t low = 0, high = map->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->segments[middle].last < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* history is passed by value, because a pointer could point into the array that grows here. */
static void order_insert(struct map *map, size_t at, rfs_addr address, rfs_addr last, struct history history)
{
	map->segments = rfs_policy_grow(map->segments, &map->capacity, map->n + 1, sizeof(*map->segments));
	memmove(&map->segments[at + 1], &map->segments[at], (map->n - at) * sizeof(*map->segments));
	map->segments[at] = (struct segment){address, last, history};
	map->n++;
}

/* Splits the segment that contains both address - 1 and address, if there is one. */
static void order_split(struct map *map, rfs_addr address)
{
	size_t at = order_find(map, address);

	if (at == map->n || map->segments[at].address >= address)
		return;
	order_insert(map, at, map->segments[at].address, address - 1, map->segments[at].history);
	map->segments[at + 1].address = address;
}

/* Makes segments that cover exactly address to last, without gaps: those with index *first to *end - 1. */
static void order_cover(struct map *map, rfs_addr address, rfs_addr last, size_t *first, size_t *end)
{
	const struct history untouched = {0};
	size_t at = order_find(map, address);

	/* most operations touch what an earlier one has touched alone */
	if (at < map->n && map->segments[at].address == address && map->segments[at].last == last) {
		*first = at;
		*end = at + 1;
		return;
	}
	order_split(map, address);
	if (last != UINT64_MAX)
		order_split(map, last + 1);
	*first = at = order_find(map, address);
	for (rfs_addr next = address;; at++) {
		if (at == map->n || map->segments[at].address > last) {
			order_insert(map, at++, next, last, untouched);
			break;
		}
		if (map->segments[at].address > next) {
			order_insert(map, at, next, map->segments[at].address - 1, untouched);
			next = map->segments[at].last + 1;
			continue;
		}
		if (map->segments[at].last == last) {
			at++;
			break;
		}
		next = map->segments[at].last + 1;
	}
	*end = at;
}

/* Joins neighbours with the same history, between first - 1 and end. Without this, the borders of every access would
 * remain as segments. */
static void order_merge(struct map *map, size_t first, size_t end)
{
	size_t from = first > 0 ? first - 1 : 0, to, kept;

	to = end < map->n ? end + 1 : map->n;
	kept = from;
	for (size_t i = from + 1; i < to; i++) {
		struct segment *left = &map->segments[kept], *right = &map->segments[i];

		if (left->last + 1 == right->address && same_history(&left->history, &right->history))
			left->last = right->last;
		else
			map->segments[++kept] = *right;
	}
	if (kept + 1 == to)
		return;
	memmove(&map->segments[kept + 1], &map->segments[to], (map->n - to) * sizeof(*map->segments));
	map->n -= to - kept - 1;
}

static struct map *find_map(struct rfs_order *order, size_t space, uint64_t number)
{
	struct map *map = order->latest[space];

	if (map && map->number == number)
		return map;
	HASH_FIND(hh, order->maps[space], &number, sizeof(number), map);
	if (map)
		order->latest[space] = map;
	return map;
}

static struct map *map_of(struct rfs_order *order, size_t space, rfs_addr address)
{
	struct map *map = find_map(order, space, address >> REGION_SHIFT);

	if (map)
		return map;
	map = rfs_policy_zalloc(1, sizeof(*map));
	map->number = address >> REGION_SHIFT;
	HASH_ADD(hh, order->maps[space], number, sizeof(map->number), map);
	return map;
}

/* The last address of the range that is in the region of `from`. */
static rfs_addr last_in_region(rfs_addr from, rfs_addr last)
{
	return (from | REGION_MASK) < last ? from | REGION_MASK : last;
}

static rfs_addr order_last_of(rfs_addr address, uint64_t size)
{
	return size - 1 > UINT64_MAX - address ? UINT64_MAX : address + size - 1;
}

/* ---- operations ---- */

/* The hash of all operations that a new one with this effect depends on: those before the last group, or all. */
static struct rfs_order_hash depends_on(const struct history *history, enum rfs_effect effect)
{
	if (history->group == RFS_EFFECT_NONE)
		return (struct rfs_order_hash){0, 0};
	if (history->group == effect && effect != RFS_EFFECT_WRITE)
		return history->before;
	return order_hash_of(&(struct { struct rfs_order_hash before, sum; }){history->before, history->sum},
			     sizeof(struct rfs_order_hash) * 2);
}

/* What an operation depends on at one place. It is needed twice: for the operation, and when it is added. */
struct predecessors {
	struct history of;
	struct rfs_order_hash hash;
};

/* known: the predecessors of the operation at one of the places that it touches with this effect, maybe this one. */
static void order_take(struct history *history, enum rfs_effect effect, struct rfs_order_hash operation,
		       const struct predecessors *known)
{
	if (history->group != effect || effect == RFS_EFFECT_WRITE) {
		history->before = same_history(&known->of, history) ? known->hash : depends_on(history, effect);
		history->sum = (struct rfs_order_hash){0, 0};
		history->group = effect;
	}
	add_to(&history->sum, operation);
}

/*
 * Adds to the hash of an operation what it depends on in [from, last]: the part, in one region, of the range that it
 * touches. *previous: the predecessors at the place before; at first, none.
 */
static void depend_on_part(struct map *map, const struct rfs_touch *t, rfs_addr from, rfs_addr last,
			   struct rfs_order_hash *hash, struct predecessors *previous)
{
	size_t first, end;

	order_cover(map, from, last, &first, &end);
	for (size_t s = first; s < end; s++) {
		struct {
			struct rfs_order_hash so_far, before;
			uint64_t space, offset;
		} link = {*hash, depends_on(&map->segments[s].history, t->effect), t->space,
			  map->segments[s].address - t->address};

		/* Skip a segment with the same predecessors as the previous one. Their border comes only from other
		 * accesses, or from the border of a region. */
		if (link.offset && link.before.low == previous->hash.low && link.before.high == previous->hash.high)
			continue;
		*previous = (struct predecessors){map->segments[s].history, link.before};
		*hash = order_hash_of(&link, sizeof(link));
	}
}

/* The last address of what counts of the touched range. */
static rfs_addr last_touched(const struct rfs_touch *t)
{
	return order_last_of(t->address, t->size < RANGE_MAX ? t->size : RANGE_MAX);
}

/*
 * Computes the hash of the operation from what it depends on, then adds the operation to these histories.
 *
 * An operation never has two different effects on one thing. A free touches the same bytes as memory and as objects,
 * but these are different spaces.
 */
void rfs_order_add(struct rfs_order *order, int thread, const struct rfs_op *op, enum rfs_outcome outcome,
		   const struct rfs_order_names *names)
{
	struct rfs_touch touches[RFS_TOUCHES_MAX];
	struct predecessors known[RFS_TOUCHES_MAX];
	size_t n = rfs_touches(thread, op, touches), first, end;
	struct {
		struct rfs_order_names names;
		uint64_t kind, access, outcome, size;
	} what = {*names, op->kind, op->access, outcome, op->size};
	struct rfs_order_hash hash = order_hash_of(&what, sizeof(what));

	for (size_t i = 0; i < n; i++) {
		const struct rfs_touch *t = &touches[i];
		const rfs_addr last = last_touched(t);
		rfs_addr from = t->address, to;

		known[i] = (struct predecessors){0};
		do {
			to = last_in_region(from, last);
			depend_on_part(map_of(order, t->space, from), t, from, to, &hash, &known[i]);
			from = to + 1;
		} while (to != last);
	}
	for (size_t i = 0; i < n; i++) {
		const struct rfs_touch *t = &touches[i];
		const rfs_addr last = last_touched(t);
		rfs_addr from = t->address, to;

		do {
			struct map *map = map_of(order, t->space, from);

			to = last_in_region(from, last);
			order_cover(map, from, to, &first, &end);
			for (size_t s = first; s < end; s++)
				order_take(&map->segments[s].history, t->effect, hash, &known[i]);
			order_merge(map, first, end);
			from = to + 1;
		} while (to != last);
	}
	add_to(&order->sum, hash);
}

/* Forgets the part of the range that is in the region of the map. */
static void reset_map(struct map *map, rfs_addr address, rfs_addr last)
{
	const rfs_addr start = map->number << REGION_SHIFT, from = address > start ? address : start;
	const rfs_addr to = last_in_region(from, last);
	size_t first = order_find(map, from), end;

	/* most allocations return memory that no operation has used: leave the map as it is */
	if (first == map->n || map->segments[first].address > to)
		return;
	order_cover(map, from, to, &first, &end);
	memmove(&map->segments[first], &map->segments[end], (map->n - end) * sizeof(*map->segments));
	map->n -= end - first;
}

void rfs_order_reset(struct rfs_order *order, rfs_addr address, uint64_t size)
{
	static const enum rfs_touch_space forgotten[] = {RFS_SPACE_MEMORY, RFS_SPACE_OBJECT};
	const uint64_t lowest = address >> REGION_SHIFT,
		       highest = order_last_of(address, size ? size : 1) >> REGION_SHIFT;

	if (size == 0)
		return;
	for (size_t i = 0; i < sizeof(forgotten) / sizeof(*forgotten); i++) {
		struct map *map, *maps = order->maps[forgotten[i]];

		/* a range may have many more regions than were touched */
		if (highest - lowest < HASH_COUNT(maps)) {
			for (uint64_t number = lowest; number <= highest; number++)
				if ((map = find_map(order, forgotten[i], number)) != NULL)
					reset_map(map, address, order_last_of(address, size));
			continue;
		}
		for (map = maps; map; map = map->hh.next)
			if (map->number >= lowest && map->number <= highest)
				reset_map(map, address, order_last_of(address, size));
	}
}
