/*
 * rff_corpus.c - the pairs and schedules as a blob from run to run, the energies, and the mutations. Its random draws
 * are in the order of the code.
 */
#include "policy/samplers/rff_corpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/core/alloc.h"
#include "policy/results.h"

/* The most runs that a schedule gives in a row. */
#define ENERGY_MAX 16
/* The runs that a schedule with a new pair gives at once. */
#define FRESH_ENERGY 32
/* Pairs that at most this many runs had are rare. */
#define RARE 4
/* A schedule that joins gets constraints for pairs that fewer runs had than one in this many, until it has this many.
 */
#define RARE_PART 2
#define OWN_MOST 6
/* One run in this many has no constraints: it samples any order. */
#define FREE_EVERY 8
/* How often a draw is repeated that would add a constraint which is there already. */
#define DRAWS_MOST 4

static const char magic[8] = "rfsrff1";

struct header {
	char magic[8];
	uint64_t runs;
	uint32_t now, left;
	uint32_t n_pairs, n_schedules, n_combinations, unused;
};

/* ---- the blob ---- */

static bool rff_corpus_sound(const struct rfs_rff_corpus *corpus)
{
	if (!corpus->n_schedules || corpus->now >= corpus->n_schedules)
		return false;
	for (size_t i = 0; i < corpus->n_schedules; i++) {
		const struct rfs_rff_schedule *schedule = &corpus->schedules[i];

		if (schedule->n > RFS_RFF_CONSTRAINTS_MAX || (schedule->rarest >= corpus->n_pairs && schedule->n))
			return false;
		for (size_t k = 0; k < schedule->n; k++)
			if (schedule->list[k].pair >= corpus->n_pairs)
				return false;
	}
	return true;
}

static const char *rff_corpus_take(void *to, const char *from, size_t n)
{
	if (n)
		memcpy(to, from, n);
	return from + n;
}

static void rff_corpus_make_room(struct rfs_rff_corpus *corpus)
{
	corpus->pairs = rfs_policy_zalloc(RFS_RFF_PAIRS_MAX, sizeof(*corpus->pairs));
	corpus->schedules = rfs_policy_zalloc(RFS_RFF_SCHEDULES_MAX, sizeof(*corpus->schedules));
	corpus->combinations = rfs_policy_zalloc(RFS_RFF_COMBINATIONS_MAX, sizeof(*corpus->combinations));
}

int rfs_rff_corpus_read(struct rfs_rff_corpus *corpus, const struct rfs_blob *blob)
{
	struct header header;
	const char *from;

	*corpus = (struct rfs_rff_corpus){.n_schedules = 1};
	if (!blob || !blob->size) {
		rff_corpus_make_room(corpus);
		return 0;
	}
	if (blob->size < sizeof(header))
		return -EINVAL;
	from = rff_corpus_take(&header, blob->data, sizeof(header));
	if (memcmp(header.magic, magic, sizeof(magic)) != 0 || header.n_pairs > RFS_RFF_PAIRS_MAX ||
	    header.n_schedules > RFS_RFF_SCHEDULES_MAX || header.n_combinations > RFS_RFF_COMBINATIONS_MAX ||
	    blob->size != sizeof(header) + header.n_pairs * sizeof(*corpus->pairs) +
				  header.n_schedules * sizeof(*corpus->schedules) +
				  header.n_combinations * sizeof(*corpus->combinations))
		return -EINVAL;
	rff_corpus_make_room(corpus);
	corpus->runs = header.runs;
	corpus->now = header.now;
	corpus->left = header.left;
	corpus->n_pairs = header.n_pairs;
	corpus->n_schedules = header.n_schedules;
	corpus->n_combinations = header.n_combinations;
	from = rff_corpus_take(corpus->pairs, from, header.n_pairs * sizeof(*corpus->pairs));
	from = rff_corpus_take(corpus->schedules, from, header.n_schedules * sizeof(*corpus->schedules));
	rff_corpus_take(corpus->combinations, from, header.n_combinations * sizeof(*corpus->combinations));
	if (rff_corpus_sound(corpus))
		return 0;
	rfs_rff_corpus_release(corpus);
	return -EINVAL;
}

static char *rff_corpus_put(char *to, const void *from, size_t n)
{
	if (n)
		memcpy(to, from, n);
	return to + n;
}

void rfs_rff_corpus_write(const struct rfs_rff_corpus *corpus, struct rfs_blob *blob)
{
	const size_t pairs = corpus->n_pairs * sizeof(*corpus->pairs);
	const size_t schedules = corpus->n_schedules * sizeof(*corpus->schedules);
	const size_t combinations = corpus->n_combinations * sizeof(*corpus->combinations);
	struct header header = {.runs = corpus->runs,
				.now = corpus->now,
				.left = corpus->left,
				.n_pairs = corpus->n_pairs,
				.n_schedules = corpus->n_schedules,
				.n_combinations = corpus->n_combinations};
	char *to;

	memcpy(header.magic, magic, sizeof(magic));
	blob->size = sizeof(header) + pairs + schedules + combinations;
	blob->data = to = rfs_policy_zalloc(1, blob->size);
	to = rff_corpus_put(to, &header, sizeof(header));
	to = rff_corpus_put(to, corpus->pairs, pairs);
	to = rff_corpus_put(to, corpus->schedules, schedules);
	rff_corpus_put(to, corpus->combinations, combinations);
}

void rfs_rff_corpus_release(struct rfs_rff_corpus *corpus)
{
	free(corpus->pairs);
	free(corpus->schedules);
	free(corpus->combinations);
	*corpus = (struct rfs_rff_corpus){0};
}

/* ---- the next run ---- */

/* How many runs had the rarest pair of the schedule. */
static uint64_t frequency(const struct rfs_rff_corpus *corpus, const struct rfs_rff_schedule *schedule)
{
	return schedule->n ? corpus->pairs[schedule->rarest].runs : corpus->runs;
}

/* The energy of the schedule: 0 if its rarest pair is more frequent than the average. */
static uint32_t energy(const struct rfs_rff_corpus *corpus, const struct rfs_rff_schedule *schedule)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < corpus->n_schedules; i++)
		sum += frequency(corpus, &corpus->schedules[i]);
	if (frequency(corpus, schedule) * corpus->n_schedules > sum)
		return 0;
	return schedule->chosen < 4 ? 1u << schedule->chosen : ENERGY_MAX;
}

/* Goes to the next schedule that has energy. The one with the lowest frequency always has some. */
static void rff_corpus_refill(struct rfs_rff_corpus *corpus)
{
	for (size_t i = 0; i < corpus->n_schedules && !corpus->left; i++) {
		corpus->now = (corpus->now + 1) % corpus->n_schedules;
		corpus->left = energy(corpus, &corpus->schedules[corpus->now]);
	}
	corpus->schedules[corpus->now].chosen++;
}

/* The weight of a pair that a run should have: the less is known of it, the larger. */
static uint64_t rff_corpus_weight(const struct rfs_rff_pair *pair)
{
	return 65536 / (1 + (uint64_t)pair->runs + 2 * (uint64_t)pair->tried) + 1;
}

static struct rfs_rff_constraint draw_constraint(const struct rfs_rff_corpus *corpus, struct rfs_rng *rng)
{
	struct rfs_rff_constraint constraint = {.negative = rfs_rng_chance(rng, 1, 4)};
	uint64_t total = 0, chosen;

	if (constraint.negative) {
		constraint.pair = (uint16_t)rfs_rng_below(rng, corpus->n_pairs);
		return constraint;
	}
	for (size_t i = 0; i < corpus->n_pairs; i++)
		total += rff_corpus_weight(&corpus->pairs[i]);
	chosen = rfs_rng_below(rng, total);
	while (chosen >= rff_corpus_weight(&corpus->pairs[constraint.pair]))
		chosen -= rff_corpus_weight(&corpus->pairs[constraint.pair++]);
	return constraint;
}

static bool rff_corpus_has_pair(const struct rfs_rff_schedule *schedule, uint32_t pair)
{
	for (size_t i = 0; i < schedule->n; i++)
		if (schedule->list[i].pair == pair)
			return true;
	return false;
}

/* Puts a new constraint at this index, unless no other pair was drawn. */
static void rff_corpus_insert(const struct rfs_rff_corpus *corpus, struct rfs_rng *rng,
			      struct rfs_rff_schedule *schedule, size_t at)
{
	for (unsigned i = 0; i < DRAWS_MOST; i++) {
		const struct rfs_rff_constraint constraint = draw_constraint(corpus, rng);

		if (rff_corpus_has_pair(schedule, constraint.pair))
			continue;
		schedule->list[at] = constraint;
		schedule->n += at == schedule->n;
		return;
	}
}

static void mutate(const struct rfs_rff_corpus *corpus, struct rfs_rng *rng, struct rfs_rff_schedule *schedule)
{
	const uint64_t at = schedule->n ? rfs_rng_below(rng, schedule->n) : 0;

	switch (schedule->n ? rfs_rng_below(rng, 6) : 0) {
	case 3:
		schedule->list[at].negative ^= 1;
		break;
	case 4:
		schedule->list[at] = schedule->list[--schedule->n];
		break;
	case 5:
		rff_corpus_insert(corpus, rng, schedule, at);
		break;
	default:
		if (schedule->n < RFS_RFF_CONSTRAINTS_MAX)
			rff_corpus_insert(corpus, rng, schedule, schedule->n);
		else
			rff_corpus_insert(corpus, rng, schedule, at);
	}
}

/* A schedule with one pair that no run had or tried. False: there is none. */
static bool draw_untried(const struct rfs_rff_corpus *corpus, struct rfs_rng *rng, struct rfs_rff_schedule *out)
{
	uint64_t n = 0, chosen;

	for (size_t i = 0; i < corpus->n_pairs; i++)
		n += !corpus->pairs[i].runs && !corpus->pairs[i].tried;
	if (!n)
		return false;
	chosen = rfs_rng_below(rng, n);
	/* it may need what made it possible */
	if (rfs_rng_chance(rng, 1, 4))
		*out = corpus->schedules[corpus->now];
	out->n -= out->n == RFS_RFF_CONSTRAINTS_MAX;
	for (size_t i = 0; i < corpus->n_pairs; i++)
		if (!corpus->pairs[i].runs && !corpus->pairs[i].tried && chosen-- == 0)
			out->list[out->n++] = (struct rfs_rff_constraint){.pair = (uint16_t)i};
	return true;
}

void rfs_rff_corpus_next(struct rfs_rff_corpus *corpus, struct rfs_rng *rng, struct rfs_rff_schedule *out)
{
	*out = (struct rfs_rff_schedule){0};
	if (!corpus->n_pairs || rfs_rng_chance(rng, 1, FREE_EVERY))
		return;
	if (rfs_rng_chance(rng, 3, 4) && draw_untried(corpus, rng, out))
		return;
	if (!corpus->left)
		rff_corpus_refill(corpus);
	corpus->left -= corpus->left > 0;
	*out = corpus->schedules[corpus->now];
	corpus->schedules[corpus->now].runs++;
	mutate(corpus, rng, out);
	if (rfs_rng_chance(rng, 1, 4))
		mutate(corpus, rng, out);
}

/* ---- what a run found out ---- */

/* The index of the pair, which is added if it is new. RFS_RFF_PAIRS_MAX: there is no room. */
static uint32_t rff_corpus_pair_of(struct rfs_rff_corpus *corpus, const struct rfs_rff_pair *pair)
{
	uint32_t i = 0;

	while (i < corpus->n_pairs &&
	       (corpus->pairs[i].writer != pair->writer || corpus->pairs[i].reader != pair->reader))
		i++;
	if (i == RFS_RFF_PAIRS_MAX)
		return i;
	if (i == corpus->n_pairs)
		corpus->pairs[corpus->n_pairs++] =
			(struct rfs_rff_pair){.writer = pair->writer, .reader = pair->reader};
	corpus->pairs[i].address = pair->address;
	return i;
}

/* Whether no run had these pairs together. */
static bool add_combination(struct rfs_rff_corpus *corpus, uint64_t hash)
{
	for (size_t i = 0; i < corpus->n_combinations; i++)
		if (corpus->combinations[i] == hash)
			return false;
	if (corpus->n_combinations == RFS_RFF_COMBINATIONS_MAX)
		return false;
	corpus->combinations[corpus->n_combinations++] = hash;
	return true;
}

static bool rff_corpus_equal(const struct rfs_rff_schedule *a, const struct rfs_rff_schedule *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		bool found = false;

		for (size_t k = 0; k < b->n; k++)
			found |= a->list[i].pair == b->list[k].pair && a->list[i].negative == b->list[k].negative;
		if (!found)
			return false;
	}
	return true;
}

/* If there is no room, the schedule with the highest frequency makes room, but never the one without constraints. */
static void add_schedule(struct rfs_rff_corpus *corpus, const struct rfs_rff_schedule *schedule, bool is_new)
{
	size_t at = corpus->n_schedules;

	for (size_t i = 0; i < corpus->n_schedules; i++)
		if (rff_corpus_equal(&corpus->schedules[i], schedule))
			return;
	if (at == RFS_RFF_SCHEDULES_MAX) {
		at = 1;
		for (size_t i = 2; i < corpus->n_schedules; i++)
			if (frequency(corpus, &corpus->schedules[i]) > frequency(corpus, &corpus->schedules[at]))
				at = i;
	} else {
		corpus->n_schedules++;
	}
	corpus->schedules[at] = *schedule;
	if (is_new) {
		corpus->now = (uint32_t)at;
		corpus->left = FRESH_ENERGY;
	}
}

/* The constraints that the run fulfilled. Those that it should have fulfilled count as tried. */
static struct rfs_rff_schedule rff_corpus_fulfilled(struct rfs_rff_corpus *corpus, const struct rfs_rff_found *found)
{
	struct rfs_rff_schedule out = {0};

	for (size_t i = 0; i < found->schedule->n; i++) {
		const struct rfs_rff_constraint *constraint = &found->schedule->list[i];

		if (found->fulfilled >> i & 1)
			out.list[out.n++] = *constraint;
		else if (!constraint->negative)
			corpus->pairs[constraint->pair].tried++;
	}
	return out;
}

/*
 * Adds the rarest pairs of the run to a schedule that joins: without them, a later run would seldom come so far. Each
 * time, the rarest pair is taken that is not in the schedule.
 */
static void add_rare(const struct rfs_rff_corpus *corpus, const uint32_t *had, size_t n,
		     struct rfs_rff_schedule *schedule)
{
	while (schedule->n < OWN_MOST) {
		uint32_t best = RFS_RFF_PAIRS_MAX;

		for (size_t i = 0; i < n; i++)
			if (!rff_corpus_has_pair(schedule, had[i]) &&
			    corpus->pairs[had[i]].runs * RARE_PART < corpus->runs &&
			    (best == RFS_RFF_PAIRS_MAX || corpus->pairs[had[i]].runs < corpus->pairs[best].runs))
				best = had[i];
		if (best == RFS_RFF_PAIRS_MAX)
			return;
		schedule->list[schedule->n++] = (struct rfs_rff_constraint){.pair = (uint16_t)best};
	}
}

/* Counts the pairs of the run. Returns how many are known; at[] gets their indices, *fresh the first new one. */
static size_t count_pairs(struct rfs_rff_corpus *corpus, const struct rfs_rff_found *found, uint32_t *at,
			  uint32_t *fresh)
{
	size_t n = 0;

	for (size_t i = 0; i < found->n_had; i++) {
		const uint32_t pair = rff_corpus_pair_of(corpus, &found->had[i]);

		if (pair == RFS_RFF_PAIRS_MAX)
			continue;
		at[n++] = pair;
		if (!corpus->pairs[pair].runs++ && *fresh == RFS_RFF_PAIRS_MAX)
			*fresh = pair;
	}
	return n;
}

/* The order of the pairs does not matter. */
static uint64_t rff_corpus_hash_of(const struct rfs_rff_found *found)
{
	uint64_t hash = 1;

	for (size_t i = 0; i < found->n_had; i++) {
		uint64_t one = found->had[i].writer + found->had[i].reader * UINT64_C(0x9e3779b97f4a7c15);

		hash += (one ^ one >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	}
	return hash;
}

void rfs_rff_corpus_learn(struct rfs_rff_corpus *corpus, const struct rfs_rff_found *found)
{
	struct rfs_rff_schedule schedule = rff_corpus_fulfilled(corpus, found);
	uint32_t *had = rfs_policy_zalloc(found->n_had + 1, sizeof(*had)), fresh = RFS_RFF_PAIRS_MAX;
	const size_t n = count_pairs(corpus, found, had, &fresh);
	const bool first = corpus->runs++ == 0, is_new = fresh != RFS_RFF_PAIRS_MAX;
	bool together = add_combination(corpus, rff_corpus_hash_of(found));

	for (size_t i = 0; i < found->n_possible; i++)
		(void)rff_corpus_pair_of(corpus, &found->possible[i]);
	schedule.rarest = n ? had[0] : 0;
	for (size_t i = 0; i < n; i++)
		if (corpus->pairs[had[i]].runs < corpus->pairs[schedule.rarest].runs)
			schedule.rarest = had[i];
	together = together && n && corpus->pairs[schedule.rarest].runs <= RARE;
	if (is_new && !first && !rff_corpus_has_pair(&schedule, fresh) && schedule.n < RFS_RFF_CONSTRAINTS_MAX)
		schedule.list[schedule.n++] = (struct rfs_rff_constraint){.pair = (uint16_t)fresh};
	if (is_new || together)
		add_rare(corpus, had, n, &schedule);
	if ((is_new || together) && schedule.n)
		add_schedule(corpus, &schedule, is_new);
	free(had);
}
