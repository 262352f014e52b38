#include "policy/core/order.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "policy/core/alloc.h"
#include "policy/core/dependence.h"

#define SPACES (RFS_SPACE_WORLD + 1)

/*
 * What was done to one thing, as far as the next operation depends on it. The operations of `group` commute with each
 * other: one more of the same effect depends on what was before the group only, one of another effect on all of it.
 */
struct history {
	enum rfs_effect group;	      /* NONE: untouched */
	struct rfs_order_hash before; /* of all operations before the group */
	struct rfs_order_hash sum;    /* of the operations of the group */
};

/* Things of one space that have one history. Those of a space are disjoint and ascending. */
struct segment {
	rfs_addr address, last; /* last: the address of the last byte, which exists even at the top of memory */
	struct history history;
};

struct map {
	struct segment *segments;
	size_t n, capacity;
};

struct rfs_order {
	struct map maps[SPACES];
	struct rfs_order_hash sum;
};

struct rfs_order *rfs_order_new(void)
{
	return rfs_policy_zalloc(1, sizeof(struct rfs_order));
}

struct rfs_order *rfs_order_copy(const struct rfs_order *order)
{
	struct rfs_order *copy = rfs_order_new();

	*copy = *order;
	for (size_t i = 0; i < SPACES; i++) {
		struct map *map = &copy->maps[i];

		map->capacity = 0;
		map->segments = rfs_policy_grow(NULL, &map->capacity, map->n, sizeof(*map->segments));
		if (map->n)
			memcpy(map->segments, order->maps[i].segments, map->n * sizeof(*map->segments));
	}
	return copy;
}

void rfs_order_free(struct rfs_order *order)
{
	if (!order)
		return;
	for (size_t i = 0; i < SPACES; i++)
		free(order->maps[i].segments);
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

/* ---- the map of a space ---- */

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

/* history by value: it may be an element of the array that grows. */
static void insert(struct map *map, size_t at, rfs_addr address, rfs_addr last, struct history history)
{
	map->segments = rfs_policy_grow(map->segments, &map->capacity, map->n + 1, sizeof(*map->segments));
	memmove(&map->segments[at + 1], &map->segments[at], (map->n - at) * sizeof(*map->segments));
	map->segments[at] = (struct segment){address, last, history};
	map->n++;
}

/* Afterwards, no segment crosses this address. */
static void split(struct map *map, rfs_addr address)
{
	size_t at = order_find(map, address);

	if (at == map->n || map->segments[at].address >= address)
		return;
	insert(map, at, map->segments[at].address, address - 1, map->segments[at].history);
	map->segments[at + 1].address = address;
}

/* Segments that cover exactly the range, in which every byte is in one: [*first, *end). */
static void cover(struct map *map, rfs_addr address, rfs_addr last, size_t *first, size_t *end)
{
	const struct history untouched = {0};
	size_t at;

	split(map, address);
	if (last != UINT64_MAX)
		split(map, last + 1);
	*first = at = order_find(map, address);
	for (rfs_addr next = address;; at++) {
		if (at == map->n || map->segments[at].address > last) {
			insert(map, at++, next, last, untouched);
			break;
		}
		if (map->segments[at].address > next) {
			insert(map, at, next, map->segments[at].address - 1, untouched);
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

/* The inverse of split(): joins neighbours with the same history. Otherwise the borders of every access would stay. */
static void merge(struct map *map, size_t first, size_t end)
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
	memmove(&map->segments[kept + 1], &map->segments[to], (map->n - to) * sizeof(*map->segments));
	map->n -= to - kept - 1;
}

static rfs_addr last_of(rfs_addr address, uint64_t size)
{
	return size - 1 > UINT64_MAX - address ? UINT64_MAX : address + size - 1;
}

/* ---- operations ---- */

/* The operations that one with this effect depends on: those before the group, or all. */
static struct rfs_order_hash depends_on(const struct history *history, enum rfs_effect effect)
{
	if (history->group == RFS_EFFECT_NONE)
		return (struct rfs_order_hash){0, 0};
	if (history->group == effect && effect != RFS_EFFECT_WRITE)
		return history->before;
	return order_hash_of(&(struct { struct rfs_order_hash before, sum; }){history->before, history->sum},
			     sizeof(struct rfs_order_hash) * 2);
}

static void order_take(struct history *history, enum rfs_effect effect, struct rfs_order_hash operation)
{
	if (history->group != effect || effect == RFS_EFFECT_WRITE) {
		history->before = depends_on(history, effect);
		history->sum = (struct rfs_order_hash){0, 0};
		history->group = effect;
	}
	add_to(&history->sum, operation);
}

/*
 * If one operation touches the same bytes twice with different effects (a free, and the memory that it frees), the
 * touches are in different spaces: no object gets two effects of one operation.
 */
void rfs_order_add(struct rfs_order *order, int thread, const struct rfs_op *op, enum rfs_outcome outcome,
		   const struct rfs_order_names *names)
{
	struct rfs_touch touches[RFS_TOUCHES_MAX];
	size_t n = rfs_touches(thread, op, touches), first, end;
	struct {
		struct rfs_order_names names;
		uint64_t kind, access, outcome, size;
	} what = {*names, op->kind, op->access, outcome, op->size};
	struct rfs_order_hash hash = order_hash_of(&what, sizeof(what));

	for (size_t i = 0; i < n; i++) {
		const struct rfs_touch *t = &touches[i];
		struct map *map = &order->maps[t->space];
		struct rfs_order_hash previous = {0, 0};

		cover(map, t->address, last_of(t->address, t->size), &first, &end);
		for (size_t s = first; s < end; s++) {
			struct {
				struct rfs_order_hash so_far, before;
				uint64_t space, offset;
			} link = {hash, depends_on(&map->segments[s].history, t->effect), t->space,
				  map->segments[s].address - t->address};

			/* borders from other accesses do not count */
			if (s > first && link.before.low == previous.low && link.before.high == previous.high)
				continue;
			previous = link.before;
			hash = order_hash_of(&link, sizeof(link));
		}
	}
	for (size_t i = 0; i < n; i++) {
		const struct rfs_touch *t = &touches[i];
		struct map *map = &order->maps[t->space];

		cover(map, t->address, last_of(t->address, t->size), &first, &end);
		for (size_t s = first; s < end; s++)
			order_take(&map->segments[s].history, t->effect, hash);
		merge(map, first, end);
	}
	add_to(&order->sum, hash);
}

void rfs_order_reset(struct rfs_order *order, rfs_addr address, uint64_t size)
{
	static const enum rfs_touch_space forgotten[] = {RFS_SPACE_MEMORY, RFS_SPACE_OBJECT};

	if (size == 0)
		return;
	for (size_t i = 0; i < sizeof(forgotten) / sizeof(*forgotten); i++) {
		struct map *map = &order->maps[forgotten[i]];
		size_t first, end;

		cover(map, address, last_of(address, size), &first, &end);
		memmove(&map->segments[first], &map->segments[end], (map->n - end) * sizeof(*map->segments));
		map->n -= end - first;
	}
}
