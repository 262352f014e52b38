/*
 * access_runs.c - adds the accesses of a loop over an array, for RFS_HISTORY_PLACES.
 *
 * Their order does not matter: they are of one thread, between two events, and of one kind. Nor does it matter how the
 * bytes are divided into accesses, because places have no sizes. So accesses without gaps between them are added as one
 * access to each granule. And the granules of an array are mostly in the same state, so a known step is looked up once
 * for all granules of a page that are in that state.
 */
#include "policy/shadow/history-priv.h"

#define GRANULE_SIZE (UINT64_C(1) << RFS_GRANULE_SHIFT)

/* The number of bytes from an address to the end of its page. */
static uint64_t left_on_page(rfs_addr address)
{
	return RFS_PAGE_SIZE - (address & (RFS_PAGE_SIZE - 1));
}

/*
 * Adds accesses to the same bytes of several granules, if the step of the first granule is known: until the end of the
 * page, or until a granule is in another state. Returns how many these are; 0: the first one must be added alone.
 */
static size_t add_alike(const struct rfs_adding *adding, rfs_addr address, uint64_t size, uint64_t distance, size_t n)
{
	const rfs_addr granule = address & ~(GRANULE_SIZE - 1);
	const uint64_t on_page = (left_on_page(granule) - 1) / distance + 1;
	const uint8_t mask = rfs_granule_mask(granule, address, address + (size - 1));
	const uint32_t how = rfs_granule_how(granule, granule, mask, RFS_GRANULE_BOTH);
	struct rfs_history *history = adding->history;
	struct rfs_region *region = rfs_shadow_at(&history->shadow, granule);
	const struct rfs_step *known;
	uint32_t word;

	rfs_ranges_to_words(history, region, granule);
	word = *rfs_shadow_word(region, granule);
	known = rfs_cell_states_step(&history->states, word, adding->serial, how);
	if (word == RFS_GRANULE_SUSPECT || !rfs_granule_is_step(known, word, adding->serial, how) ||
	    known->to == RFS_GRANULE_SUSPECT)
		return 0;
	return rfs_granules_take_step(history, region, granule, distance, on_page < n ? on_page : n, known);
}

/* Adds at least the first of n accesses, each within a granule. distance: a multiple of GRANULE_SIZE. Returns how many
 * it has added, which are all on one page. */
static size_t add_some(struct rfs_adding *adding, rfs_addr address, uint64_t size, uint64_t distance, size_t n)
{
	const size_t alike = add_alike(adding, address, size, distance, n);

	if (alike)
		return alike;
	rfs_adding_at(adding, address, size);
	return 1;
}

void rfs_adding_bytes(struct rfs_adding *adding, rfs_addr first, uint64_t size)
{
	const uint64_t into = first & (GRANULE_SIZE - 1), until = into ? GRANULE_SIZE - into : 0,
		       head = until < size ? until : size;

	if (head)
		rfs_adding_at(adding, first, head);
	first += head;
	size -= head;
	while (size >= GRANULE_SIZE) {
		const uint64_t done =
			GRANULE_SIZE * add_some(adding, first, GRANULE_SIZE, GRANULE_SIZE, size >> RFS_GRANULE_SHIFT);

		first += done;
		size -= done;
	}
	if (size)
		rfs_adding_at(adding, first, size);
}

static void access_runs_check_memory(const struct rfs_adding *adding)
{
	rfs_history_check_memory(adding->history, adding->new.thread);
}

/* Adds accesses that cover these bytes without a gap. */
static void access_runs_add_pages(struct rfs_adding *adding, rfs_addr first, uint64_t size)
{
	while (size > 0) {
		const uint64_t left = left_on_page(first), part = left < size ? left : size;

		rfs_adding_bytes(adding, first, part);
		access_runs_check_memory(adding);
		first += part;
		size -= part;
	}
}

void rfs_adding_run(struct rfs_adding *adding, rfs_addr address, uint64_t size, int64_t distance, size_t n)
{
	const uint64_t step = distance < 0 ? -(uint64_t)distance : (uint64_t)distance;

	if (distance < 0) /* begin with the lowest address */
		address -= step * (n - 1);
	if (step <= size) {
		access_runs_add_pages(adding, address, step * (n - 1) + size);
		return;
	}
	while (n > 0) {
		size_t done = 1;

		if (step % GRANULE_SIZE == 0 && (address & (GRANULE_SIZE - 1)) + size <= GRANULE_SIZE)
			done = add_some(adding, address, size, step, n);
		else
			rfs_adding_at(adding, address, size);
		access_runs_check_memory(adding);
		address += done * step;
		n -= done;
	}
}
