/*
 * rff.c - greybox fuzzing of schedules (Wolff, Shi, Duck, Mathur & Roychoudhury, Greybox Fuzzing for Concurrency
 * Testing, ASPLOS 2024).
 *
 * A run tries to fulfil a schedule: a set of constraints, each of which says that some read gets its value from some
 * write, or from any other one (rff_corpus.h). The events are statements, whichever thread executes them. The run tells
 * which reads-from pairs it had (reads_from.h), and the next run begins with that knowledge.
 *
 * The run samples partial orders (priorities.h), with constraints in the way. A positive constraint is open until a run
 * has its pair. While it is open:
 *
 *  - a thread whose read would get something else waits before it
 *  - if the write was executed, a thread that would overwrite it waits
 *  - a thread whose read would get the write now is executed at once
 *
 * What nobody has written can be read only before the first write. So if the constraint asks for that, threads that
 * would write at the place where earlier runs had the read wait from the beginning. A negative constraint holds for the
 * whole run: a thread whose read would get the write waits, and so does a thread that is about to execute the write
 * while another is before the read. If all threads that could run would wait, none does. A thread that has waited for
 * `patience` operations ends the constraint that it waits for.
 *
 * Draws (part of the record format, rng.h). rff_init() draws the schedule, if anything is known (rff_corpus.c). Each
 * pick draws those of rfs_candidates_collect(); then, if no thread fulfils a constraint, a priority for each remaining
 * candidate that has none, ascending; then those of rfs_candidates_choose().
 */
#include "policy/builtin.h"

#include <errno.h>
#include <stdlib.h>
#include <uthash.h>

#include "policy/choice/candidates.h"
#include "policy/choice/priorities.h"
#include "policy/core/alloc.h"
#include "policy/core/options.h"
#include "policy/core/rng.h"
#include "policy/samplers/reads_from.h"
#include "policy/samplers/rff_corpus.h"

/* Possible pairs of one run. There is no room for more in the corpus. */
#define POSSIBLE_MAX RFS_RFF_PAIRS_MAX

struct constraint {
	uint64_t writer, reader; /* events */
	uint64_t address;	 /* where a run last had the pair */
	bool negative;
	bool met;   /* the run has had the pair */
	bool ended; /* nobody waits for it any more */
};

/* A pair that the run had, or could have had. */
struct met_pair {
	uint64_t key[2]; /* writer and reader */
	uint64_t address;
	UT_hash_handle hh;
};

struct rff {
	struct rfs_rng rng;
	struct rfs_candidates candidates; /* valid during one pick; kept to reuse its memory */
	struct rfs_priorities priorities;
	struct rfs_rff_corpus corpus;
	struct rfs_rff_schedule schedule;
	struct constraint constraints[RFS_RFF_CONSTRAINTS_MAX]; /* of the schedule */
	struct rfs_reads_from reads;
	struct met_pair *had; /* uthash, in the order in which the run had them */
	uint64_t *waits;      /* by thread number: view->step since which it waits, plus 1; 0: it does not */
	size_t capacity;
};

static int rff_init(void **out, const struct rfs_policy_args *args)
{
	uint64_t patience = RFS_DEFAULT_PATIENCE;
	const struct rfs_policy_option options[] = {{"patience", &patience, NULL}};
	struct rfs_rff_corpus corpus;
	struct rff *rff;
	int err = rfs_policy_options_parse(args->options, options, 1);

	if (!err)
		err = rfs_rff_corpus_read(&corpus, args->blob);
	if (err)
		return err;
	rff = rfs_policy_zalloc(1, sizeof(*rff));
	rff->corpus = corpus;
	rff->priorities.patience = patience;
	rfs_rng_init(&rff->rng, args->seed);
	rfs_rff_corpus_next(&rff->corpus, &rff->rng, &rff->schedule);
	for (size_t i = 0; i < rff->schedule.n; i++) {
		const struct rfs_rff_pair *pair = &rff->corpus.pairs[rff->schedule.list[i].pair];

		rff->constraints[i] = (struct constraint){.writer = pair->writer,
							  .reader = pair->reader,
							  .address = pair->address,
							  .negative = rff->schedule.list[i].negative};
	}
	*out = rff;
	return 0;
}

/* ---- what the run has ---- */

static void rff_add_pair(struct met_pair **set, uint64_t writer, uint64_t reader, uint64_t address)
{
	const uint64_t key[2] = {writer, reader};
	struct met_pair *pair;

	HASH_FIND(hh, *set, key, sizeof(key), pair);
	if (pair || HASH_COUNT(*set) >= POSSIBLE_MAX)
		return;
	pair = rfs_policy_zalloc(1, sizeof(*pair));
	pair->key[0] = writer;
	pair->key[1] = reader;
	pair->address = address;
	HASH_ADD(hh, *set, key, sizeof(key), pair);
}

static void free_pairs(struct met_pair **set)
{
	struct met_pair *pair, *next;

	HASH_ITER (hh, *set, pair, next) {
		HASH_DEL(*set, pair);
		free(pair);
	}
}

static void note_had(void *arg, uint64_t writer, uint64_t reader, uint64_t address)
{
	struct rff *rff = arg;

	rff_add_pair(&rff->had, writer, reader, address);
	for (size_t i = 0; i < rff->schedule.n; i++)
		if (rff->constraints[i].writer == writer && rff->constraints[i].reader == reader)
			rff->constraints[i].met = true;
}

static void note_possible(void *arg, uint64_t writer, uint64_t reader, uint64_t address)
{
	rff_add_pair(arg, writer, reader, address);
}

static void rff_event(void *opaque, const struct rfs_event *event)
{
	struct rff *rff = opaque;

	if (event->kind == RFS_EVENT_OP && event->outcome == RFS_OUTCOME_DONE)
		rfs_reads_from_executed(&rff->reads, event->thread, &event->op, note_had, rff);
}

/* ---- which thread waits ---- */

/* What the next operation of a thread does. */
struct next {
	uint64_t event;
	struct rfs_rf_use uses[RFS_USES_MAX];
	size_t n;
};

static struct next rff_next_of(const struct rfs_thread_view *t)
{
	struct next next;

	next.n = rfs_reads_from_uses(&t->next, next.uses);
	next.event = next.n ? rfs_reads_from_event(&t->next) : RFS_INITIALLY;
	return next;
}

/* Whether the operation would read what the writer of the constraint has written. */
static bool would_meet(const struct rff *rff, const struct constraint *c, const struct next *next)
{
	for (size_t i = 0; i < next->n; i++)
		if (next->uses[i].reads && rfs_reads_from_finds(&rff->reads, &next->uses[i], c->writer))
			return true;
	return false;
}

/* Whether the operation would overwrite what the reader of the constraint is to read. */
static bool would_overwrite(const struct rff *rff, const struct constraint *c, const struct next *next)
{
	if (next->event == c->writer)
		return false;
	for (size_t i = 0; i < next->n; i++) {
		const struct rfs_rf_use *use = &next->uses[i];

		if (use->writes && (c->writer != RFS_INITIALLY || use->place.address == c->address) &&
		    rfs_reads_from_finds(&rff->reads, use, c->writer))
			return true;
	}
	return false;
}

/* Whether another thread is before the read of the constraint, at a place that the operation writes. */
static bool rff_is_awaited(const struct constraint *c, const struct rfs_view *view, const struct next *next)
{
	for (size_t i = 0; i < view->n_threads; i++) {
		struct next other;

		if (rfs_candidate_class(&view->threads[i]) == RFS_CANDIDATE_NONE)
			continue;
		other = rff_next_of(&view->threads[i]);
		if (!other.n || other.event != c->reader)
			continue;
		for (size_t a = 0; a < next->n; a++)
			for (size_t b = 0; b < other.n; b++)
				if (next->uses[a].writes && other.uses[b].reads &&
				    next->uses[a].place.address == other.uses[b].place.address &&
				    next->uses[a].place.space == other.uses[b].place.space)
					return true;
	}
	return false;
}

static bool must_wait(const struct rff *rff, const struct constraint *c, const struct rfs_view *view,
		      const struct next *next)
{
	if (!next->n || c->ended)
		return false;
	if (c->negative)
		return (next->event == c->reader && would_meet(rff, c, next)) ||
		       (next->event == c->writer && rff_is_awaited(c, view, next));
	if (c->met)
		return false;
	return next->event == c->reader ? !would_meet(rff, c, next) : would_overwrite(rff, c, next);
}

static bool fulfils(const struct rff *rff, const struct next *next)
{
	for (size_t i = 0; i < rff->schedule.n && next->n; i++) {
		const struct constraint *c = &rff->constraints[i];

		if (!c->negative && !c->met && next->event == c->reader && would_meet(rff, c, next))
			return true;
	}
	return false;
}

/* The constraint for which the thread must wait. NULL: it need not wait. */
static struct constraint *rff_waits_for(struct rff *rff, const struct rfs_view *view, const struct next *next)
{
	for (size_t i = 0; i < rff->schedule.n; i++)
		if (must_wait(rff, &rff->constraints[i], view, next))
			return &rff->constraints[i];
	return NULL;
}

/* Whether the thread waits. If it has done so for too long, the constraint ends instead. */
static bool rff_waits(struct rff *rff, const struct rfs_view *view, const struct rfs_thread_view *t,
		      const struct next *next)
{
	struct constraint *c = rff_waits_for(rff, view, next);
	uint64_t *since;

	rff->waits = rfs_policy_grow(rff->waits, &rff->capacity, (size_t)t->thread + 1, sizeof(*rff->waits));
	since = &rff->waits[t->thread];
	if (!c) {
		*since = 0;
		return false;
	}
	if (!*since)
		*since = view->step + 1;
	if (view->step + 1 - *since < rff->priorities.patience)
		return true;
	c->ended = true;
	*since = 0;
	return false;
}

/* Removes the candidates that must wait, unless all must. A thread that fulfils a constraint is returned. */
static const struct rfs_thread_view *steer(struct rff *rff, const struct rfs_view *view)
{
	struct rfs_candidates *list = &rff->candidates;
	const struct rfs_thread_view *meets = NULL;
	size_t n = 0;
	bool *free_ones = rfs_policy_zalloc(list->n + 1, sizeof(*free_ones));

	for (size_t i = 0; i < list->n && !meets; i++) {
		const struct next next = rff_next_of(list->threads[i]);

		free_ones[i] = !rff_waits(rff, view, list->threads[i], &next);
		n += free_ones[i];
		if (free_ones[i] && fulfils(rff, &next))
			meets = list->threads[i];
	}
	for (size_t i = list->n; n && !meets && i-- > 0;)
		if (!free_ones[i])
			rfs_candidates_remove(list, i);
	free(free_ones);
	return meets;
}

static int rff_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct rff *rff = opaque;
	const struct rfs_thread_view *t = NULL;

	rfs_candidates_collect(&rff->candidates, view, &rff->rng);
	if (rff->schedule.n && view->n_threads > 1)
		t = steer(rff, view);
	if (!t)
		t = rfs_priorities_highest(&rff->priorities, view, &rff->candidates, &rff->rng);
	if (!t)
		return -EINVAL; /* no thread can run: the caller must not call pick then */
	rfs_priorities_executes(&rff->priorities, view, t);
	rfs_candidates_choose(&rff->candidates, view, t, &rff->rng, out);
	rfs_candidates_alone(view, out);
	return 0;
}

/* ---- what the run tells the next one ---- */

/* Caller frees. */
static struct rfs_rff_pair *list_of(const struct met_pair *set, size_t *n)
{
	struct rfs_rff_pair *list = rfs_policy_zalloc(HASH_COUNT(set) + 1, sizeof(*list));

	*n = 0;
	for (const struct met_pair *pair = set; pair; pair = pair->hh.next)
		list[(*n)++] =
			(struct rfs_rff_pair){.writer = pair->key[0], .reader = pair->key[1], .address = pair->address};
	return list;
}

static uint32_t rff_fulfilled(const struct rff *rff)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < rff->schedule.n; i++)
		bits |= (uint32_t)(rff->constraints[i].met != rff->constraints[i].negative) << i;
	return bits;
}

static int rff_save(void *opaque, struct rfs_blob *blob)
{
	struct rff *rff = opaque;
	struct met_pair *possible = NULL;
	struct rfs_rff_found found = {.schedule = &rff->schedule, .fulfilled = rff_fulfilled(rff)};
	struct rfs_rff_pair *had, *could;

	rfs_reads_from_possible(&rff->reads, note_possible, &possible);
	found.had = had = list_of(rff->had, &found.n_had);
	found.possible = could = list_of(possible, &found.n_possible);
	rfs_rff_corpus_learn(&rff->corpus, &found);
	rfs_rff_corpus_write(&rff->corpus, blob);
	free(had);
	free(could);
	free_pairs(&possible);
	return 0;
}

static void rff_stats(void *opaque, void (*emit)(void *arg, const char *key, uint64_t value), void *arg)
{
	const struct rff *rff = opaque;

	emit(arg, "constraints", rff->schedule.n);
	emit(arg, "fulfilled", (uint64_t)__builtin_popcount(rff_fulfilled(rff)));
}

static void rff_fini(void *opaque)
{
	struct rff *rff = opaque;

	rfs_candidates_release(&rff->candidates);
	rfs_priorities_release(&rff->priorities);
	rfs_rff_corpus_release(&rff->corpus);
	rfs_reads_from_release(&rff->reads);
	free_pairs(&rff->had);
	free(rff->waits);
	free(rff);
}

const struct rfs_policy_ops rfs_policy_rff = {
	.abi = RFS_POLICY_ABI,
	.name = "rff",
	.summary =
		"schedules as constraints on which read gets which write, mutated; rare ones first (RFF, ASPLOS 2024)",
	.flags = RFS_POLICY_NEEDS_BLOB,
	.init = rff_init,
	.pick = rff_pick,
	.event = rff_event,
	.save = rff_save,
	.stats = rff_stats,
	.fini = rff_fini,
};
