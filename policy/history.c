#include "policy/history.h"

#include <stdlib.h>
#include <string.h>

#include "policy/alloc.h"
#include "policy/older.h"
#include "policy/shadow.h"

/* Runs of more than so many whole granules, a cache line, are kept as a bit set: 80 bytes against 16 a granule. */
#define MAX_SINGLE 8

/*
 * A free of a block this large is recorded only in pages where something was accessed before: a sparse block would
 * otherwise cost shadow memory for pages that the target itself never had. Smaller ones cost 64 MB / 4 KB * 80 bytes.
 */
#define SPARSE_FREE (UINT64_C(64) << 20)

struct rfs_history {
	enum rfs_history_rule rule;
	struct rfs_locksets *sets;
	rfs_history_race *race;
	void *arg;
	struct rfs_stamps stamps;
	struct rfs_shadow shadow;
	struct rfs_olders olders;
};

/* A new access on its way through the pages. */
struct adding {
	struct rfs_history *history;
	const struct rfs_vclock *knows;
	rfs_stamp stamp;
	struct rfs_stamp_data new; /* a copy: the stamps may move */
	rfs_addr first, last;	   /* bytes */
};

struct rfs_history *rfs_history_new(struct rfs_locksets *sets, enum rfs_history_rule rule, rfs_history_race *race,
				    void *arg)
{
	struct rfs_history *history = rfs_policy_zalloc(1, sizeof(*history));

	history->rule = rule;
	history->sets = sets;
	history->race = race;
	history->arg = arg;
	rfs_shadow_init(&history->shadow);
	rfs_olders_init(&history->olders, &history->stamps, sets);
	return history;
}

void rfs_history_free(struct rfs_history *history)
{
	rfs_olders_release(&history->olders);
	rfs_shadow_release(&history->shadow);
	rfs_stamps_release(&history->stamps);
	free(history);
}

/* ---- how two accesses are related ---- */

static bool is_write(const struct rfs_stamp_data *access)
{
	return access->access & (RFS_ACCESS_WRITE | RFS_ACCESS_FREE);
}

/* The rule in the header, but for the order and the bytes: does n stand for e, were e under these locks? */
static bool stands_for(const struct rfs_history *history, const struct rfs_stamp_data *n,
		       const struct rfs_stamp_data *e, rfs_lockset locks)
{
	if (is_write(n) < is_write(e) || (n->access & ~e->access & RFS_ACCESS_ATOMIC))
		return false;
	return history->rule == RFS_HISTORY_FASTTRACK ||
	       (n->site == e->site && rfs_locksets_within(history->sets, n->locks, locks));
}

enum relation {
	UNRELATED,
	RACES,	/* the new access races with the earlier one */
	COVERS, /* the earlier one makes the new one superfluous, at the bytes that they share */
	YIELDS, /* the new one makes the earlier one superfluous there */
};

static bool is_ordered(const struct adding *adding, const struct rfs_stamp_data *earlier)
{
	return earlier->time <= rfs_vclock_get(adding->knows, earlier->thread);
}

/* Do they conflict, without a lock to protect them? The order is the caller's question. */
static bool is_unprotected(const struct adding *adding, const struct rfs_stamp_data *earlier, rfs_lockset locks)
{
	const struct rfs_stamp_data *new = &adding->new;
	const struct rfs_history *history = adding->history;

	return (is_write(earlier) || is_write(new)) && !(earlier->access & new->access &RFS_ACCESS_ATOMIC) &&
	       (history->rule == RFS_HISTORY_FASTTRACK || !rfs_locksets_protect(history->sets, locks, new->locks));
}

/* Both of one thread and time. */
static bool covers(const struct rfs_history *history, const struct rfs_stamp_data *earlier,
		   const struct rfs_stamp_data *new)
{
	if (history->rule == RFS_HISTORY_FASTTRACK)
		return earlier->site == new->site && earlier->access == new->access;
	return stands_for(history, earlier, new, new->locks);
}

/* earlier was there before; both have bytes in common. core: within the locks of all that yield with it. */
static enum relation relate(const struct adding *adding, const struct rfs_stamp_data *earlier, rfs_lockset core)
{
	const struct rfs_stamp_data *new = &adding->new;
	const struct rfs_history *history = adding->history;

	if (!is_ordered(adding, earlier))
		return is_unprotected(adding, earlier, earlier->locks) ? RACES : UNRELATED;
	if (earlier->thread == new->thread && earlier->time == new->time &&covers(history, earlier, new))
		return COVERS;
	return stands_for(history, new, earlier, core) ? YIELDS : UNRELATED;
}

/* Where one of a cell's accesses began. */
struct origin {
	rfs_stamp stamp;
	uint8_t part, start;
};

/* The same for all accesses of a cell; *racing is one that races, where one does. */
static enum relation relate_cell(const struct adding *adding, const struct rfs_cell *cell, struct origin *racing)
{
	const struct rfs_history *history = adding->history;
	const struct rfs_stamp_data *all = history->stamps.all, *last = &all[cell->stamp];
	const struct rfs_older *older = cell->older ? &history->olders.lists[cell->older] : NULL;
	enum relation relation = relate(adding, last, older ? older->core : last->locks);

	*racing = (struct origin){cell->stamp, cell->part, cell->start};
	if (!older || relation != UNRELATED || is_ordered(adding, last) || !is_unprotected(adding, last, older->core))
		return relation;
	for (size_t i = older->n; i-- > 0;) {
		const struct rfs_older_access *item = &older->items[i];

		if (is_ordered(adding, &all[item->stamp]))
			break;
		*racing = (struct origin){item->stamp, item->part, item->start};
		if (is_unprotected(adding, &all[item->stamp], all[item->stamp].locks))
			return RACES;
	}
	return UNRELATED;
}

/* ---- what is reported ---- */

static struct rfs_history_access access_of(const struct rfs_stamp_data *data, rfs_addr address)
{
	return (struct rfs_history_access){.site = data->site,
					   .address = address,
					   .size = data->size,
					   .time = data->time,
					   .thread = data->thread,
					   .locks = data->locks,
					   .access = data->access};
}

static void report(const struct adding *adding, const struct rfs_history_access *earlier)
{
	const struct rfs_history_access later = access_of(&adding->new, adding->first);

	adding->history->race(adding->history->arg, earlier, &later);
}

/* The new access races with one that has a cell in the granule at this address. */
static void report_cell(const struct adding *adding, rfs_addr granule, const struct origin *origin)
{
	struct rfs_history_access earlier =
		access_of(&adding->history->stamps.all[origin->stamp],
			  granule - ((rfs_addr)origin->part << RFS_GRANULE_SHIFT) + origin->start);

	if (origin->part == RFS_CELL_FAR) { /* one end of a long access: the granule's part of it */
		earlier.address = granule + origin->start;
		earlier.size = (1u << RFS_GRANULE_SHIFT) - origin->start;
	}
	report(adding, &earlier);
}

/* … with a long one at these granules of the page: tells the first run of them. */
static void report_range(const struct adding *adding, rfs_addr page, const struct rfs_range *range,
			 const struct rfs_granule_set *granules)
{
	struct rfs_history_access part = access_of(&adding->history->stamps.all[range->stamp], range->address);
	unsigned first = rfs_granules_next(granules, 0), end = first;

	while (end < RFS_GRANULES && rfs_granules_has(granules, end))
		end++;
	part.address = page + ((rfs_addr)first << RFS_GRANULE_SHIFT);
	part.size = (uint64_t)(end - first) << RFS_GRANULE_SHIFT;
	report(adding, &part);
}

/* ---- cells and ranges come and go ---- */

static void drop_contents(struct rfs_history *history, const struct rfs_cell *cell)
{
	rfs_stamps_drop(&history->stamps, cell->stamp);
	if (cell->older)
		rfs_olders_drop(&history->olders, cell->older);
}

/* Takes the cell out of its list; before: the one that leads to it, NULL for the granule's own. Where one follows, it
 * stands in the cell's place then: true. */
static bool drop_cell(struct rfs_history *history, struct rfs_cell *cell, struct rfs_cell *before)
{
	struct rfs_shadow *shadow = &history->shadow;
	uint32_t next = cell->next;

	drop_contents(history, cell);
	if (next) {
		*cell = *rfs_shadow_pool(shadow, next);
		rfs_shadow_free_cell(shadow, next);
		return true;
	}
	if (before) {
		rfs_shadow_free_cell(shadow, before->next);
		before->next = 0;
	} else {
		*cell = (struct rfs_cell){0};
	}
	return false;
}

static void drop_range(struct rfs_history *history, uint32_t *link)
{
	uint32_t i = *link;

	*link = history->shadow.ranges[i].next;
	rfs_stamps_drop(&history->stamps, history->shadow.ranges[i].stamp);
	rfs_shadow_free_range(&history->shadow, i);
}

static unsigned granule_of(rfs_addr address)
{
	return address >> RFS_GRANULE_SHIFT & (RFS_GRANULES - 1);
}

/* Where an access that began at address is in a granule: for the cell. */
static uint8_t part_of(rfs_addr granule, rfs_addr address)
{
	uint64_t part = (granule >> RFS_GRANULE_SHIFT) - (address >> RFS_GRANULE_SHIFT);

	return part < RFS_CELL_FAR ? (uint8_t)part : RFS_CELL_FAR;
}

static uint8_t start_of(rfs_addr granule, rfs_addr address)
{
	bool far = part_of(granule, address) == RFS_CELL_FAR;

	return far ? 0 : address & ((1u << RFS_GRANULE_SHIFT) - 1);
}

/* An access of this stamp, which began at address, to these bytes of a granule: becomes the first of its cells. */
static void push_cell(struct rfs_history *history, struct rfs_region *region, rfs_addr granule, uint8_t mask,
		      rfs_stamp stamp, rfs_addr address)
{
	struct rfs_cell *head = rfs_shadow_cell(region, granule);
	uint32_t next = 0;

	if (head->stamp) {
		next = rfs_shadow_new_cell(&history->shadow);
		*rfs_shadow_pool(&history->shadow, next) = *head;
	} else {
		rfs_granules_add(&rfs_shadow_page(region, granule)->used, granule_of(granule));
		rfs_shadow_touch(region, granule);
	}
	rfs_stamps_keep(&history->stamps, stamp);
	*head = (struct rfs_cell){.stamp = stamp,
				  .next = next,
				  .mask = mask,
				  .part = part_of(granule, address),
				  .start = start_of(granule, address)};
}

/* May the access be added to the cell, if all of mask is to be kept? */
static bool is_home(const struct adding *adding, const struct rfs_cell *cell, uint8_t mask)
{
	const struct rfs_stamp_data *last = &adding->history->stamps.all[cell->stamp];

	return cell->mask == mask && last->thread == adding->new.thread && last->site == adding->new.site &&
	       last->access == adding->new.access;
}

/* ---- a new access ---- */

/* What the cells of a granule say to a new access. */
struct answer {
	uint8_t covered;       /* bytes of it that need not be kept */
	struct rfs_cell *home; /* that it may be added to, NULL: none */
};

static struct answer against_cells(const struct adding *adding, struct rfs_region *region, rfs_addr granule,
				   uint8_t mask)
{
	struct rfs_history *history = adding->history;
	struct rfs_cell *cell = rfs_shadow_cell(region, granule), *before = NULL;
	struct answer answer = {0};

	if (!cell->stamp)
		return answer;
	for (;;) {
		struct origin racing = {0};
		enum relation relation = cell->mask & mask ? relate_cell(adding, cell, &racing) : UNRELATED;

		if (relation == RACES)
			report_cell(adding, granule, &racing);
		else if (relation == COVERS)
			answer.covered |= cell->mask & mask;
		else if (relation == YIELDS)
			cell->mask &= (uint8_t)~mask;
		else if (is_home(adding, cell, mask))
			answer.home = cell;
		if (!cell->mask) {
			if (drop_cell(history, cell, before))
				continue;
			if (!before)
				rfs_granules_remove(&rfs_shadow_page(region, granule)->used, granule_of(granule));
			return answer;
		}
		if (answer.covered == mask || !cell->next)
			return answer; /* covered: nobody is left that it can race with, see the header */
		before = cell;
		cell = rfs_shadow_pool(&history->shadow, cell->next);
	}
}

static void add_to_granule(const struct adding *adding, struct rfs_region *region, rfs_addr granule, uint8_t mask)
{
	struct rfs_history *history = adding->history;
	struct rfs_shadow_page *page = rfs_shadow_page(region, granule);
	const unsigned g = granule_of(granule);
	struct answer answer;
	uint8_t rest;

	answer = against_cells(adding, region, granule, mask);
	rest = mask & (uint8_t)~answer.covered;
	for (uint32_t *link = &page->ranges; rest && *link;) {
		struct rfs_range *range = &history->shadow.ranges[*link];
		const struct rfs_stamp_data *earlier = &history->stamps.all[range->stamp];
		enum relation relation =
			rfs_granules_has(&range->granules, g) ? relate(adding, earlier, earlier->locks) : UNRELATED;

		if (relation == RACES) {
			const struct rfs_granule_set here = rfs_granules_interval(g, g + 1);

			report_range(adding, granule & ~(RFS_PAGE_SIZE - 1), range, &here);
		} else if (relation == COVERS) {
			rest = 0;
		} else if (relation == YIELDS && mask == RFS_GRANULE_WHOLE) {
			rfs_granules_remove(&range->granules, g);
			if (rfs_granules_empty(&range->granules)) {
				drop_range(history, link);
				continue;
			}
		}
		link = &range->next;
	}
	if (rest == mask && answer.home)
		rfs_olders_push(&history->olders, answer.home, adding->stamp, part_of(granule, adding->first),
				start_of(granule, adding->first));
	else if (rest)
		push_cell(history, region, granule, rest, adding->stamp, adding->first);
}

/* The new access to whole granules of a page, first to end - 1. */
static void add_range(const struct adding *adding, struct rfs_region *region, rfs_addr start, unsigned first,
		      unsigned end)
{
	struct rfs_history *history = adding->history;
	struct rfs_shadow_page *page = rfs_shadow_page(region, start);
	const struct rfs_granule_set granules = rfs_granules_interval(first, end);
	const struct rfs_granule_set used = rfs_granules_intersect(&granules, &page->used);
	struct rfs_granule_set rest = granules;
	uint32_t i;

	for (unsigned g = rfs_granules_next(&used, 0); g < RFS_GRANULES; g = rfs_granules_next(&used, g + 1)) {
		rfs_addr granule = start + ((rfs_addr)g << RFS_GRANULE_SHIFT);

		if (against_cells(adding, region, granule, RFS_GRANULE_WHOLE).covered == RFS_GRANULE_WHOLE)
			rfs_granules_remove(&rest, g);
	}
	for (uint32_t *link = &page->ranges; *link;) {
		struct rfs_range *range = &history->shadow.ranges[*link];
		const struct rfs_stamp_data *earlier = &history->stamps.all[range->stamp];
		struct rfs_granule_set both = rfs_granules_intersect(&range->granules, &granules);
		enum relation relation =
			rfs_granules_empty(&both) ? UNRELATED : relate(adding, earlier, earlier->locks);

		if (relation == RACES)
			report_range(adding, start, range, &both);
		else if (relation == COVERS)
			rfs_granules_subtract(&rest, &both);
		else if (relation == YIELDS)
			rfs_granules_subtract(&range->granules, &both);
		if (rfs_granules_empty(&range->granules))
			drop_range(history, link);
		else
			link = &range->next;
	}
	if (rfs_granules_empty(&rest))
		return;
	i = rfs_shadow_new_range(&history->shadow);
	rfs_stamps_keep(&history->stamps, adding->stamp);
	history->shadow.ranges[i] = (struct rfs_range){adding->stamp, page->ranges, adding->first, rest};
	page->ranges = i;
	rfs_shadow_touch(region, start);
}

/* The mask of bytes first to last, as far as they are in the granule. */
static uint8_t mask_of(rfs_addr granule, rfs_addr first, rfs_addr last)
{
	unsigned mask = RFS_GRANULE_WHOLE;

	if (first > granule)
		mask &= RFS_GRANULE_WHOLE << (first - granule);
	if (last < granule + 7)
		mask &= RFS_GRANULE_WHOLE >> (granule + 7 - last);
	return (uint8_t)mask;
}

static void add_to_page(void *arg, rfs_addr start, struct rfs_region *region)
{
	const struct adding *adding = arg;
	const rfs_addr end = start + (RFS_PAGE_SIZE - 1);
	const rfs_addr first = adding->first > start ? adding->first : start;
	const rfs_addr last = adding->last < end ? adding->last : end;
	unsigned granule = granule_of(first), last_granule = granule_of(last);

	if (last_granule - granule > MAX_SINGLE) {
		rfs_addr low = start + ((rfs_addr)granule << RFS_GRANULE_SHIFT);
		rfs_addr high = start + ((rfs_addr)last_granule << RFS_GRANULE_SHIFT);
		unsigned whole_end = mask_of(high, first, last) == RFS_GRANULE_WHOLE ? last_granule + 1 : last_granule;

		if (mask_of(low, first, last) != RFS_GRANULE_WHOLE) {
			add_to_granule(adding, region, low, mask_of(low, first, last));
			granule++;
		}
		add_range(adding, region, start, granule, whole_end);
		granule = whole_end;
	}
	for (; granule <= last_granule; granule++) {
		rfs_addr at = start + ((rfs_addr)granule << RFS_GRANULE_SHIFT);

		add_to_granule(adding, region, at, mask_of(at, first, last));
	}
}

/* The last byte of a range; one that would leave the address space ends with it. */
static rfs_addr last_of(rfs_addr address, uint64_t size)
{
	return address + (size - 1) < address ? UINT64_MAX : address + (size - 1);
}

/* One that is not in one granule. */
static void add_pages(struct adding *adding)
{
	struct rfs_shadow *shadow = &adding->history->shadow;

	if ((adding->new.access &RFS_ACCESS_FREE) && adding->new.size > SPARSE_FREE) {
		rfs_shadow_visit_pages(shadow, adding->first, adding->last, add_to_page, adding);
		return;
	}
	for (rfs_addr page = adding->first & ~(RFS_PAGE_SIZE - 1); page <= adding->last; page += RFS_PAGE_SIZE) {
		add_to_page(adding, page, rfs_shadow_at(shadow, page));
		if (page + (RFS_PAGE_SIZE - 1) == UINT64_MAX)
			break;
	}
}

/* The filter: did the thread do the same before, and did nothing come of it since? */
static bool is_known(const struct rfs_history *history, const struct rfs_cell *cell, rfs_stamp stamp, uint8_t mask)
{
	while (cell->stamp != stamp || (mask & ~cell->mask)) {
		if (!cell->next)
			return false;
		cell = rfs_shadow_pool(&history->shadow, cell->next);
	}
	return true;
}

void rfs_history_add(struct rfs_history *history, const struct rfs_history_access *access,
		     const struct rfs_vclock *knows)
{
	struct adding adding;
	const struct rfs_stamp_data data = {.site = access->site,
					    .time = access->time,
					    .size = access->size,
					    .thread = access->thread,
					    .locks = access->locks,
					    .access = access->access};
	const unsigned offset = access->address & ((1u << RFS_GRANULE_SHIFT) - 1);
	struct rfs_region *region = NULL;
	const struct rfs_cell *cell;
	uint8_t mask = 0;
	rfs_stamp stamp;

	if (access->size == 0)
		return;
	stamp = rfs_stamps_get(&history->stamps, &data);
	if (access->size <= (1u << RFS_GRANULE_SHIFT) - offset) {
		mask = (uint8_t)(RFS_GRANULE_WHOLE >> (8 - access->size) << offset);
		region = rfs_shadow_at(&history->shadow, access->address);
		cell = rfs_shadow_cell(region, access->address);
		if (!cell->stamp && !rfs_shadow_page(region, access->address)->ranges) {
			push_cell(history, region, access->address - offset, mask, stamp, access->address);
			return;
		}
		if (is_known(history, cell, stamp, mask))
			return;
	}
	adding = (struct adding){history, knows, stamp, data, access->address, last_of(access->address, access->size)};
	if (region)
		add_to_granule(&adding, region, access->address - offset, mask);
	else
		add_pages(&adding);
}

/* ---- memory gets a new life ---- */

struct reset {
	struct rfs_history *history;
	rfs_addr first, last;
};

static void reset_cells(struct rfs_history *history, struct rfs_region *region, rfs_addr granule, uint8_t mask)
{
	struct rfs_cell *cell = rfs_shadow_cell(region, granule), *before = NULL;

	for (;;) {
		cell->mask &= (uint8_t)~mask;
		if (!cell->mask) {
			if (drop_cell(history, cell, before))
				continue;
			if (!before)
				rfs_granules_remove(&rfs_shadow_page(region, granule)->used, granule_of(granule));
			return;
		}
		if (!cell->next)
			return;
		before = cell;
		cell = rfs_shadow_pool(&history->shadow, cell->next);
	}
}

/* A range loses a part of a granule: the rest of it becomes a cell. */
static void split_range(struct rfs_history *history, struct rfs_region *region, rfs_addr granule,
			const struct rfs_range *range, uint8_t lost)
{
	if (lost != RFS_GRANULE_WHOLE && rfs_granules_has(&range->granules, granule_of(granule)))
		push_cell(history, region, granule, RFS_GRANULE_WHOLE & (uint8_t)~lost, range->stamp, range->address);
}

static void reset_page(void *arg, rfs_addr start, struct rfs_region *region)
{
	const struct reset *reset = arg;
	struct rfs_history *history = reset->history;
	struct rfs_shadow_page *page = rfs_shadow_page(region, start);
	const rfs_addr end = start + (RFS_PAGE_SIZE - 1);
	const rfs_addr first = reset->first > start ? reset->first : start;
	const rfs_addr last = reset->last < end ? reset->last : end;
	const rfs_addr low = first & ~(rfs_addr)7, high = last & ~(rfs_addr)7;
	const struct rfs_granule_set granules = rfs_granules_interval(granule_of(low), granule_of(high) + 1);
	const struct rfs_granule_set used = rfs_granules_intersect(&granules, &page->used);

	for (unsigned g = rfs_granules_next(&used, 0); g < RFS_GRANULES; g = rfs_granules_next(&used, g + 1)) {
		rfs_addr granule = start + ((rfs_addr)g << RFS_GRANULE_SHIFT);

		reset_cells(history, region, granule, mask_of(granule, first, last));
	}
	for (uint32_t *link = &page->ranges; *link;) {
		struct rfs_range *range = &history->shadow.ranges[*link];

		split_range(history, region, low, range, mask_of(low, first, last));
		if (high != low)
			split_range(history, region, high, range, mask_of(high, first, last));
		rfs_granules_subtract(&range->granules, &granules);
		if (rfs_granules_empty(&range->granules))
			drop_range(history, link);
		else
			link = &range->next;
	}
}

static void reset_region(void *arg, rfs_addr start, struct rfs_region *region)
{
	const struct reset *reset = arg;

	rfs_shadow_visit_region(region, reset->first, reset->last, reset_page, arg);
	if (reset->first <= start && reset->last >= start + ((1u << RFS_REGION_SHIFT) - 1))
		rfs_shadow_drop(&reset->history->shadow, region);
}

void rfs_history_reset(struct rfs_history *history, rfs_addr address, uint64_t size)
{
	struct reset reset = {history, address, 0};

	if (size == 0)
		return;
	reset.last = last_of(address, size);
	rfs_shadow_visit_regions(&history->shadow, address, reset.last, reset_region, &reset);
}
