/*
 * history.c - splits an access into granules, compares it with the cells of each, and stores it. cell_state.c has the
 * states that granules share.
 */
#include "policy/shadow/history-priv.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "policy/core/alloc.h"
#include "policy/policy.h"

/* Longer runs of whole granules (more than a cache line) are stored as a range: a bit set, 88 bytes for any part of a
 * page. */
#define MAX_SINGLE 8

/*
 * A free of a larger block is recorded only in pages with earlier accesses, and in those where accesses are expected.
 * Otherwise a sparse block would cost shadow memory for pages that the program never used. For smaller blocks this
 * costs at most 64 MB / 4 KB * 88 bytes.
 */
#define SPARSE_FREE (UINT64_C(64) << 20)

struct rfs_history *rfs_history_new(struct rfs_locksets *sets, enum rfs_history_rule rule, rfs_history_race *race,
				    void *arg)
{
	struct rfs_history *history = rfs_policy_zalloc(1, sizeof(*history));

	history->rule = rule;
	history->sets = sets;
	history->race = race;
	history->arg = arg;
	history->credit = RFS_CREDIT_MAX;
	history->covered = rfs_policy_zalloc((size_t)1 << RFS_COVERED_SHIFT, sizeof(*history->covered));
	history->stamps.bytes = &history->bytes;
	rfs_history_limit(history, 0);
	rfs_shadow_init(&history->shadow, &history->bytes);
	rfs_superseded_init(&history->olders, &history->stamps, sets);
	rfs_cell_states_init(&history->states, &history->stamps);
	return history;
}

void rfs_history_free(struct rfs_history *history)
{
	rfs_superseded_release(&history->olders);
	rfs_granules_release(history);
	rfs_cell_states_release(&history->states);
	rfs_shadow_release(&history->shadow);
	rfs_descriptors_release(&history->stamps);
	rfs_suspects_release(&history->suspects);
	free(history->covered);
	free(history);
}

void rfs_history_expect(struct rfs_history *history, struct rfs_suspects *places)
{
	history->expected = places;
}

const struct rfs_suspects *rfs_history_suspects(const struct rfs_history *history)
{
	return &history->suspects;
}

static void drop_range(struct rfs_history *history, uint32_t *link)
{
	uint32_t i = *link;

	*link = history->shadow.ranges[i].next;
	rfs_descriptors_drop(&history->stamps, history->shadow.ranges[i].stamp);
	rfs_shadow_free_range(&history->shadow, i);
}

void rfs_ranges_to_words(struct rfs_history *history, struct rfs_region *region, rfs_addr address)
{
	const rfs_addr start = address & ~(RFS_PAGE_SIZE - 1);
	struct rfs_shadow_page *page = rfs_shadow_page(region, start);

	while (page->ranges) {
		const struct rfs_range_access *range = &history->shadow.ranges[page->ranges];

		rfs_granules_put(history, region, start, &range->granules, range->stamp);
		drop_range(history, &page->ranges);
	}
}

static void add_to_granule(const struct rfs_adding *adding, struct rfs_region *region, rfs_addr granule, uint8_t mask)
{
	struct rfs_history *history = adding->history;
	struct rfs_shadow_page *page = rfs_shadow_page(region, granule);
	const unsigned g = rfs_granule_number(granule);
	uint8_t rest;

	if (rfs_history_finds_places(history))
		rfs_ranges_to_words(history, region, granule);
	if (!page->ranges) {
		rfs_granule_add(adding, region, granule, mask, RFS_GRANULE_BOTH);
		return;
	}
	rest = mask & (uint8_t)~rfs_granule_add(adding, region, granule, mask, RFS_GRANULE_COMPARE);
	for (uint32_t *link = &page->ranges; rest && *link;) {
		struct rfs_range_access *range = &history->shadow.ranges[*link];
		const struct rfs_descriptor_data *earlier = &history->stamps.all[range->stamp];
		enum rfs_relation relation = rfs_granules_has(&range->granules, g)
						     ? rfs_relate(adding, earlier, earlier->locks)
						     : RFS_UNRELATED;

		if (relation == RFS_RACES) {
			const struct rfs_granule_set here = rfs_granules_interval(g, g + 1);

			rfs_report_range(adding, granule & ~(RFS_PAGE_SIZE - 1), range, &here);
		} else if (relation == RFS_COVERS) {
			rest = 0;
		} else if (relation == RFS_YIELDS && mask == RFS_GRANULE_WHOLE) {
			rfs_granules_remove(&range->granules, g);
			if (rfs_granules_empty(&range->granules)) {
				drop_range(history, link);
				continue;
			}
		}
		link = &range->next;
	}
	if (rest)
		rfs_granule_add(adding, region, granule, rest, RFS_GRANULE_PUT);
}

/* Adds the new access to whole granules of a page: number first to end - 1. */
static void history_add_range(const struct rfs_adding *adding, struct rfs_region *region, rfs_addr start,
			      unsigned first, unsigned end)
{
	struct rfs_history *history = adding->history;
	struct rfs_shadow_page *page = rfs_shadow_page(region, start);
	const struct rfs_granule_set granules = rfs_granules_interval(first, end);
	const struct rfs_granule_set used = rfs_granules_intersect(&granules, &page->used);
	struct rfs_granule_set rest = granules;
	uint32_t i;

	for (unsigned g = rfs_granules_next(&used, 0); g < RFS_GRANULES; g = rfs_granules_next(&used, g + 1)) {
		rfs_addr granule = start + ((rfs_addr)g << RFS_GRANULE_SHIFT);

		if (rfs_granule_add(adding, region, granule, RFS_GRANULE_WHOLE, RFS_GRANULE_COMPARE) ==
		    RFS_GRANULE_WHOLE)
			rfs_granules_remove(&rest, g);
	}
	for (uint32_t *link = &page->ranges; *link;) {
		struct rfs_range_access *range = &history->shadow.ranges[*link];
		const struct rfs_descriptor_data *earlier = &history->stamps.all[range->stamp];
		struct rfs_granule_set both = rfs_granules_intersect(&range->granules, &granules);
		enum rfs_relation relation =
			rfs_granules_empty(&both) ? RFS_UNRELATED : rfs_relate(adding, earlier, earlier->locks);

		if (relation == RFS_RACES)
			rfs_report_range(adding, start, range, &both);
		if (relation == RFS_RACES && rfs_history_finds_places(history)) {
			rfs_granules_subtract(&rest, &both);
			rfs_granules_subtract(&range->granules, &both);
		} else if (relation == RFS_COVERS) {
			rfs_granules_subtract(&rest, &both);
		} else if (relation == RFS_YIELDS) {
			rfs_granules_subtract(&range->granules, &both);
		}
		if (rfs_granules_empty(&range->granules))
			drop_range(history, link);
		else
			link = &range->next;
	}
	if (rfs_granules_empty(&rest))
		return;
	i = rfs_shadow_new_range(&history->shadow);
	rfs_descriptors_keep(&history->stamps, adding->stamp);
	history->shadow.ranges[i] = (struct rfs_range_access){adding->stamp, page->ranges, adding->first, rest};
	page->ranges = i;
	rfs_shadow_touch(region, start);
}

static void add_to_page(void *arg, rfs_addr start, struct rfs_region *region)
{
	const struct rfs_adding *adding = arg;
	const rfs_addr end = start + (RFS_PAGE_SIZE - 1);
	const rfs_addr first = adding->first > start ? adding->first : start;
	const rfs_addr last = adding->last < end ? adding->last : end;
	unsigned granule = rfs_granule_number(first), last_granule = rfs_granule_number(last);

	if (rfs_history_finds_places(adding->history) && !rfs_granules_empty(&rfs_shadow_page(region, start)->used)) {
		struct rfs_adding part = *adding;

		rfs_adding_bytes(&part, first, last - first + 1);
		return;
	}
	if (last_granule - granule > MAX_SINGLE) {
		rfs_addr low = start + ((rfs_addr)granule << RFS_GRANULE_SHIFT);
		rfs_addr high = start + ((rfs_addr)last_granule << RFS_GRANULE_SHIFT);
		unsigned whole_end =
			rfs_granule_mask(high, first, last) == RFS_GRANULE_WHOLE ? last_granule + 1 : last_granule;

		if (rfs_granule_mask(low, first, last) != RFS_GRANULE_WHOLE) {
			add_to_granule(adding, region, low, rfs_granule_mask(low, first, last));
			granule++;
		}
		history_add_range(adding, region, start, granule, whole_end);
		granule = whole_end;
	}
	for (; granule <= last_granule; granule++) {
		rfs_addr at = start + ((rfs_addr)granule << RFS_GRANULE_SHIFT);

		add_to_granule(adding, region, at, rfs_granule_mask(at, first, last));
	}
}

/* The address of the last byte of a range, or of the address space if the range is longer. */
static rfs_addr history_last_of(rfs_addr address, uint64_t size)
{
	return address + (size - 1) < address ? UINT64_MAX : address + (size - 1);
}

static void touch_page(void *arg, rfs_addr page)
{
	rfs_shadow_touch(rfs_shadow_at(arg, page), page);
}

/* Adds an access that is long or crosses a border of pages. */
static void history_add_pages(struct rfs_adding *adding)
{
	struct rfs_shadow *shadow = &adding->history->shadow;

	if (adding->freed && adding->last - adding->first >= SPARSE_FREE) {
		if (adding->history->expected)
			rfs_suspects_visit_pages(adding->history->expected, adding->first, adding->last, touch_page,
						 shadow);
		rfs_shadow_visit_pages(shadow, adding->first, adding->last, add_to_page, adding);
		return;
	}
	for (rfs_addr page = adding->first & ~(RFS_PAGE_SIZE - 1); page <= adding->last; page += RFS_PAGE_SIZE) {
		add_to_page(adding, page, rfs_shadow_at(shadow, page));
		rfs_history_check_memory(adding->history, adding->new.thread);
		if (page + (RFS_PAGE_SIZE - 1) == UINT64_MAX)
			break;
	}
}

/* Accesses up to this size are looked up granule by granule. They are never stored as a range. */
#define SHORT ((size_t)8 * MAX_SINGLE)

/* Adds a short access within one page. */
static inline void add_short(struct rfs_adding *adding)
{
	const rfs_addr first = adding->first, last = adding->last;
	struct rfs_history *history = adding->history;
	struct rfs_region *region = rfs_shadow_at(&history->shadow, first);
	bool ranges = rfs_shadow_page(region, first)->ranges != 0;
	rfs_addr granule = first & ~(rfs_addr)((1u << RFS_GRANULE_SHIFT) - 1);
	uint64_t left = (last >> RFS_GRANULE_SHIFT) - (first >> RFS_GRANULE_SHIFT) + 1;

	for (; left && !ranges; left--, granule += 1u << RFS_GRANULE_SHIFT)
		if (!rfs_granule_add_known(history, region, granule, rfs_adding_origin(adding, granule),
					   rfs_granule_mask(granule, first, last), adding->serial))
			break;
	if (left)
		adding->new = history->stamps.all[adding->stamp];
	for (; left; left--, granule += 1u << RFS_GRANULE_SHIFT)
		add_to_granule(adding, region, granule, rfs_granule_mask(granule, first, last));
}

/* The descriptor of an access. RFS_HISTORY_PLACES forgets site and size, and keeps the kind only. knew_more: the thread
 * knows more than its clock here. */
static inline const struct rfs_descriptor_entry *descriptor_of(struct rfs_history *history,
							       struct rfs_descriptor_table *table,
							       const struct rfs_access *access, bool knew_more)
{
	const unsigned more = knew_more ? RFS_KNEW_MORE : 0;
	unsigned kind = access->access & RFS_ACCESS_ATOMIC;

	if (!rfs_history_finds_places(history))
		return rfs_descriptors_get(&history->stamps, table, access->site, access->size, access->access | more);
	kind |= access->access & (RFS_ACCESS_WRITE | RFS_ACCESS_FREE) ? RFS_ACCESS_WRITE : RFS_ACCESS_READ;
	return rfs_descriptors_get(&history->stamps, table, 0, 1, kind | more);
}

static struct rfs_descriptor_table *table_of(struct rfs_history *history, const struct rfs_history_thread *thread)
{
	const uint64_t full = thread->full ? rfs_vclock_get(thread->full, thread->number) : 0;

	return rfs_descriptors_table(&history->stamps, thread->number, thread->time, full, thread->locks,
				     thread->knows->version);
}

void rfs_adding_at(struct rfs_adding *adding, rfs_addr address, uint64_t size)
{
	adding->first = address;
	adding->last = history_last_of(address, size);
	if (size <= SHORT && !((address ^ adding->last) >> RFS_PAGE_SHIFT)) {
		add_short(adding);
	} else {
		adding->new = adding->history->stamps.all[adding->stamp];
		history_add_pages(adding);
	}
}

void rfs_history_add(struct rfs_history *history, const struct rfs_history_thread *thread,
		     const struct rfs_access *accesses, size_t n)
{
	struct rfs_descriptor_table *table = table_of(history, thread);
	struct rfs_adding adding = {
		.history = history, .knows = thread->knows, .clock = thread->clock, .full = thread->full};

	for (size_t i = 0; i < n; i++) {
		const struct rfs_descriptor_entry *entry;

		if (accesses[i].size == 0)
			continue;
		entry = descriptor_of(history, table, &accesses[i], thread->knows != thread->clock);
		adding.stamp = entry->stamp;
		adding.serial = entry->serial;
		adding.freed = accesses[i].access & RFS_ACCESS_FREE;
		rfs_adding_at(&adding, accesses[i].address, accesses[i].size);
		rfs_history_check_memory(history, thread->number);
	}
}

void rfs_history_add_run(struct rfs_history *history, const struct rfs_history_thread *thread,
			 const struct rfs_access *first, int64_t distance, size_t n)
{
	struct rfs_adding adding = {
		.history = history, .knows = thread->knows, .clock = thread->clock, .full = thread->full};
	const struct rfs_descriptor_entry *entry;

	if (first->size == 0 || n == 0)
		return;
	entry = descriptor_of(history, table_of(history, thread), first, thread->knows != thread->clock);
	adding.stamp = entry->stamp;
	adding.serial = entry->serial;
	adding.new = history->stamps.all[entry->stamp];
	rfs_adding_run(&adding, first->address, first->size, distance, n);
}

/* ---- memory gets a new use ---- */

struct reset {
	struct rfs_history *history;
	rfs_addr first, last;
};

/* A range loses some bytes of a granule, so the rest of this granule becomes a cell. */
static void split_range(struct rfs_history *history, struct rfs_region *region, rfs_addr granule,
			const struct rfs_range_access *range, uint8_t lost)
{
	if (lost != RFS_GRANULE_WHOLE && rfs_granules_has(&range->granules, rfs_granule_number(granule)))
		rfs_granule_put(history, region, granule, RFS_GRANULE_WHOLE & (uint8_t)~lost, range->stamp,
				range->address);
}

static void history_reset_page(void *arg, rfs_addr start, struct rfs_region *region)
{
	const struct reset *reset = arg;
	struct rfs_history *history = reset->history;
	struct rfs_shadow_page *page = rfs_shadow_page(region, start);
	const rfs_addr end = start + (RFS_PAGE_SIZE - 1);
	const rfs_addr first = reset->first > start ? reset->first : start;
	const rfs_addr last = reset->last < end ? reset->last : end;
	const rfs_addr low = first & ~(rfs_addr)7, high = last & ~(rfs_addr)7;
	const struct rfs_granule_set granules =
		rfs_granules_interval(rfs_granule_number(low), rfs_granule_number(high) + 1);
	const struct rfs_granule_set used = rfs_granules_intersect(&granules, &page->used);

	for (unsigned g = rfs_granules_next(&used, 0); g < RFS_GRANULES; g = rfs_granules_next(&used, g + 1)) {
		rfs_addr granule = start + ((rfs_addr)g << RFS_GRANULE_SHIFT);

		rfs_granule_reset(history, region, granule, rfs_granule_mask(granule, first, last));
	}
	for (uint32_t *link = &page->ranges; *link;) {
		struct rfs_range_access *range = &history->shadow.ranges[*link];

		split_range(history, region, low, range, rfs_granule_mask(low, first, last));
		if (high != low)
			split_range(history, region, high, range, rfs_granule_mask(high, first, last));
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

	rfs_shadow_visit_region(region, reset->first, reset->last, history_reset_page, arg);
	if (reset->first <= start && reset->last >= start + ((1u << RFS_REGION_SHIFT) - 1))
		rfs_shadow_drop(&reset->history->shadow, region);
}

void rfs_history_reset(struct rfs_history *history, rfs_addr address, uint64_t size)
{
	struct reset reset = {history, address, 0};

	if (size == 0)
		return;
	reset.last = history_last_of(address, size);
	rfs_shadow_visit_regions(&history->shadow, address, reset.last, reset_region, &reset);
}
