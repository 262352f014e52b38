#include "policy/history.h"

#include <stdlib.h>
#include <string.h>

#include "policy/alloc.h"
#include "policy/pagemap.h"

#define GRANULE_SHIFT 3
#define GRANULES (RFS_PAGE_SIZE >> GRANULE_SHIFT) /* in a page */
#define WHOLE 0xffu				  /* mask of all bytes of a granule */

/* Runs of more than so many whole granules, a cache line, are kept as a bit set: 64 bytes against 56 a granule. */
#define MAX_SINGLE 8

/*
 * A free of a block this large is recorded only in pages where something was accessed before: a sparse block would
 * otherwise cost shadow memory for pages that the target itself never had. Smaller ones cost 64 MB / 4 KB * 250 bytes.
 */
#define SPARSE_FREE (UINT64_C(64) << 20)

/* Accesses of one site, thread and kind, under locksets none of which made the others superfluous. */
struct access_list {
	struct rfs_history_access *items; /* ascending by time */
	size_t n, capacity;
	size_t limit; /* when there are more, those with the same locksets are looked for */
};

/* The accesses of one site, thread and kind to some bytes of one granule. */
struct cell {
	struct rfs_history_access access; /* the last one */
	struct access_list *older;	  /* the others; NULL: none */
	rfs_lockset core;		  /* within the locksets of all of them */
	uint32_t next;			  /* index in cells, 0: none */
	uint8_t mask;			  /* their bytes, not 0 */
};

#define FIRST_LIMIT 16 /* of an access_list */
#define RECENT 8       /* so many of its last accesses are compared with each new one */

struct granule_set {
	uint64_t bits[GRANULES / 64];
};

/* A long access, as far as it covers whole granules of one page. */
struct range {
	struct rfs_history_access access;
	uint32_t next;		     /* index in ranges, 0: none */
	struct granule_set granules; /* not empty */
};

struct page {
	uint32_t *cells;	 /* first cell of each granule, 0: none; NULL until a granule has one */
	struct granule_set used; /* granules with cells */
	uint32_t ranges;	 /* first range, 0: none */
};

struct rfs_history {
	struct rfs_locksets *sets;
	rfs_history_race *race;
	void *arg;
	struct rfs_pagemap pages; /* of struct page */
	struct cell *cells;	  /* pools with a list of free places; place 0 is not used */
	size_t n_cells, cells_capacity;
	uint32_t free_cell;
	struct range *ranges;
	size_t n_ranges, ranges_capacity;
	uint32_t free_range;
	uint32_t *seen; /* by lockset: the number of the compaction that saw it last */
	size_t seen_capacity;
	uint32_t n_compactions;
};

/* A new access on its way through the pages. */
struct adding {
	struct rfs_history *history;
	const struct rfs_history_access *access;
	const struct rfs_vclock *knows;
	rfs_addr first, last; /* bytes */
};

struct rfs_history *rfs_history_new(struct rfs_locksets *sets, rfs_history_race *race, void *arg)
{
	struct rfs_history *history = rfs_policy_zalloc(1, sizeof(*history));

	history->sets = sets;
	history->race = race;
	history->arg = arg;
	history->n_cells = history->n_ranges = 1;
	return history;
}

static void free_page(void *arg, uint64_t number, void *value)
{
	struct page *page = value;

	(void)arg;
	(void)number;
	free(page->cells);
	free(page);
}

static void free_list(struct access_list *list)
{
	if (list)
		free(list->items);
	free(list);
}

void rfs_history_free(struct rfs_history *history)
{
	for (size_t i = 1; i < history->n_cells; i++)
		free_list(history->cells[i].older);
	rfs_pagemap_range(&history->pages, 0, UINT64_MAX, free_page, NULL);
	rfs_pagemap_release(&history->pages);
	free(history->cells);
	free(history->ranges);
	free(history->seen);
	free(history);
}

static uint32_t take_cell(struct rfs_history *history)
{
	uint32_t i = history->free_cell;

	if (i) {
		history->free_cell = history->cells[i].next;
		return i;
	}
	i = history->n_cells++;
	history->cells =
		rfs_policy_grow(history->cells, &history->cells_capacity, history->n_cells, sizeof(struct cell));
	return i;
}

static uint32_t take_range(struct rfs_history *history)
{
	uint32_t i = history->free_range;

	if (i) {
		history->free_range = history->ranges[i].next;
		return i;
	}
	i = history->n_ranges++;
	history->ranges =
		rfs_policy_grow(history->ranges, &history->ranges_capacity, history->n_ranges, sizeof(struct range));
	return i;
}

/* Takes the cell at *link out of its list. */
static void drop_cell(struct rfs_history *history, uint32_t *link)
{
	uint32_t i = *link;

	*link = history->cells[i].next;
	free_list(history->cells[i].older);
	history->cells[i].older = NULL;
	history->cells[i].next = history->free_cell;
	history->free_cell = i;
}

static void drop_range(struct rfs_history *history, uint32_t *link)
{
	uint32_t i = *link;

	*link = history->ranges[i].next;
	history->ranges[i].next = history->free_range;
	history->free_range = i;
}

static void push_cell(struct rfs_history *history, struct page *page, unsigned granule, uint8_t mask,
		      const struct rfs_history_access *access)
{
	uint32_t i = take_cell(history);

	if (!page->cells)
		page->cells = rfs_policy_zalloc(GRANULES, sizeof(*page->cells));
	history->cells[i] = (struct cell){*access, NULL, access->locks, page->cells[granule], mask};
	page->cells[granule] = i;
	page->used.bits[granule / 64] |= UINT64_C(1) << granule % 64;
}

static void mark_unused(struct page *page, unsigned granule)
{
	if (!page->cells[granule])
		page->used.bits[granule / 64] &= ~(UINT64_C(1) << granule % 64);
}

static bool has(const struct granule_set *set, unsigned granule)
{
	return set->bits[granule / 64] >> granule % 64 & 1;
}

static bool is_empty(const struct granule_set *set)
{
	uint64_t any = 0;

	for (size_t i = 0; i < GRANULES / 64; i++)
		any |= set->bits[i];
	return !any;
}

static void subtract(struct granule_set *from, const struct granule_set *set)
{
	for (size_t i = 0; i < GRANULES / 64; i++)
		from->bits[i] &= ~set->bits[i];
}

static struct granule_set intersect(const struct granule_set *a, const struct granule_set *b)
{
	struct granule_set both;

	for (size_t i = 0; i < GRANULES / 64; i++)
		both.bits[i] = a->bits[i] & b->bits[i];
	return both;
}

/* first to end - 1 */
static struct granule_set interval(unsigned first, unsigned end)
{
	struct granule_set set = {{0}};

	for (unsigned g = first; g < end; g++)
		set.bits[g / 64] |= UINT64_C(1) << g % 64;
	return set;
}

/* The first granule of the set at or after from; GRANULES where there is none. */
static unsigned next_granule(const struct granule_set *set, unsigned from)
{
	for (unsigned word = from / 64; word < GRANULES / 64; word++) {
		uint64_t bits = set->bits[word];

		if (word == from / 64)
			bits &= ~UINT64_C(0) << from % 64;
		if (bits)
			return word * 64 + __builtin_ctzll(bits);
	}
	return GRANULES;
}

static bool is_write(const struct rfs_history_access *access)
{
	return access->access & (RFS_ACCESS_WRITE | RFS_ACCESS_FREE);
}

/* The rule in the header, but for the order and the bytes: does n stand for e, were e under these locks? */
static bool stands_for(const struct rfs_history *history, const struct rfs_history_access *n,
		       const struct rfs_history_access *e, rfs_lockset locks)
{
	return n->site == e->site && is_write(n) >= is_write(e) && !(n->access & ~e->access & RFS_ACCESS_ATOMIC) &&
	       rfs_locksets_within(history->sets, n->locks, locks);
}

enum relation {
	UNRELATED,
	RACES,	/* the new access races with the earlier one */
	COVERS, /* the earlier one makes the new one superfluous, at the bytes that they share */
	YIELDS, /* the new one makes the earlier one superfluous there */
};

static bool is_ordered(const struct adding *adding, const struct rfs_history_access *earlier)
{
	return earlier->time <= rfs_vclock_get(adding->knows, earlier->thread);
}

/* Do they conflict, without a lock to protect them? The order is the caller's question. */
static bool is_unprotected(const struct adding *adding, const struct rfs_history_access *earlier, rfs_lockset locks)
{
	const struct rfs_history_access *new = adding->access;

	return (is_write(earlier) || is_write(new)) && !(earlier->access & new->access &RFS_ACCESS_ATOMIC) &&
	       !rfs_locksets_protect(adding->history->sets, locks, new->locks);
}

/* earlier was there before; both have bytes in common. core: within the locks of all that yield with it. */
static enum relation relate(const struct adding *adding, const struct rfs_history_access *earlier, rfs_lockset core)
{
	const struct rfs_history_access *new = adding->access;
	const struct rfs_history *history = adding->history;

	if (!is_ordered(adding, earlier))
		return is_unprotected(adding, earlier, earlier->locks) ? RACES : UNRELATED;
	if (earlier->thread == new->thread &&
	    earlier->time == new->time &&stands_for(history, earlier, new, new->locks))
		return COVERS;
	return stands_for(history, new, earlier, core) ? YIELDS : UNRELATED;
}

/* The same for all accesses of a cell; *racing is one that races, where one does. */
static enum relation relate_cell(const struct adding *adding, const struct cell *cell,
				 const struct rfs_history_access **racing)
{
	enum relation relation = relate(adding, &cell->access, cell->core);

	*racing = &cell->access;
	if (!cell->older || relation != UNRELATED || is_ordered(adding, &cell->access) ||
	    !is_unprotected(adding, &cell->access, cell->core))
		return relation;
	for (size_t i = cell->older->n; i-- > 0;) {
		*racing = &cell->older->items[i];
		if (is_ordered(adding, *racing))
			break;
		if (is_unprotected(adding, *racing, (*racing)->locks))
			return RACES;
	}
	return UNRELATED;
}

/* Takes out all but the last access of each lockset. */
static void compact(struct rfs_history *history, struct access_list *list)
{
	size_t kept = list->n;

	history->seen = rfs_policy_grow(history->seen, &history->seen_capacity, rfs_locksets_count(history->sets),
					sizeof(*history->seen));
	history->n_compactions++;
	for (size_t i = list->n; i-- > 0;) {
		rfs_lockset locks = list->items[i].locks;

		if (history->seen[locks] == history->n_compactions)
			continue;
		history->seen[locks] = history->n_compactions;
		list->items[--kept] = list->items[i];
	}
	list->n -= kept;
	memmove(list->items, list->items + kept, list->n * sizeof(*list->items));
	list->limit = list->n < FIRST_LIMIT / 2 ? FIRST_LIMIT : 2 * list->n;
}

/* The access goes to a cell of its site, thread, kind and bytes, and becomes its last. */
static void add_to_cell(struct rfs_history *history, struct cell *cell, const struct rfs_history_access *access)
{
	struct access_list *list = cell->older;

	if (!rfs_locksets_within(history->sets, access->locks, cell->access.locks)) {
		if (!list) {
			list = cell->older = rfs_policy_zalloc(1, sizeof(*list));
			list->limit = FIRST_LIMIT;
		}
		list->items = rfs_policy_grow(list->items, &list->capacity, list->n + 1, sizeof(*list->items));
		list->items[list->n++] = cell->access;
	}
	cell->access = *access;
	cell->core = rfs_locksets_meet(history->sets, cell->core, access->locks);
	if (!list)
		return;
	for (size_t i = list->n; i-- > 0 && i + RECENT >= list->n;) {
		if (!rfs_locksets_within(history->sets, access->locks, list->items[i].locks))
			continue;
		list->n--;
		memmove(&list->items[i], &list->items[i + 1], (list->n - i) * sizeof(*list->items));
	}
	if (list->n > list->limit)
		compact(history, list);
}

/* The new access races with a long one at these granules of the page: tells the first run of them. */
static void race_with_range(const struct adding *adding, uint64_t number, const struct rfs_history_access *earlier,
			    const struct granule_set *granules)
{
	struct rfs_history_access part = *earlier;
	unsigned first = next_granule(granules, 0), end = first;

	while (end < GRANULES && has(granules, end))
		end++;
	part.address = (number << RFS_PAGE_SHIFT) + (first << GRANULE_SHIFT);
	part.size = (uint64_t)(end - first) << GRANULE_SHIFT;
	adding->history->race(adding->history->arg, &part, adding->access);
}

/* May the access be added to the cell, if all of mask is to be kept? */
static bool is_home(const struct cell *cell, const struct rfs_history_access *access, uint8_t mask)
{
	return cell->mask == mask && cell->access.thread == access->thread && cell->access.site == access->site &&
	       cell->access.access == access->access;
}

/*
 * The new access against the cells of one granule; returns the bytes of mask that need not be kept. *home: index of the
 * cell that it may be added to, 0: none.
 */
static uint8_t against_cells(const struct adding *adding, struct page *page, unsigned granule, uint8_t mask,
			     uint32_t *home)
{
	struct rfs_history *history = adding->history;
	uint32_t *link = page->cells ? &page->cells[granule] : NULL;
	uint8_t covered = 0;

	*home = 0;
	if (!link || !*link)
		return 0;
	while (*link) {
		struct cell *cell = &history->cells[*link];
		const struct rfs_history_access *racing = NULL;
		enum relation relation = cell->mask & mask ? relate_cell(adding, cell, &racing) : UNRELATED;

		if (relation == RACES)
			history->race(history->arg, racing, adding->access);
		else if (relation == COVERS)
			covered |= cell->mask & mask;
		else if (relation == YIELDS)
			cell->mask &= ~mask;
		else if (is_home(cell, adding->access, mask))
			*home = *link;
		if (covered == mask)
			break; /* nobody is left that it can race with: see the header */
		if (!cell->mask)
			drop_cell(history, link);
		else
			link = &cell->next;
	}
	mark_unused(page, granule);
	return covered;
}

static void add_to_granule(const struct adding *adding, uint64_t number, struct page *page, unsigned granule,
			   uint8_t mask)
{
	struct rfs_history *history = adding->history;
	const struct granule_set here = interval(granule, granule + 1);
	uint32_t home;
	uint8_t rest = mask & ~against_cells(adding, page, granule, mask, &home);

	for (uint32_t *link = &page->ranges; rest && *link;) {
		struct range *range = &history->ranges[*link];
		enum relation relation = has(&range->granules, granule)
						 ? relate(adding, &range->access, range->access.locks)
						 : UNRELATED;

		if (relation == RACES)
			race_with_range(adding, number, &range->access, &here);
		else if (relation == COVERS)
			rest = 0;
		else if (relation == YIELDS && mask == WHOLE)
			subtract(&range->granules, &here);
		if (is_empty(&range->granules))
			drop_range(history, link);
		else
			link = &range->next;
	}
	if (rest == mask && home)
		add_to_cell(history, &history->cells[home], adding->access);
	else if (rest)
		push_cell(history, page, granule, rest, adding->access);
}

/* The new access to whole granules, first to end - 1. */
static void add_range(const struct adding *adding, uint64_t number, struct page *page, unsigned first, unsigned end)
{
	struct rfs_history *history = adding->history;
	const struct granule_set granules = interval(first, end), used = intersect(&granules, &page->used);
	struct granule_set rest = granules;
	uint32_t i, home;

	for (unsigned g = next_granule(&used, 0); g < GRANULES; g = next_granule(&used, g + 1)) {
		if (against_cells(adding, page, g, WHOLE, &home) == WHOLE)
			rest.bits[g / 64] &= ~(UINT64_C(1) << g % 64);
	}
	for (uint32_t *link = &page->ranges; *link;) {
		struct range *range = &history->ranges[*link];
		struct granule_set both = intersect(&range->granules, &granules);
		enum relation relation =
			is_empty(&both) ? UNRELATED : relate(adding, &range->access, range->access.locks);

		if (relation == RACES)
			race_with_range(adding, number, &range->access, &both);
		else if (relation == COVERS)
			subtract(&rest, &both);
		else if (relation == YIELDS)
			subtract(&range->granules, &both);
		if (is_empty(&range->granules))
			drop_range(history, link);
		else
			link = &range->next;
	}
	if (is_empty(&rest))
		return;
	i = take_range(history);
	history->ranges[i] = (struct range){*adding->access, page->ranges, rest};
	page->ranges = i;
}

/* The mask of bytes first to last of a page, as far as they are in the granule. */
static uint8_t mask_of(unsigned granule, unsigned first, unsigned last)
{
	unsigned start = granule << GRANULE_SHIFT, mask = WHOLE;

	if (first > start)
		mask &= WHOLE << (first - start);
	if (last < start + 7)
		mask &= WHOLE >> (start + 7 - last);
	return mask;
}

/* The part of first..last that is in the page, as offsets. */
static void clip(uint64_t number, rfs_addr first, rfs_addr last, unsigned *from, unsigned *to)
{
	rfs_addr start = number << RFS_PAGE_SHIFT;

	*from = first > start ? first - start : 0;
	*to = last - start < RFS_PAGE_SIZE ? last - start : RFS_PAGE_SIZE - 1;
}

static void add_to_page(void *arg, uint64_t number, void *value)
{
	const struct adding *adding = arg;
	struct page *page = value;
	unsigned from, to, granule, last;

	clip(number, adding->first, adding->last, &from, &to);
	granule = from >> GRANULE_SHIFT;
	last = to >> GRANULE_SHIFT;
	if (last - granule > MAX_SINGLE) {
		unsigned end = mask_of(last, from, to) == WHOLE ? last + 1 : last;

		if (mask_of(granule, from, to) != WHOLE)
			add_to_granule(adding, number, page, granule, mask_of(granule, from, to)), granule++;
		add_range(adding, number, page, granule, end);
		granule = end;
	}
	for (; granule <= last; granule++)
		add_to_granule(adding, number, page, granule, mask_of(granule, from, to));
}

/* The last byte of a range; one that would leave the address space ends with it. */
static rfs_addr last_of(rfs_addr address, uint64_t size)
{
	return address + (size - 1) < address ? UINT64_MAX : address + (size - 1);
}

void rfs_history_add(struct rfs_history *history, const struct rfs_history_access *access,
		     const struct rfs_vclock *knows)
{
	struct adding adding = {history, access, knows, access->address, 0};
	uint64_t last;

	if (access->size == 0)
		return;
	adding.last = last_of(access->address, access->size);
	last = adding.last >> RFS_PAGE_SHIFT;
	if ((access->access & RFS_ACCESS_FREE) && access->size > SPARSE_FREE) {
		rfs_pagemap_range(&history->pages, adding.first >> RFS_PAGE_SHIFT, last, add_to_page, &adding);
		return;
	}
	for (uint64_t number = adding.first >> RFS_PAGE_SHIFT; number <= last; number++) {
		struct page *page = rfs_pagemap_find(&history->pages, number);

		if (!page) {
			page = rfs_policy_zalloc(1, sizeof(*page));
			rfs_pagemap_add(&history->pages, number, page);
		}
		add_to_page(&adding, number, page);
	}
}

struct reset {
	struct rfs_history *history;
	rfs_addr first, last;
};

static void reset_whole_page(struct rfs_history *history, struct page *page)
{
	for (unsigned g = next_granule(&page->used, 0); g < GRANULES; g = next_granule(&page->used, g + 1)) {
		while (page->cells[g])
			drop_cell(history, &page->cells[g]);
	}
	while (page->ranges)
		drop_range(history, &page->ranges);
	free(page->cells);
	page->cells = NULL;
	memset(&page->used, 0, sizeof(page->used));
}

static void reset_cells(struct rfs_history *history, struct page *page, unsigned granule, uint8_t mask)
{
	for (uint32_t *link = &page->cells[granule]; *link;) {
		struct cell *cell = &history->cells[*link];

		cell->mask &= ~mask;
		if (!cell->mask)
			drop_cell(history, link);
		else
			link = &cell->next;
	}
	mark_unused(page, granule);
}

/* A range loses a part of a granule: the rest of it becomes a cell. */
static void split_range(struct rfs_history *history, struct page *page, uint64_t number, const struct range *range,
			unsigned granule, uint8_t lost)
{
	struct rfs_history_access access = range->access;

	if (lost == WHOLE || !has(&range->granules, granule))
		return;
	access.address = (number << RFS_PAGE_SHIFT) + (granule << GRANULE_SHIFT);
	access.size = 1u << GRANULE_SHIFT;
	push_cell(history, page, granule, WHOLE & ~lost, &access);
}

static void reset_page(void *arg, uint64_t number, void *value)
{
	const struct reset *reset = arg;
	struct rfs_history *history = reset->history;
	struct page *page = value;
	unsigned from, to, first, last;
	struct granule_set granules, used;

	clip(number, reset->first, reset->last, &from, &to);
	if (from == 0 && to == RFS_PAGE_SIZE - 1) {
		reset_whole_page(history, page);
		return;
	}
	first = from >> GRANULE_SHIFT;
	last = to >> GRANULE_SHIFT;
	granules = interval(first, last + 1);
	used = intersect(&granules, &page->used);
	for (unsigned g = next_granule(&used, 0); g < GRANULES; g = next_granule(&used, g + 1))
		reset_cells(history, page, g, mask_of(g, from, to));
	for (uint32_t *link = &page->ranges; *link;) {
		struct range *range = &history->ranges[*link];

		split_range(history, page, number, range, first, mask_of(first, from, to));
		if (last != first)
			split_range(history, page, number, range, last, mask_of(last, from, to));
		subtract(&range->granules, &granules);
		if (is_empty(&range->granules))
			drop_range(history, link);
		else
			link = &range->next;
	}
}

void rfs_history_reset(struct rfs_history *history, rfs_addr address, uint64_t size)
{
	struct reset reset = {history, address, 0};

	if (size == 0)
		return;
	reset.last = last_of(address, size);
	rfs_pagemap_range(&history->pages, address >> RFS_PAGE_SHIFT, reset.last >> RFS_PAGE_SHIFT, reset_page, &reset);
}
