/*
 * granule.c - the cells of one granule. They are in a state that granules can share (cell_state.h), or in a private
 * list. A granule has a private list if it has too many cells, or if no other granule shared its state.
 */
#include "policy/shadow/history-priv.h"

#include <stdlib.h>
#include <string.h>

#include "policy/core/alloc.h"

/*
 * Credit limits the work for steps that no other granule repeats. If a granule is alone in its state, computing a step
 * pays only if other granules take the same step later, as in a loop over an array. So such a step costs credit, and
 * each lookup of a known step earns some. Without enough credit, the granule gets a private list.
 */
#define CREDIT_PRICE 8 /* computing a step takes about as long as this many lookups */

/* This bit of a granule's word says that the other bits are the number of a private list, not of a state. */
#define OWN (UINT32_C(1) << 31)

/* RFS_HISTORY_PLACES has no private lists. With more cells than this, a granule is a suspect. Each thread that reads
 * the granule has a cell. */
#define PLACE_CELLS 60

/* ---- the word of a granule ---- */

static void set_word(struct rfs_history *history, struct rfs_region *region, rfs_addr granule, uint32_t word)
{
	uint32_t *place = rfs_shadow_word(region, granule);
	struct rfs_shadow_page *page = rfs_shadow_page(region, granule);

	if (word && !*place) {
		rfs_granules_add(&page->used, rfs_granule_number(granule));
		rfs_shadow_touch(region, granule);
		rfs_shadow_fill(&history->shadow, region, granule);
	} else if (!word && *place) {
		rfs_granules_remove(&page->used, rfs_granule_number(granule));
	}
	*place = word;
}

static uint32_t granule_new_list(struct rfs_history *history)
{
	uint32_t number = history->free_list;

	if (number--) {
		history->free_list = history->lists[number].capacity;
	} else {
		number = (uint32_t)history->n_lists++;
		if (number >= OWN - 1)
			rfs_policy_out_of_memory(); /* no number is left */
		history->lists = rfs_policy_grow(history->lists, &history->lists_capacity, history->n_lists,
						 sizeof(*history->lists));
	}
	history->bytes += sizeof(*history->lists);
	history->lists[number] = (struct rfs_cell_list){.life = ++history->last_life};
	return number;
}

static void free_list(struct rfs_history *history, uint32_t number)
{
	struct rfs_cell_list *list = &history->lists[number];

	history->bytes -= sizeof(*list) + list->capacity * sizeof(*list->items);
	free(list->items);
	*list = (struct rfs_cell_list){.capacity = history->free_list};
	history->free_list = number + 1;
}

/* Reserves little spare room: most lists stay short, and there may be one for each granule. */
static void granule_reserve(struct rfs_history *history, struct rfs_cell_list *list, size_t n)
{
	const size_t before = list->capacity;

	if (n <= before)
		return;
	list->capacity = (uint32_t)(n < 8 ? n + 1 : n + n / 2);
	list->items = realloc(list->items, list->capacity * sizeof(*list->items));
	if (!list->items)
		rfs_policy_out_of_memory();
	history->bytes += (list->capacity - before) * sizeof(*list->items);
}

void rfs_granules_release(struct rfs_history *history)
{
	for (size_t i = 0; i < history->n_lists; i++)
		free(history->lists[i].items);
	free(history->lists);
}

/* ---- cells that may be changed ---- */

/* The cells of a granule while they are changed: with references to their descriptors, and with room for one more cell.
 * If the granule is in a state, copy holds its cells; otherwise cells is the private list itself. */
struct edit {
	struct rfs_cell *cells;
	size_t n;
	bool lost;  /* an earlier access was removed, at some or all of its bytes */
	bool raced; /* RFS_HISTORY_PLACES: the new access raced with an earlier one */
	struct rfs_cell copy[PLACE_CELLS + 1];
};

static void granule_begin(struct rfs_history *history, uint32_t word, struct edit *edit)
{
	edit->lost = false;
	edit->raced = false;
	if (word & OWN) {
		struct rfs_cell_list *list = &history->lists[word & ~OWN];

		granule_reserve(history, list, list->n + (size_t)1);
		edit->cells = list->items;
		edit->n = list->n;
		return;
	}
	edit->cells = edit->copy;
	edit->n = 0;
	if (!word)
		return;
	edit->n = history->states.all[word].n;
	memcpy(edit->copy, history->states.all[word].cells, edit->n * sizeof(*edit->copy));
	for (size_t i = 0; i < edit->n; i++)
		rfs_descriptors_keep(&history->stamps, edit->copy[i].stamp);
}

/* Copies the cells to a new private list. Returns the granule's word for it. */
static uint32_t make_own(struct rfs_history *history, const struct rfs_cell *cells, size_t n)
{
	uint32_t number = granule_new_list(history);
	struct rfs_cell_list *list = &history->lists[number];

	granule_reserve(history, list, n);
	if (n)
		memcpy(list->items, cells, n * sizeof(*cells));
	list->n = (uint32_t)n;
	return OWN | number;
}

/* Ends the change: the granule now has these cells. */
static void granule_end(struct rfs_history *history, struct rfs_region *region, rfs_addr granule,
			const struct edit *edit)
{
	uint32_t before = *rfs_shadow_word(region, granule), word = 0;

	if (before & OWN) {
		history->lists[before & ~OWN].n = (uint32_t)edit->n;
		if (edit->lost)
			history->lists[before & ~OWN].life = ++history->last_life;
		if (edit->n)
			return;
		free_list(history, before & ~OWN);
	} else {
		if (edit->n > RFS_CELL_STATE_CELLS && !rfs_history_finds_places(history))
			word = make_own(history, edit->cells, edit->n);
		else if (edit->n)
			word = rfs_cell_states_intern(&history->states, edit->cells, edit->n);
		rfs_cell_states_leave(&history->states, before);
	}
	set_word(history, region, granule, word);
}

/* Removes these bytes from cell i. If none remain, removes the cell. */
static void take_bytes(struct rfs_history *history, struct edit *edit, size_t i, uint8_t mask)
{
	struct rfs_cell *cell = &edit->cells[i];

	edit->lost |= cell->mask & mask;
	cell->mask &= (uint8_t)~mask;
	if (cell->mask)
		return;
	rfs_descriptors_drop(&history->stamps, cell->stamp);
	if (cell->older)
		rfs_superseded_drop(&history->olders, cell->older);
	edit->n--;
	memmove(&edit->cells[i], &edit->cells[i + 1], (edit->n - i) * sizeof(*edit->cells));
}

/* A cell with the same descriptor that differs from `cell` only in its bytes; NULL if there is none. */
static struct rfs_cell *find_same(struct edit *edit, const struct rfs_cell *cell)
{
	for (size_t i = edit->n; i-- > 0 && cell->start == RFS_CELL_ALIGNED;) {
		struct rfs_cell *same = &edit->cells[i];

		if (same->stamp == cell->stamp && same->start == RFS_CELL_ALIGNED && !same->older)
			return same;
	}
	return NULL;
}

/* address: where the access began, or its origin in this granule (rfs_adding_origin()) */
static void add_cell(struct rfs_history *history, struct edit *edit, rfs_addr granule, uint8_t mask,
		     rfs_access_descriptor stamp, rfs_addr address)
{
	const struct rfs_cell cell = {
		.stamp = stamp,
		.mask = mask,
		.part = rfs_granule_part(granule, address),
		.start = rfs_granule_start(granule, address, history->stamps.all[stamp].size),
	};
	struct rfs_cell *same = find_same(edit, &cell);

	if (same) {
		same->mask |= mask;
		return;
	}
	rfs_descriptors_keep(&history->stamps, stamp);
	edit->cells[edit->n++] = cell;
}

/* ---- a new access ---- */

/* Compares the new access with all cells and reports races. Removes from the cells what the new access makes
 * superfluous. Returns the bytes of mask at which the new access is superfluous. */
static uint8_t granule_compare(const struct rfs_adding *adding, struct edit *edit, rfs_addr granule, uint8_t mask)
{
	uint8_t covered = 0;

	for (size_t i = edit->n;
	     i-- > 0 && covered != mask;) { /* all bytes covered: the new access races with no earlier cell */
		struct rfs_cell *cell = &edit->cells[i];
		struct rfs_origin racing = {0};
		enum rfs_relation relation = cell->mask & mask ? rfs_relate_cell(adding, cell, &racing) : RFS_UNRELATED;

		if (relation == RFS_RACES && rfs_history_finds_places(adding->history))
			edit->raced = true;
		else if (relation == RFS_RACES)
			rfs_report_cell(adding, granule, &racing, cell->mask & mask);
		else if (relation == RFS_COVERS)
			covered |= cell->mask & mask;
		else if (relation == RFS_YIELDS)
			take_bytes(adding->history, edit, i, mask);
	}
	return covered;
}

/* The cell whose last access the new one can replace, if it is stored for all of mask; NULL if there is none. */
static struct rfs_cell *find_home(const struct rfs_adding *adding, struct edit *edit, uint8_t mask)
{
	for (size_t i = edit->n; i-- > 0;) {
		struct rfs_cell *cell = &edit->cells[i];
		const struct rfs_descriptor_data *last = &adding->history->stamps.all[cell->stamp];

		if (cell->mask == mask && last->thread == adding->new.thread && last->site == adding->new.site &&
		    last->access == adding->new.access)
			return cell;
	}
	return NULL;
}

/* Compares and adds the new access, as `step` says. own: the cells are a private list. Only these may have older
 * accesses. */
static uint8_t granule_apply(const struct rfs_adding *adding, struct edit *edit, rfs_addr granule, uint8_t mask,
			     enum rfs_granule_step step, bool own)
{
	struct rfs_history *history = adding->history;
	uint8_t covered = 0, rest;
	struct rfs_cell *home;

	if (step & RFS_GRANULE_COMPARE)
		covered = granule_compare(adding, edit, granule, mask);
	rest = mask & (uint8_t)~covered;
	if (!(step & RFS_GRANULE_PUT) || !rest)
		return covered;
	home = own && rest == mask ? find_home(adding, edit, mask) : NULL;
	if (home) {
		rfs_superseded_push(&history->olders, home, adding->stamp, rfs_granule_part(granule, adding->first),
				    rfs_granule_start(granule, adding->first, adding->new.size));
		edit->lost = true;
	} else {
		add_cell(history, edit, granule, rest, adding->stamp, rfs_adding_origin(adding, granule));
	}
	return covered;
}

/* The entry of the filter history->covered for this granule and serial number. Its address does not depend on the
 * granule's list, so the processor can load both from memory at the same time. */
static struct rfs_covered *covered_place(struct rfs_history *history, rfs_addr granule, uint64_t serial)
{
	uint64_t hash = (granule ^ serial * UINT64_C(0xff51afd7ed558ccd)) * 0x9e3779b97f4a7c15u;

	return &history->covered[hash >> (64 - RFS_COVERED_SHIFT)];
}

static uint8_t add_to_own(const struct rfs_adding *adding, struct rfs_region *region, rfs_addr granule, uint8_t mask,
			  enum rfs_granule_step step)
{
	struct rfs_history *history = adding->history;
	const uint32_t word = *rfs_shadow_word(region, granule);
	const struct rfs_cell_list *list = &history->lists[word & ~OWN];
	struct rfs_covered *known = covered_place(history, granule, adding->serial);
	struct edit edit;
	uint8_t covered;

	if ((step & RFS_GRANULE_COMPARE) && known->serial == adding->serial && known->life == list->life &&
	    !(mask & ~known->mask))
		return mask;
	granule_begin(history, word, &edit);
	covered = granule_apply(adding, &edit, granule, mask, step, true);
	granule_end(history, region, granule, &edit);
	if (step & RFS_GRANULE_PUT) /* the same access again would now be covered */
		covered = mask;
	if (!covered)
		return 0;
	if (known->serial != adding->serial || known->life != list->life)
		*known = (struct rfs_covered){.life = list->life, .serial = adding->serial};
	known->mask |= covered;
	return covered;
}

void rfs_granule_suspect(struct rfs_history *history, struct rfs_region *region, rfs_addr granule)
{
	const uint32_t word = *rfs_shadow_word(region, granule);

	if (word == RFS_GRANULE_SUSPECT)
		return;
	rfs_cell_states_leave(&history->states, word);
	set_word(history, region, granule, RFS_GRANULE_SUSPECT);
	rfs_suspects_add(&history->suspects, granule);
}

/* Ends the change of a granule that becomes a suspect. */
static void give_up(struct rfs_history *history, struct rfs_region *region, rfs_addr granule, const struct edit *edit)
{
	for (size_t i = 0; i < edit->n; i++)
		rfs_descriptors_drop(&history->stamps, edit->cells[i].stamp);
	rfs_granule_suspect(history, region, granule);
}

void rfs_granule_take_step(struct rfs_history *history, struct rfs_region *region, rfs_addr granule,
			   const struct rfs_step *known)
{
	if (known->to == RFS_GRANULE_SUSPECT) {
		rfs_granule_suspect(history, region, granule);
		return;
	}
	rfs_cell_states_enter(&history->states, known->to);
	rfs_cell_states_leave(&history->states, known->from);
	set_word(history, region, granule, known->to);
}

size_t rfs_granules_take_step(struct rfs_history *history, struct rfs_region *region, rfs_addr granule,
			      uint64_t distance, size_t n, const struct rfs_step *known)
{
	struct rfs_cell_state_data *states = history->states.all;
	uint32_t *word = rfs_shadow_word(region, granule);
	const uint32_t spare = RFS_CREDIT_MAX - history->credit;
	uint32_t taken = 0;

	for (; taken < n && *word == known->from; taken++, word += distance >> RFS_GRANULE_SHIFT) {
		if (known->from)
			*word = known->to;
		else
			set_word(history, region, granule + taken * distance, known->to);
	}
	history->credit += taken < spare ? taken : spare;
	states[known->to].granules += taken;
	if (known->from) {
		states[known->from].granules -= taken - 1;
		rfs_cell_states_leave(&history->states, known->from);
	}
	return taken;
}

uint8_t rfs_granule_add(const struct rfs_adding *adding, struct rfs_region *region, rfs_addr granule, uint8_t mask,
			enum rfs_granule_step step)
{
	struct rfs_history *history = adding->history;
	const bool places = rfs_history_finds_places(history);
	const uint32_t how = rfs_granule_how(granule, rfs_adding_origin(adding, granule), mask, step),
		       word = *rfs_shadow_word(region, granule);
	const uint64_t serial = adding->serial;
	struct rfs_step *known;
	struct edit edit;
	uint8_t covered;

	if (word == RFS_GRANULE_SUSPECT)
		return mask;
	if (word & OWN)
		return add_to_own(adding, region, granule, mask, step);
	known = rfs_cell_states_step(&history->states, word, serial, how);
	if (rfs_granule_is_step(known, word, serial, how)) {
		rfs_granule_follow(history, region, granule, known);
		return known->covered;
	}
	granule_begin(history, word, &edit);
	if (word && history->states.all[word].granules == 1 && !places) {
		if (history->credit < CREDIT_PRICE) {
			set_word(history, region, granule, make_own(history, edit.cells, edit.n));
			rfs_cell_states_leave(&history->states, word);
			return add_to_own(adding, region, granule, mask, step);
		}
		history->credit -= CREDIT_PRICE;
	}
	covered = granule_apply(adding, &edit, granule, mask, step, false);
	if (edit.raced || (places && edit.n > PLACE_CELLS)) {
		give_up(history, region, granule, &edit);
		covered = mask;
	} else {
		granule_end(history, region, granule, &edit);
	}
	if (places || !(*rfs_shadow_word(region, granule) & OWN))
		*known = (struct rfs_step){.serial = serial,
					   .from = word,
					   .to = *rfs_shadow_word(region, granule),
					   .how = how,
					   .covered = covered};
	return covered;
}

void rfs_granule_put(struct rfs_history *history, struct rfs_region *region, rfs_addr granule, uint8_t mask,
		     rfs_access_descriptor stamp, rfs_addr address)
{
	const bool places = rfs_history_finds_places(history);
	struct edit edit;

	if (*rfs_shadow_word(region, granule) == RFS_GRANULE_SUSPECT)
		return;
	granule_begin(history, *rfs_shadow_word(region, granule), &edit);
	add_cell(history, &edit, granule, mask, stamp, places ? granule : address);
	if (places && edit.n > PLACE_CELLS)
		give_up(history, region, granule, &edit);
	else
		granule_end(history, region, granule, &edit);
}

void rfs_granules_put(struct rfs_history *history, struct rfs_region *region, rfs_addr page,
		      const struct rfs_granule_set *granules, rfs_access_descriptor stamp)
{
	struct rfs_step step = {.from = RFS_GRANULE_SUSPECT, .to = RFS_GRANULE_SUSPECT};

	for (unsigned g = rfs_granules_next(granules, 0); g < RFS_GRANULES; g = rfs_granules_next(granules, g + 1)) {
		const rfs_addr granule = page + ((rfs_addr)g << RFS_GRANULE_SHIFT);
		const uint32_t word = *rfs_shadow_word(region, granule);

		if (word == step.from) {
			rfs_granule_take_step(history, region, granule, &step);
			continue;
		}
		rfs_granule_put(history, region, granule, RFS_GRANULE_WHOLE, stamp, granule);
		step.from = word;
		step.to = *rfs_shadow_word(region, granule);
	}
}

void rfs_granule_reset(struct rfs_history *history, struct rfs_region *region, rfs_addr granule, uint8_t mask)
{
	const uint32_t word = *rfs_shadow_word(region, granule);
	struct edit edit;

	if (word == RFS_GRANULE_SUSPECT)
		return;
	if (!(word & OWN) && mask == RFS_GRANULE_WHOLE) {
		rfs_cell_states_leave(&history->states, word);
		set_word(history, region, granule, 0);
		return;
	}
	granule_begin(history, word, &edit);
	for (size_t i = edit.n; i-- > 0;)
		take_bytes(history, &edit, i, mask);
	granule_end(history, region, granule, &edit);
}
