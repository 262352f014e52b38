/*
 * section_pairs.c - keeps the sections of each thread with the variables in them, and searches two sections of one
 * thread and those of another one for the pattern.
 */
#include "policy/detect/section_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "policy/core/alloc.h"
#include "policy/detect/atom_run.h"
#include "policy/detect/atomicity_pattern.h"
#include "policy/policy.h"

/* Different pairs of sections that are kept. A search compares each with each. */
#define PAIRS_MAX 256
/* Of pairs with the same code, on different memory. */
#define ALIKE_MAX 8

static void free_section(struct atom_section *section)
{
	if (!section)
		return;
	for (size_t i = 0; i < section->n; i++)
		rfs_atom_context_release(section->list[i].context);
	free(section);
}

/* Each end of a section needs a new one and retires one. */
static struct atom_section *new_section(struct atom_section_pairs *pairs)
{
	struct atom_section *section = pairs->spare;

	if (!section)
		return rfs_policy_zalloc(1, sizeof(*section));
	pairs->spare = NULL;
	section->n = 0;
	return section;
}

static void retire_section(struct atom_section_pairs *pairs, struct atom_section *section)
{
	if (!section || pairs->spare) {
		free_section(section);
		return;
	}
	for (size_t i = 0; i < section->n; i++)
		rfs_atom_context_release(section->list[i].context);
	pairs->spare = section;
}

static struct atom_section *copy_section(const struct atom_section *section)
{
	struct atom_section *copy;

	if (!section)
		return NULL;
	copy = rfs_policy_zalloc(1, sizeof(*copy));
	*copy = *section;
	for (size_t i = 0; i < copy->n; i++)
		rfs_atom_context_share(copy->list[i].context);
	return copy;
}

static bool section_pairs_overlap(const struct atom_variable *variable, rfs_addr address, uint64_t size)
{
	return variable->address - address < size || address - variable->address < variable->size;
}

static struct atom_variable *find_variable(struct atom_section *section, rfs_addr address, uint64_t size)
{
	for (size_t i = 0; section && i < section->n; i++)
		if (section_pairs_overlap(&section->list[i], address, size))
			return &section->list[i];
	return NULL;
}

void rfs_sections_access(struct atom_section_pairs *pairs, struct atom_context *context,
			 const struct rfs_access *access)
{
	struct atom_sections *sections;
	struct atom_variable *variable;

	pairs->threads = rfs_policy_grow(pairs->threads, &pairs->n_threads, (size_t)context->thread + 1,
					 sizeof(*pairs->threads));
	sections = &pairs->threads[context->thread];
	if (!sections->now)
		sections->now = new_section(pairs);
	variable = find_variable(sections->now, access->address, access->size);
	if (!variable && sections->now->n == RFS_SECTION_ACCESSES)
		return;
	if (!variable) {
		variable = &sections->now->list[sections->now->n++];
		*variable = (struct atom_variable){
			.address = access->address, .size = access->size, .context = rfs_atom_context_share(context)};
	}
	if ((access->access & RFS_ACCESS_READ) && !variable->read && !variable->write)
		variable->read = access->site;
	if ((access->access & (RFS_ACCESS_WRITE | RFS_ACCESS_FREE)) && !variable->write)
		variable->write = access->site;
}

/* ---- pairs ---- */

static bool same_memory(const struct atom_section *a, const struct atom_section *b)
{
	if (!a)
		return true;
	for (size_t i = 0; i < a->n; i++)
		if (a->list[i].address != b->list[i].address)
			return false;
	return true;
}

static uint64_t mixed(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
}

/* A hash of the thread, of where the section begins, and of its statements. Sections with the same hash count as
 * sections of the same code. */
static uint64_t code_of(const struct atom_section *section)
{
	const struct atom_context *context = section->list[0].context;
	uint64_t hash = mixed(mixed(section->n, (uint64_t)context->thread), context->holds[0].site);

	for (size_t i = 0; i < section->n; i++)
		hash = mixed(mixed(hash, section->list[i].read), section->list[i].write);
	return hash;
}

static uint16_t *bucket_of(struct atom_section_pairs *pairs, uint64_t code)
{
	return &pairs->buckets[code >> 32 & (RFS_SECTION_BUCKETS - 1)];
}

static void section_pairs_link(struct atom_section_pairs *pairs, size_t i)
{
	uint16_t *bucket = bucket_of(pairs, pairs->list[i].code);

	pairs->list[i].behind = *bucket;
	*bucket = (uint16_t)(i + 1);
}

/* Equal pairs are kept once: the first one. */
static void section_pairs_keep(struct atom_section_pairs *pairs, const struct atom_section *first,
			       const struct atom_section *second)
{
	const uint64_t code = second ? mixed(first->code, second->code) : first->code;
	size_t alike = 0;

	for (size_t i = *bucket_of(pairs, code); i > 0; i = pairs->list[i - 1].behind) {
		const struct atom_section_pair *pair = &pairs->list[i - 1];

		if (pair->code != code)
			continue;
		if ((same_memory(pair->first, first) && same_memory(pair->second, second)) || ++alike == ALIKE_MAX)
			return;
	}
	if (pairs->n == PAIRS_MAX)
		return;
	pairs->list = rfs_policy_grow(pairs->list, &pairs->capacity, pairs->n + 1, sizeof(*pairs->list));
	pairs->list[pairs->n] =
		(struct atom_section_pair){.first = copy_section(first), .second = copy_section(second), .code = code};
	section_pairs_link(pairs, pairs->n++);
}

/* A section that begins when a condition wait ends belongs to the one that began the wait. */
static bool section_pairs_resumes(const struct atom_section *section)
{
	const struct atom_context *context = section->list[0].context;

	return context->n_holds && context->holds[0].resumes;
}

void rfs_sections_end(struct atom_section_pairs *pairs, int thread)
{
	struct atom_sections *sections = (size_t)thread < pairs->n_threads ? &pairs->threads[thread] : NULL;

	if (!sections || !sections->now)
		return;
	sections->now->code = code_of(sections->now);
	section_pairs_keep(pairs, sections->now, NULL);
	for (size_t i = 0; i < RFS_SECTION_BEFORE && !section_pairs_resumes(sections->now); i++)
		if (sections->before[i])
			section_pairs_keep(pairs, sections->before[i], sections->now);
	retire_section(pairs, sections->before[RFS_SECTION_BEFORE - 1]);
	memmove(sections->before + 1, sections->before, (RFS_SECTION_BEFORE - 1) * sizeof(*sections->before));
	sections->before[0] = sections->now;
	sections->now = NULL;
}

/* ---- the search ---- */

/* The accesses of the two threads to one variable. */
struct meeting {
	const struct atom_variable *own, *other;
	const struct atom_hold *lock; /* of the other thread */
};

static bool section_pairs_conflict(const struct meeting *m)
{
	return m->own->write || m->other->write;
}

static const struct atom_hold *section_pairs_find_hold(const struct atom_context *context, rfs_addr lock)
{
	for (size_t i = 0; i < context->n_holds; i++)
		if (context->holds[i].lock == lock)
			return &context->holds[i];
	return NULL;
}

/* Whether the two conflict and a lock keeps them apart. */
static bool section_pairs_meet(struct meeting *m)
{
	for (size_t i = 0; section_pairs_conflict(m) && i < m->other->context->n_holds; i++) {
		const struct atom_hold *other = &m->other->context->holds[i],
				       *own = section_pairs_find_hold(m->own->context, other->lock);

		if (own && rfs_atom_exclude(own, other)) {
			m->lock = other;
			return true;
		}
	}
	return false;
}

static bool reads_first(const struct atom_variable *variable)
{
	return variable->read && variable->write;
}

static bool section_pairs_can_come_between(const struct meeting *x, const struct meeting *y)
{
	const struct atom_context *first = x->own->context, *second = y->own->context;

	return !rfs_atom_is_before(x->other->context, first) && !rfs_atom_is_before(y->other->context, first) &&
	       !rfs_atom_is_before(second, x->other->context) && !rfs_atom_is_before(second, y->other->context);
}

/* The pattern, by what the thread and then the other one does to x and y. */
static enum rfs_atomicity_pattern pattern_of(const struct meeting *x, const struct meeting *y)
{
	static const enum rfs_atomicity_pattern patterns[2][2][2][2] = {
		[0][0][1][1] = RFS_ATOMICITY_R_WW_R, [0][1][1][0] = RFS_ATOMICITY_R_WR_W,
		[0][1][1][1] = RFS_ATOMICITY_R_WW_W, [1][0][0][1] = RFS_ATOMICITY_W_RW_R,
		[1][0][1][1] = RFS_ATOMICITY_W_WW_R, [1][1][0][0] = RFS_ATOMICITY_W_RR_W,
		[1][1][0][1] = RFS_ATOMICITY_W_RW_W, [1][1][1][0] = RFS_ATOMICITY_W_WR_W,
		[1][1][1][1] = RFS_ATOMICITY_W_WW_W,
	};

	return patterns[x->own->write != 0][y->own->write != 0][x->other->write != 0][y->other->write != 0];
}

static void section_pairs_describe(const struct atom_variable *variable, rfs_addr lock,
				   struct rfs_atomicity_access *out)
{
	const struct atom_hold *hold = section_pairs_find_hold(variable->context, lock);

	*out = (struct rfs_atomicity_access){
		.site = variable->write ? variable->write : variable->read,
		.thread = variable->context->thread,
		.access = variable->write ? RFS_ACCESS_WRITE : RFS_ACCESS_READ,
		.acquire = hold ? hold->site : 0,
	};
}

static uint64_t section_pairs_distance_of(const struct meeting *x, const struct meeting *y)
{
	const uint64_t from = x->own->context->sequence, to = y->own->context->sequence,
		       at = x->other->context->sequence;

	return at < from ? from - at : at > to ? at - to : 0;
}

/* together: the other thread accesses both in one section. */
static void section_pairs_add(struct atom_run *run, const struct meeting *x, const struct meeting *y, bool together)
{
	struct rfs_atomicity_violation violation = {
		.pattern = pattern_of(x, y),
		.address = x->own->address,
		.beside = y->own->address,
		.lock = x->lock->lock == y->lock->lock ? x->lock->lock : 0,
		.rank = (together ? 1 : 3) + (x->own->write != 0 || y->own->write != 0),
		.distance = section_pairs_distance_of(x, y),
	};
	struct atom_key key = {{0}};

	section_pairs_describe(x->own, x->lock->lock, &violation.first);
	section_pairs_describe(y->own, y->lock->lock, &violation.second);
	section_pairs_describe(x->other, x->lock->lock, &violation.remote);
	section_pairs_describe(y->other, y->lock->lock, &violation.also);
	key.sections[0] = violation.first.acquire;
	key.sections[1] = violation.first.site;
	key.sections[2] = violation.remote.acquire;
	key.sections[3] = violation.remote.site;
	key.sections[4] = violation.second.acquire;
	key.sections[5] = violation.second.site;
	key.sections[6] = violation.also.site;
	/* a function that gets a pointer serves many variables */
	key.sections[7] = violation.beside - violation.address;
	rfs_atom_add(run, &key, &violation);
}

/* The other thread's access to this variable, in one of its sections. */
static const struct atom_variable *other_access(const struct atom_section_pair *other,
						const struct atom_variable *variable)
{
	const struct atom_variable *found = find_variable(other->first, variable->address, variable->size);

	return found ? found : find_variable(other->second, variable->address, variable->size);
}

static bool is_counting(const struct meeting *x, const struct meeting *y)
{
	return reads_first(x->own) && reads_first(x->other) && reads_first(y->own) && reads_first(y->other);
}

static void search_variables(struct atom_run *run, const struct atom_section_pair *own,
			     const struct atom_section_pair *other, const struct atom_variable *of_x)
{
	struct meeting x = {of_x, other_access(other, of_x), NULL};

	if (!x.other || !section_pairs_meet(&x) || find_variable(own->second, of_x->address, of_x->size))
		return;
	for (size_t i = 0; i < own->second->n; i++) {
		const struct atom_variable *of_y = &own->second->list[i];
		struct meeting y = {of_y, other_access(other, of_y), NULL};

		if (!y.other || !section_pairs_meet(&y) || find_variable(own->first, of_y->address, of_y->size) ||
		    is_counting(&x, &y) || !section_pairs_can_come_between(&x, &y))
			continue;
		/* of two sections, each has one of the variables; otherwise the pair of one section is the better one
		 */
		if (other->second && find_variable(other->first, of_x->address, of_x->size) &&
		    find_variable(other->first, of_y->address, of_y->size))
			continue;
		section_pairs_add(run, &x, &y, !other->second);
	}
}

/* Whether one variable alone is a violation of the same three sections (atomicity_search.c). */
static bool is_single(const struct atom_section_pair *own, const struct atom_section_pair *other)
{
	for (size_t i = 0; i < own->first->n; i++) {
		const struct atom_variable *variable = &own->first->list[i], *remote = other_access(other, variable);

		if (remote && remote->write && find_variable(own->second, variable->address, variable->size))
			return true;
	}
	return false;
}

static void search_pair(struct atom_run *run, const struct atom_section_pair *own,
			const struct atom_section_pair *other)
{
	if (!own->second || own->first->list[0].context->thread == other->first->list[0].context->thread ||
	    is_single(own, other))
		return;
	for (size_t i = 0; i < own->first->n; i++)
		search_variables(run, own, other, &own->first->list[i]);
}

void rfs_sections_search(struct atom_run *run, const struct atom_section_pairs *pairs)
{
	for (size_t i = 0; i < pairs->n; i++)
		for (size_t k = 0; k < pairs->n; k++)
			search_pair(run, &pairs->list[i], &pairs->list[k]);
}

/* ---- the end of memory ---- */

static bool has_memory(const struct atom_section_pair *pair, rfs_addr address, uint64_t size)
{
	return find_variable(pair->first, address, size) || find_variable(pair->second, address, size);
}

static void forget_section(struct atom_section **section, rfs_addr address, uint64_t size)
{
	if (!find_variable(*section, address, size))
		return;
	free_section(*section);
	*section = NULL;
}

void rfs_sections_reset(struct atom_run *run, struct atom_section_pairs *pairs, rfs_addr address, uint64_t size)
{
	size_t kept = 0;

	for (size_t i = 0; i < pairs->n; i++)
		for (size_t k = 0; k < pairs->n && has_memory(&pairs->list[i], address, size); k++)
			if (has_memory(&pairs->list[k], address, size))
				search_pair(run, &pairs->list[i], &pairs->list[k]);
	for (size_t i = 0; i < pairs->n; i++) {
		if (!has_memory(&pairs->list[i], address, size)) {
			pairs->list[kept++] = pairs->list[i];
			continue;
		}
		free_section(pairs->list[i].first);
		free_section(pairs->list[i].second);
	}
	if (kept < pairs->n) {
		pairs->n = kept;
		memset(pairs->buckets, 0, sizeof(pairs->buckets));
		for (size_t i = 0; i < kept; i++)
			section_pairs_link(pairs, i);
	}
	for (size_t i = 0; i < pairs->n_threads; i++) {
		struct atom_sections *sections = &pairs->threads[i];

		forget_section(&sections->now, address, size);
		for (size_t k = 0; k < RFS_SECTION_BEFORE; k++)
			forget_section(&sections->before[k], address, size);
	}
}

void rfs_sections_release(struct atom_section_pairs *pairs)
{
	for (size_t i = 0; i < pairs->n; i++) {
		free_section(pairs->list[i].first);
		free_section(pairs->list[i].second);
	}
	free(pairs->list);
	free(pairs->spare);
	for (size_t i = 0; i < pairs->n_threads; i++) {
		free_section(pairs->threads[i].now);
		for (size_t k = 0; k < RFS_SECTION_BEFORE; k++)
			free_section(pairs->threads[i].before[k]);
	}
	free(pairs->threads);
}
