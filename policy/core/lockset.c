/* lockset.c - a table of locks by address, the interned sets, and what each thread holds. */
#include "policy/core/lockset.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "policy/core/alloc.h"
#include "policy/core/pagemap.h"

/* An element of a set. Sets are compared as bytes, so this struct must have no padding. */
struct element {
	uint32_t lock; /* index in the array locks */
	uint32_t shared;
};

struct set {
	UT_hash_handle hh; /* key: elements */
	rfs_lockset number;
	bool excludes; /* at least one lock of the set is held exclusively */
	size_t n;
	struct element elements[]; /* ascending by lock */
};

struct lock {
	rfs_addr address;
	size_t holders; /* number of threads that hold it */
};

/* The current locks of one page, unsorted. Linear search is enough, because a page holds at most about a hundred
 * mutexes. */
struct lock_page {
	uint32_t *locks;
	size_t n, capacity;
};

struct hold {
	uint32_t lock;
	uint32_t exclusive, shared; /* how many holds of each kind; at least one is not 0 */
};

struct holder {
	struct hold *holds; /* ascending by lock */
	size_t n, capacity;
	rfs_lockset set; /* number of the lockset of these holds */
};

/*
 * Two caches, in which 0 marks an empty entry. recent_lock: which lock is at an address. Its entry is cleared when the
 * memory of the lock gets a new use. recent_step: which set a set becomes when a lock is acquired or released. Its
 * entries never become invalid, because sets never change.
 */
#define RECENT_SHIFT 12
struct recent_lock {
	rfs_addr address;
	uint32_t lock; /* index of the lock, + 1 */
};
enum how { HELD_NOT, HELD_SHARED, HELD_EXCLUSIVE };
struct recent_step {
	rfs_lockset from, to;
	uint32_t lock, how; /* lock: index + 1; how: enum how */
};

struct rfs_locksets {
	struct recent_lock recent_locks[1u << RECENT_SHIFT];
	struct recent_step recent_steps[1u << RECENT_SHIFT];
	struct set *by_elements; /* uthash */
	struct set **sets;	 /* by number; sets[0] is NULL and means the empty set */
	size_t n_sets, sets_capacity;
	struct lock *locks;
	size_t n_locks, locks_capacity;
	struct rfs_pagemap pages; /* by page: struct lock_page */
	struct holder *holders;	  /* by thread number */
	size_t n_holders, holders_capacity;
	struct element *scratch; /* the elements of a set that is being looked up */
	size_t scratch_capacity;
};

struct rfs_locksets *rfs_locksets_new(void)
{
	struct rfs_locksets *sets = rfs_policy_zalloc(1, sizeof(*sets));

	sets->sets = rfs_policy_grow(NULL, &sets->sets_capacity, 1, sizeof(*sets->sets));
	sets->n_sets = 1;
	return sets;
}

static void lockset_free_page(void *arg, uint64_t page, void *value)
{
	struct lock_page *locks = value;

	(void)arg;
	(void)page;
	free(locks->locks);
	free(locks);
}

void rfs_locksets_free(struct rfs_locksets *sets)
{
	HASH_CLEAR(hh, sets->by_elements);
	for (size_t i = 1; i < sets->n_sets; i++)
		free(sets->sets[i]);
	for (size_t i = 0; i < sets->n_holders; i++)
		free(sets->holders[i].holds);
	rfs_pagemap_range(&sets->pages, 0, UINT64_MAX, lockset_free_page, NULL);
	rfs_pagemap_release(&sets->pages);
	free(sets->sets);
	free(sets->locks);
	free(sets->holders);
	free(sets->scratch);
	free(sets);
}

/* lockset_lock_at() for a lock that is not in the cache recent_locks. */
static uint32_t look_up_lock(struct rfs_locksets *sets, rfs_addr address)
{
	uint64_t number = address >> RFS_PAGE_SHIFT;
	struct lock_page *page = rfs_pagemap_find(&sets->pages, number);
	uint32_t lock;

	if (!page) {
		page = rfs_policy_zalloc(1, sizeof(*page));
		rfs_pagemap_add(&sets->pages, number, page);
	}
	for (size_t i = 0; i < page->n; i++) {
		if (sets->locks[page->locks[i]].address == address)
			return page->locks[i];
	}
	lock = sets->n_locks++;
	sets->locks = rfs_policy_grow(sets->locks, &sets->locks_capacity, sets->n_locks, sizeof(*sets->locks));
	sets->locks[lock] = (struct lock){.address = address};
	page->locks = rfs_policy_grow(page->locks, &page->capacity, page->n + 1, sizeof(*page->locks));
	page->locks[page->n++] = lock;
	return lock;
}

static size_t lockset_recent_place(uint64_t key)
{
	return (key * 0x9e3779b97f4a7c15u) >> (64 - RECENT_SHIFT);
}

/* The index of the current lock at this address; a new index if no lock is known there. */
static uint32_t lockset_lock_at(struct rfs_locksets *sets, rfs_addr address)
{
	struct recent_lock *recent = &sets->recent_locks[lockset_recent_place(address)];

	if (!recent->lock || recent->address != address)
		*recent = (struct recent_lock){address, look_up_lock(sets, address) + 1};
	return recent->lock - 1;
}

/* The number of the set with the first n elements of scratch. Makes the set if it is new. */
static rfs_lockset intern(struct rfs_locksets *sets, size_t n)
{
	struct set *set;

	if (n == 0)
		return RFS_LOCKSET_EMPTY;
	HASH_FIND(hh, sets->by_elements, sets->scratch, n * sizeof(*sets->scratch), set);
	if (set)
		return set->number;
	set = rfs_policy_zalloc(1, sizeof(*set) + n * sizeof(*set->elements));
	set->n = n;
	memcpy(set->elements, sets->scratch, n * sizeof(*set->elements));
	for (size_t i = 0; i < n; i++)
		set->excludes |= !set->elements[i].shared;
	set->number = sets->n_sets++;
	sets->sets = rfs_policy_grow(sets->sets, &sets->sets_capacity, sets->n_sets, sizeof(*sets->sets));
	sets->sets[set->number] = set;
	HASH_ADD_KEYPTR(hh, sets->by_elements, set->elements, n * sizeof(*set->elements), set);
	return set->number;
}

static void reserve_scratch(struct rfs_locksets *sets, size_t n)
{
	sets->scratch = rfs_policy_grow(sets->scratch, &sets->scratch_capacity, n, sizeof(*sets->scratch));
}

/* Call this after each change of how the thread holds the lock, with the new state. */
static void update_set(struct rfs_locksets *sets, struct holder *holder, uint32_t lock, enum how how)
{
	const uint64_t key = ((uint64_t)holder->set << 34) ^ ((uint64_t)lock << 2) ^ how;
	struct recent_step *recent = &sets->recent_steps[lockset_recent_place(key)];

	if (recent->from == holder->set && recent->lock == lock + 1 && recent->how == how) {
		holder->set = recent->to;
		return;
	}
	*recent = (struct recent_step){.from = holder->set, .lock = lock + 1, .how = how};
	reserve_scratch(sets, holder->n);
	for (size_t i = 0; i < holder->n; i++)
		sets->scratch[i] = (struct element){holder->holds[i].lock, holder->holds[i].exclusive == 0};
	holder->set = recent->to = intern(sets, holder->n);
}

static struct holder *lockset_holder_of(struct rfs_locksets *sets, int thread)
{
	size_t n = (size_t)thread + 1;

	if (n > sets->n_holders) {
		sets->holders = rfs_policy_grow(sets->holders, &sets->holders_capacity, n, sizeof(*sets->holders));
		sets->n_holders = n;
	}
	return &sets->holders[thread];
}

/* Index of the lock in holder->holds, or the place to insert it. */
static size_t position(const struct holder *holder, uint32_t lock)
{
	size_t i = 0;

	while (i < holder->n && holder->holds[i].lock < lock)
		i++;
	return i;
}

static struct hold *lockset_find_hold(struct holder *holder, uint32_t lock)
{
	size_t i = position(holder, lock);

	return i < holder->n && holder->holds[i].lock == lock ? &holder->holds[i] : NULL;
}

static enum how how_held(const struct hold *hold)
{
	if (hold->exclusive)
		return HELD_EXCLUSIVE;
	return hold->shared ? HELD_SHARED : HELD_NOT;
}

void rfs_locksets_acquire(struct rfs_locksets *sets, int thread, rfs_addr address, bool shared)
{
	struct holder *holder = lockset_holder_of(sets, thread);
	uint32_t lock = lockset_lock_at(sets, address);
	struct hold *hold = lockset_find_hold(holder, lock);

	if (!hold) {
		size_t i = position(holder, lock);

		holder->holds = rfs_policy_grow(holder->holds, &holder->capacity, holder->n + 1, sizeof(*hold));
		memmove(&holder->holds[i + 1], &holder->holds[i], (holder->n - i) * sizeof(*hold));
		holder->n++;
		hold = &holder->holds[i];
		*hold = (struct hold){.lock = lock};
		sets->locks[lock].holders++;
	}
	if (shared)
		hold->shared++;
	else
		hold->exclusive++;
	update_set(sets, holder, lock, how_held(hold));
}

static void lockset_drop(struct rfs_locksets *sets, struct holder *holder, struct hold *hold)
{
	size_t i = hold - holder->holds;

	sets->locks[hold->lock].holders--;
	holder->n--;
	memmove(hold, hold + 1, (holder->n - i) * sizeof(*hold));
}

void rfs_locksets_release(struct rfs_locksets *sets, int thread, rfs_addr address)
{
	uint32_t lock = lockset_lock_at(sets, address);
	struct holder *holder = lockset_holder_of(sets, thread);
	struct hold *hold = lockset_find_hold(holder, lock);
	enum how how;

	if (sets->locks[lock].holders == 0)
		return; /* the target released a lock that no thread holds */
	for (size_t i = 0; !hold; i++) {
		holder = &sets->holders[i];
		hold = lockset_find_hold(holder, lock);
	}
	if (hold->exclusive)
		hold->exclusive--;
	else
		hold->shared--;
	how = how_held(hold);
	if (how == HELD_NOT)
		lockset_drop(sets, holder, hold);
	update_set(sets, holder, lock, how);
}

struct reset {
	struct rfs_locksets *sets;
	rfs_addr first, last;
};

static void lockset_reset_page(void *arg, uint64_t number, void *value)
{
	struct reset *reset = arg;
	struct rfs_locksets *sets = reset->sets;
	struct lock_page *page = value;

	(void)number;
	for (size_t i = 0; i < page->n;) {
		uint32_t lock = page->locks[i];

		if (sets->locks[lock].address < reset->first || sets->locks[lock].address > reset->last) {
			i++;
			continue;
		}
		page->locks[i] = page->locks[--page->n];
		sets->recent_locks[lockset_recent_place(sets->locks[lock].address)] = (struct recent_lock){0};
		for (size_t t = 0; sets->locks[lock].holders; t++) {
			struct holder *holder = &sets->holders[t];
			struct hold *hold = lockset_find_hold(holder, lock);

			if (!hold)
				continue;
			lockset_drop(sets, holder, hold);
			update_set(sets, holder, lock, HELD_NOT);
		}
	}
}

void rfs_locksets_reset(struct rfs_locksets *sets, rfs_addr address, uint64_t size)
{
	struct reset reset = {sets, address, address + size - 1};

	rfs_pagemap_range(&sets->pages, reset.first >> RFS_PAGE_SHIFT, reset.last >> RFS_PAGE_SHIFT, lockset_reset_page,
			  &reset);
}

rfs_lockset rfs_locksets_held(const struct rfs_locksets *sets, int thread)
{
	return (size_t)thread < sets->n_holders ? sets->holders[thread].set : RFS_LOCKSET_EMPTY;
}

bool rfs_locksets_protect(const struct rfs_locksets *sets, rfs_lockset a, rfs_lockset b)
{
	const struct set *x = sets->sets[a], *y = sets->sets[b];

	if (!x || !y)
		return false;
	if (a == b)
		return x->excludes;
	for (size_t i = 0, j = 0; i < x->n && j < y->n;) {
		if (x->elements[i].lock < y->elements[j].lock)
			i++;
		else if (x->elements[i].lock > y->elements[j].lock)
			j++;
		else if (!x->elements[i].shared || !y->elements[j].shared)
			return true;
		else
			i++, j++;
	}
	return false;
}

bool rfs_locksets_within(const struct rfs_locksets *sets, rfs_lockset a, rfs_lockset b)
{
	const struct set *x = sets->sets[a], *y = sets->sets[b];
	size_t j = 0;

	if (a == b || !x)
		return true;
	if (!y || x->n > y->n)
		return false;
	for (size_t i = 0; i < x->n; i++, j++) {
		while (j < y->n && y->elements[j].lock < x->elements[i].lock)
			j++;
		if (j == y->n || y->elements[j].lock != x->elements[i].lock)
			return false;
		if (!x->elements[i].shared && y->elements[j].shared)
			return false;
	}
	return true;
}

rfs_lockset rfs_locksets_meet(struct rfs_locksets *sets, rfs_lockset a, rfs_lockset b)
{
	const struct set *x = sets->sets[a], *y = sets->sets[b];
	size_t n = 0;

	if (a == b || !x || !y)
		return a == b ? a : RFS_LOCKSET_EMPTY;
	reserve_scratch(sets, x->n);
	for (size_t i = 0, j = 0; i < x->n && j < y->n;) {
		if (x->elements[i].lock < y->elements[j].lock) {
			i++;
		} else if (x->elements[i].lock > y->elements[j].lock) {
			j++;
		} else {
			sets->scratch[n] = x->elements[i];
			sets->scratch[n++].shared |= y->elements[j].shared;
			i++;
			j++;
		}
	}
	return intern(sets, n);
}

size_t rfs_locksets_count(const struct rfs_locksets *sets)
{
	return sets->n_sets;
}

rfs_addr *rfs_locksets_addresses(const struct rfs_locksets *sets, rfs_lockset number, size_t *n)
{
	const struct set *set = sets->sets[number];
	rfs_addr *addresses = rfs_policy_zalloc(set ? set->n : 1, sizeof(*addresses));

	*n = set ? set->n : 0;
	for (size_t i = 0; i < *n; i++)
		addresses[i] = sets->locks[set->elements[i].lock].address;
	return addresses;
}
