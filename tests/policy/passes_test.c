/* Hybrid detection in two passes: the first finds the places of races, the second looks at these places only. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "policy/core/rng.h"
#include "policy/passes.h"
#include "policy/shadow/shadow.h"
#include "policy/shadow/suspects.h"
#include "tests/policy/events.h"
#include "tests/policy/generate.h"
#include "tests/policy/model.h"
#include "tests/policy/reference.h"

#include "policy/registry.h"

TestSuite(passes, .timeout = 600);

enum { R = RFS_ACCESS_READ, W = RFS_ACCESS_WRITE, A = RFS_ACCESS_ATOMIC, F = RFS_ACCESS_FREE, G = RFS_ACCESS_RANGE };

#define LONGEST 4096

/* The events of a run of the model machine. */
static struct {
	struct rfs_event list[LONGEST];
	size_t n;
} recorded;

static int recorder_init(void **out, const struct rfs_policy_args *args)
{
	(void)args;
	recorded.n = 0;
	*out = &recorded;
	return 0;
}

static void recorder_event(void *state, const struct rfs_event *event)
{
	(void)state;
	cr_assert_lt(recorded.n, (size_t)LONGEST);
	recorded.list[recorded.n++] = *event;
}

static void recorder_report(void *state,
			    void (*emit)(void *arg, const struct rfs_race_access *a, const struct rfs_race_access *b),
			    void *arg)
{
	(void)state;
	(void)emit;
	(void)arg;
}

static void recorder_fini(void *state)
{
	(void)state;
}

static const struct rfs_detector_ops recorder = {
	.abi = RFS_POLICY_ABI,
	.name = "recorder",
	.init = recorder_init,
	.event = recorder_event,
	.report = recorder_report,
	.fini = recorder_fini,
};

static void detect(const struct rfs_detector_ops *ops, const struct rfs_blob *blob, const struct rfs_event *events,
		   size_t n, struct pairs *pairs, void (*save)(void *state, struct rfs_blob *out),
		   struct rfs_blob *saved)
{
	void *state;

	pairs->n = 0;
	cr_assert_eq(ops->init(&state, &(struct rfs_policy_args){.seed = 1, .blob = blob}), 0);
	for (size_t i = 0; i < n; i++)
		ops->event(state, &events[i]);
	ops->report(state, pairs_take, pairs);
	if (save)
		save(state, saved);
	ops->fini(state);
}

static void expect_same(const struct rfs_race_access *a, const struct rfs_race_access *b, const char *what,
			uint64_t seed)
{
	cr_assert(a->site == b->site && a->thread == b->thread && a->access == b->access && a->address == b->address &&
			  a->size == b->size && a->n_locks == b->n_locks,
		  "%s %lu: site %lx thread %d at %lx, expected site %lx thread %d at %lx", what, seed, a->site,
		  a->thread, a->address, b->site, b->thread, b->address);
}

struct places {
	struct rfs_suspects found, expected;
	size_t missed;
};

static void check_byte(void *arg, rfs_addr byte)
{
	struct places *places = arg;

	places->missed += !rfs_suspects_any(&places->found, byte, 1);
	rfs_suspects_add(&places->expected, byte);
}

/* What the first pass has saved, without the checksum. */
static struct rfs_blob places_of(const struct rfs_blob *saved)
{
	if (!saved->size)
		return *saved;
	return (struct rfs_blob){(char *)saved->data + RFS_PASSES_CHECK, saved->size - RFS_PASSES_CHECK};
}

static size_t n_granules(const struct rfs_blob *blob)
{
	const uint64_t *runs = blob->data;
	size_t n = 0;

	for (size_t i = 0; i < blob->size / sizeof(*runs); i += 2)
		n += runs[i + 1] - runs[i] + 1;
	return n;
}

/* ---- the filter of stubs (disasm/rewrite/stub_control.h), with so few slots that accesses share them ---- */

#define FILTER_SLOTS 128

struct filter_slot {
	bool used;
	rfs_addr address;
	uint64_t size, segment;
};

struct filter {
	struct filter_slot slots[2][FILTER_SLOTS]; /* of reads, of writes */
	uint64_t segment;
	int thread; /* of the last event */
	bool places[FILTER_SLOTS];
	size_t dropped;
};

static bool can_drop(const struct rfs_event *event)
{
	return event->kind == RFS_EVENT_ACCESS && event->op.size && event->op.size <= 64 &&
	       !(event->op.size & (event->op.size - 1)) && !(event->op.access & (A | F | G));
}

/* Whether the first pass need not see this event. */
static bool is_repeated(struct filter *filter, const struct rfs_event *event)
{
	const bool half = event->op.access & RFS_ACCESS_RMW, writes = half || (event->op.access & W);
	struct filter_slot *slot = &filter->slots[writes][event->op.object / 8 % FILTER_SLOTS];

	/* each stop begins a new segment, and so do the records of locks and frees; ranges do not */
	if (event->thread != filter->thread || event->kind != RFS_EVENT_ACCESS || (event->op.access & (A | F)))
		filter->segment++;
	filter->thread = event->thread;
	if (!can_drop(event))
		return false;
	if (slot->used && slot->address == event->op.object && slot->size == event->op.size &&
	    slot->segment == filter->segment)
		return true;
	/* one record is both halves of a read-modify-write, and both are dropped */
	if (!half || (event->op.access & W))
		*slot = (struct filter_slot){true, event->op.object, event->op.size, filter->segment};
	return false;
}

static void add_place(void *arg, rfs_addr address, uint64_t size)
{
	struct filter *filter = arg;

	/* the longest access begins 64 bytes earlier */
	for (uint64_t i = 0; i <= size / 8 + 8 && i < FILTER_SLOTS; i++)
		filter->places[(address / 8 - 8 + i) % FILTER_SLOTS] = true;
}

static bool is_elsewhere(struct filter *filter, const struct rfs_event *event)
{
	return can_drop(event) && !filter->places[event->op.object / 8 % FILTER_SLOTS];
}

/* The events without those that the filter drops. Returns how many. */
static size_t filtered(struct filter *filter, bool (*drops)(struct filter *filter, const struct rfs_event *event),
		       const struct rfs_event *events, size_t n, struct rfs_event *out)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (drops(filter, &events[i]))
			filter->dropped++;
		else
			out[kept++] = events[i];
	return kept;
}

static size_t all_dropped[2];

/* ---- runs (supervisor/state/core/stream_runs.h) ---- */

static bool is_free_order(const struct rfs_event *event)
{
	return event->kind == RFS_EVENT_ACCESS && !(event->op.access & (A | F));
}

/* Accesses that can be in one run are neighbours afterwards. */
static int by_kind(const void *a, const void *b)
{
	const struct rfs_op *x = &((const struct rfs_event *)a)->op, *y = &((const struct rfs_event *)b)->op;

	if (x->access != y->access || x->size != y->size)
		return x->access != y->access ? (x->access > y->access) - (x->access < y->access)
					      : (x->size > y->size) - (x->size < y->size);
	return (x->object > y->object) - (x->object < y->object);
}

/* Tells the first n events, which have one kind and size, as runs. Each run is as long as it can be. */
static void tell_runs(const struct rfs_detector_ops *ops, void *state, const struct rfs_event *events, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		const struct rfs_op *op = &events[i].op;
		const struct rfs_access access = {op->site, op->object, op->size, op->access};
		int64_t distance = 0;

		for (end = i + 1;
		     end < n && !by_kind(&(struct rfs_event){.op = {.access = op->access, .size = op->size}},
					 &(struct rfs_event){
						 .op = {.access = events[end].op.access, .size = events[end].op.size}});
		     end++) {
			const int64_t next = (int64_t)(events[end].op.object - events[end - 1].op.object);

			if (end > i + 1 && next != distance)
				break;
			distance = next;
		}
		ops->passes->run(state, events[i].thread, &access, distance, end - i);
	}
}

/* The first pass finds the same suspects if accesses come in another order, and as runs. */
static void compare_runs(const struct rfs_event *events, size_t n, const struct rfs_blob *suspects, const char *what,
			 uint64_t seed)
{
	const struct rfs_detector_ops *first = rfs_detector_find("hybrid")->passes->first;
	static struct rfs_event sorted[LONGEST];
	struct rfs_blob saved, inner;
	void *state;

	memcpy(sorted, events, n * sizeof(*sorted));
	cr_assert_eq(first->init(&state, &(struct rfs_policy_args){.seed = 1}), 0);
	for (size_t i = 0, end; i < n; i = end) {
		end = i + 1;
		if (!is_free_order(&events[i])) {
			first->event(state, &events[i]);
			continue;
		}
		while (end < n && is_free_order(&events[end]) && events[end].thread == events[i].thread)
			end++;
		qsort(&sorted[i], end - i, sizeof(*sorted), by_kind);
		tell_runs(first, state, &sorted[i], end - i);
	}
	first->passes->save(state, &saved);
	first->fini(state);
	inner = places_of(&saved);
	cr_assert(inner.size == suspects->size && (!inner.size || !memcmp(inner.data, suspects->data, inner.size)),
		  "%s %lu: other suspects with runs", what, seed);
	free(saved.data);
}

/* The same suspects and pairs are found if each pass gets only what its filter lets through. */
static void compare_filtered(const struct rfs_event *events, size_t n, const struct rfs_blob *suspects,
			     const struct pairs *expected, const char *what, uint64_t seed)
{
	const struct rfs_detector_passes *passes = rfs_detector_find("hybrid")->passes;
	static struct rfs_event kept[LONGEST];
	static struct pairs found;
	struct filter repeats = {.thread = -1}, places = {0};
	struct rfs_blob saved, inner;
	size_t n_kept = filtered(&repeats, is_repeated, events, n, kept);

	detect(passes->first, NULL, kept, n_kept, &found, passes->save, &saved);
	inner = places_of(&saved);
	cr_assert(inner.size == suspects->size && (!inner.size || !memcmp(inner.data, suspects->data, inner.size)),
		  "%s %lu: other suspects with the filter", what, seed);
	passes->places(&saved, add_place, &places);
	n_kept = filtered(&places, is_elsewhere, events, n, kept);
	detect(passes->second, &saved, kept, n_kept, &found, NULL, NULL);
	cr_assert_eq(found.n, expected->n, "%s %lu: %zu pairs with the filter, expected %zu", what, seed, found.n,
		     expected->n);
	for (size_t i = 0; i < found.n; i++) {
		expect_same(&found.low[i], &expected->low[i], what, seed);
		expect_same(&found.high[i], &expected->high[i], what, seed);
	}
	all_dropped[0] += repeats.dropped;
	all_dropped[1] += places.dropped;
	free(saved.data);
}

/*
 * Compares the suspects of the first pass with the places of all races, and the pairs of the second pass with those of
 * hybrid detection. exact: no other place may be a suspect. Returns how many pairs there are; adds up the suspects.
 */
static size_t compare(const struct rfs_event *events, size_t n, bool exact, const char *what, uint64_t seed,
		      size_t *suspects)
{
	const struct rfs_detector_ops *hybrid = rfs_detector_find("hybrid");
	static struct pairs expected, none, found;
	struct places places = {0};
	struct rfs_blob saved, again, places_saved, raced;
	void *reference;

	detect(hybrid, NULL, events, n, &expected, NULL, NULL);
	detect(hybrid->passes->first, NULL, events, n, &none, hybrid->passes->save, &saved);
	cr_assert_eq(none.n, 0);
	detect(hybrid->passes->second, &saved, events, n, &found, hybrid->passes->save, &again);
	cr_assert_eq(again.size, RFS_PASSES_CHECK);
	if (saved.size)
		cr_assert_eq(memcmp(saved.data, again.data, RFS_PASSES_CHECK), 0);
	places_saved = places_of(&saved);
	cr_assert_eq(found.n, expected.n, "%s %lu: %zu pairs, expected %zu", what, seed, found.n, expected.n);
	for (size_t i = 0; i < found.n; i++) {
		expect_same(&found.low[i], &expected.low[i], what, seed);
		expect_same(&found.high[i], &expected.high[i], what, seed);
	}
	cr_assert_eq(rfs_suspects_load(&places.found, &places_saved), 0);
	cr_assert_eq(reference_detector.init(&reference, &(struct rfs_policy_args){0}), 0);
	for (size_t i = 0; i < n; i++)
		reference_detector.event(reference, &events[i]);
	reference_bytes(reference, check_byte, &places);
	reference_detector.fini(reference);
	cr_assert_eq(places.missed, 0, "%s %lu: %zu bytes of races are no suspects", what, seed, places.missed);
	rfs_suspects_save(&places.expected, &raced);
	if (exact)
		cr_assert_eq(n_granules(&places_saved), n_granules(&raced), "%s %lu: %zu suspects, %zu places of races",
			     what, seed, n_granules(&places_saved), n_granules(&raced));
	compare_filtered(events, n, &places_saved, &expected, what, seed);
	compare_runs(events, n, &places_saved, what, seed);
	*suspects += n_granules(&places_saved);
	rfs_suspects_release(&places.found);
	rfs_suspects_release(&places.expected);
	free(saved.data);
	free(again.data);
	free(raced.data);
	return expected.n;
}

/* In check-full, as many programs and streams as the comparison was designed for. */
static uint64_t rounds(void)
{
	return getenv("RFSUP_CHECK_FULL") ? 10000 : 1000;
}

/* Some locks are released by another thread than their holder. */
static void release_by_others(struct rfs_rng *rng)
{
	for (size_t i = 0; i < recorded.n; i++)
		if (recorded.list[i].kind == RFS_EVENT_RELEASE && rfs_rng_chance(rng, 1, 4))
			recorded.list[i].thread = (int)rfs_rng_below(rng, 4);
}

Test(passes, find_the_pairs_of_random_programs)
{
	size_t pairs = 0, suspects = 0;

	for (uint64_t seed = 1; seed <= rounds(); seed++) {
		static struct generated program;
		const struct model_config config = {.policy = rfs_policy_find(seed % 3 ? "random" : "delay"),
						    .seed = seed,
						    .detectors = {&recorder},
						    .all_accesses = seed % 2};
		struct model_result result;
		struct rfs_rng rng;

		generate_program(&program, seed);
		model_run(&program.program, &config, &result);
		cr_assert_neq(result.end, MODEL_BAD_CHOICE, "%s", result.complaint);
		model_release(&result);
		pairs += compare(recorded.list, recorded.n, true, "program", seed, &suspects);
		rfs_rng_init(&rng, seed);
		release_by_others(&rng);
		pairs += compare(recorded.list, recorded.n, true, "program with changed releases", seed, &suspects);
	}
	cr_expect_gt(pairs, rounds());
	cr_expect_gt(suspects, rounds());
	cr_expect_gt(all_dropped[1], rounds());
}

/* Streams of events need not be possible in a program. The last third of the streams drops last references, and half of
 * these do little else. */
Test(passes, find_the_pairs_of_random_events)
{
	enum { LENGTH = 120 };
	static const rfs_addr bases[] = {0, (1 << 20) - 4096, (UINT64_C(1) << 47) - 4096, UINT64_C(5) << 61,
					 UINT64_MAX - 16000};
	size_t pairs = 0, suspects = 0;

	for (uint64_t seed = 1; seed <= rounds(); seed++) {
		struct rfs_event events[LENGTH];
		const bool drops = seed % 3 == 0;
		const size_t length = 6 + seed % (LENGTH - 6);
		struct rfs_rng rng;

		rfs_rng_init(&rng, seed);
		for (size_t i = 0; i < length; i++) {
			events[i] = drops && seed % 2 ? events_drop(&rng, 3) : events_random(&rng, 2 + seed % 4, drops);
			if (events[i].op.object < EVENTS_LOCKS && !drops)
				events[i].op.object += bases[seed % 5];
			/* loops repeat accesses */
			if (i > 3 && seed % 2 && rfs_rng_chance(&rng, 1, 2)) {
				events[i] = events[i - 1 - rfs_rng_below(&rng, 3)];
				events[i].thread = events[i - 1].thread;
			}
		}
		pairs += compare(events, length, true, drops ? "stream with drops" : "stream", seed, &suspects);
	}
	cr_expect_gt(pairs, 3 * rounds());
	cr_expect_gt(suspects, rounds());
	cr_expect_gt(all_dropped[0], rounds() / 10);
}

/* What a first pass could get wrong. suspects: how many granules it suspects. */
Test(passes, which_places_are_suspects)
{
	const struct {
		const char *what;
		size_t suspects;
		struct rfs_event events[12];
	} table[] = {
		{"a race", 1, {ACCESS(0, W, 64, 8, 1), ACCESS(1, R, 64, 8, 2)}},
		{"neighbours in a granule", 0, {ACCESS(0, W, 64, 4, 1), ACCESS(1, W, 68, 4, 2)}},
		{"across granules", 2, {ACCESS(0, W, 68, 8, 1), ACCESS(1, W, 60, 16, 2)}},
		{"a range of many pages", 1024, {ACCESS(0, W | G, 4096, 8192, 1), ACCESS(1, F, 0, 65536, 2)}},
		/* one entry for all threads would begin anew with the access of thread 1 */
		{"a third thread's access is ordered after the first",
		 1,
		 {ACCESS(0, R, 64, 8, 1), SEND(0, 5), RECEIVE(1, 5), ACCESS(1, R, 64, 8, 2), ACCESS(2, W, 64, 8, 3)}},
		{"only the ordered one holds the lock of a third thread",
		 1,
		 {ACCESS(0, W, 64, 8, 1), SEND(0, 5), RECEIVE(1, 5), LOCK(1, 800), ACCESS(1, W, 64, 8, 2),
		  UNLOCK(1, 800), LOCK(2, 800), ACCESS(2, W, 64, 8, 3)}},
		{"two readers of one lock, which both write",
		 1,
		 {RDLOCK(0, 800), ACCESS(0, W, 64, 8, 1), RDLOCK(1, 800), ACCESS(1, W, 64, 8, 2)}},
		{"first without a lock, then with one, but ordered",
		 0,
		 {ACCESS(0, W, 64, 8, 1), THREAD(1, 0), LOCK(0, 800), ACCESS(0, W, 64, 8, 1), UNLOCK(0, 800),
		  LOCK(1, 800), ACCESS(1, W, 64, 8, 2)}},
		{"a suspect stays one in its next life",
		 1,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(1, W, 64, 8, 2), RESET(1, 64, 8), ACCESS(1, W, 64, 8, 2)}},
		{"a race in a second life",
		 1,
		 {ACCESS(0, W, 64, 8, 1), RESET(1, 0, 4096), ACCESS(1, W, 64, 8, 2), ACCESS(0, R, 64, 8, 1)}},
		/* thread 1 knows of thread 0's write only in this block, and thread 2 does not learn it */
		{"an access that only a dropped reference orders",
		 1,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, R | W | A, 96, 4, 3), ACCESS(1, R | W | A, 96, 4, 4),
		  LAST(1, 64, 40, 96), ACCESS(1, W, 64, 8, 5), SEND(1, 5), RECEIVE(2, 5), ACCESS(2, W, 64, 8, 2)}},
		{"the same statement after an access that only a dropped reference orders",
		 1,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, R | W | A, 96, 4, 3), ACCESS(1, R | W | A, 96, 4, 4),
		  LAST(1, 64, 40, 96), ACCESS(1, W, 64, 8, 1), SEND(1, 5), RECEIVE(2, 5), ACCESS(2, W, 64, 8, 2)}},
		{"the same statement before and after a free that only a dropped reference orders",
		 5,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, R | W | A, 104, 4, 3), ACCESS(1, R | W | A, 104, 4, 4),
		  LAST(1, 64, 40, 104), ACCESS(1, R, 64, 8, 5), ACCESS(1, F, 64, 40, 6), ACCESS(1, R, 64, 8, 5),
		  ACCESS(0, R, 64, 40, 7)}},
		/* the second pass does not see the first access */
		{"a large free, and a use beside what was used before",
		 1,
		 {ACCESS(0, W, 1 << 30, 8, 1), ACCESS(0, F, 1 << 30, 65 << 20, 2), ACCESS(1, R, (1 << 30) + 8, 8, 3)}},
		{"both atomic", 0, {ACCESS(0, W | A, 64, 8, 1), ACCESS(1, W | R | A, 64, 8, 2)}},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		size_t suspects = 0;

		(void)compare(table[i].events, sizeof(table[i].events) / sizeof(*table[i].events), true, table[i].what,
			      i, &suspects);
		cr_expect_eq(suspects, table[i].suspects, "%s: %zu suspects", table[i].what, suspects);
	}
}

/* A granule that many threads read is no suspect; with more readers than are remembered, it is. */
Test(passes, a_granule_that_too_many_threads_read_is_a_suspect)
{
	for (int threads = 50; threads <= 64; threads += 14) {
		struct rfs_event events[65];
		size_t suspects = 0;

		for (int t = 0; t < threads; t++)
			events[t] = ACCESS(t, R, 64, 8, 1);
		cr_expect_eq(compare(events, (size_t)threads, false, "readers", (uint64_t)threads, &suspects), 0);
		cr_expect_eq(suspects, threads > 60);
		/* ranges are counted at the first short access to their page */
		for (int t = 0; t < threads; t++)
			events[t] = ACCESS(t, R | G, 0, RFS_PAGE_SIZE, 1);
		events[threads] = ACCESS(0, R, 64, 8, 1);
		suspects = 0;
		cr_expect_eq(compare(events, (size_t)threads + 1, false, "ranges", (uint64_t)threads, &suspects), 0);
		cr_expect_eq(suspects, threads > 60 ? RFS_GRANULES : 0);
	}
}

/* The names of places are addresses, so a second pass with other addresses must not use them. */
Test(passes, the_checksum_shows_what_differs)
{
	const struct rfs_detector_passes *passes = rfs_detector_find("hybrid")->passes;
	const struct rfs_event events[][4] = {
		{RESET(0, 64, 8), ACCESS(0, W, 64, 8, 1), LOCK(1, 800), ACCESS(1, W, 64, 8, 2)},
		{RESET(0, 64, 8), ACCESS(0, W, 64, 8, 1), LOCK(1, 880), ACCESS(1, W, 64, 8, 2)},
		{RESET(0, 72, 8), ACCESS(0, W, 72, 8, 1), LOCK(1, 800), ACCESS(1, W, 72, 8, 2)},
		{RESET(0, 64, 8), ACCESS(0, W, 64, 8, 1), LOCK(1, 800), ACCESS(1, W, 68, 8, 2)},
	};
	/* thread 1 learns something from the message of thread 0, but nothing from an unknown one */
	const struct rfs_event messages[][5] = {
		{ACCESS(0, W, 64, 8, 1), SEND(0, 5), RECEIVE(1, 5), ACCESS(0, W, 64, 8, 1), ACCESS(1, W, 64, 8, 2)},
		{ACCESS(0, W, 64, 8, 1), SEND(0, 5), RECEIVE(1, 6), ACCESS(0, W, 64, 8, 1), ACCESS(1, W, 64, 8, 2)},
		{ACCESS(0, W, 64, 8, 1), SEND(0, 6), RECEIVE(1, 6), ACCESS(0, W, 64, 8, 1), ACCESS(1, W, 64, 8, 2)},
	};
	struct rfs_blob saved[4];
	static struct pairs none;

	for (size_t i = 0; i < 4; i++) {
		detect(passes->first, NULL, events[i], 4, &none, passes->save, &saved[i]);
		cr_assert_geq(saved[i].size, RFS_PASSES_CHECK);
		if (i)
			cr_expect_neq(memcmp(saved[0].data, saved[i].data, RFS_PASSES_CHECK), 0, "%zu", i);
	}
	for (size_t i = 0; i < 4; i++)
		free(saved[i].data);
	for (size_t i = 0; i < 3; i++) {
		detect(passes->first, NULL, messages[i], 5, &none, passes->save, &saved[i]);
		cr_assert_geq(saved[i].size, RFS_PASSES_CHECK);
	}
	cr_expect_neq(memcmp(saved[0].data, saved[1].data, RFS_PASSES_CHECK), 0);
	cr_expect_eq(memcmp(saved[0].data, saved[2].data, RFS_PASSES_CHECK), 0);
	for (size_t i = 0; i < 3; i++)
		free(saved[i].data);
}

Test(passes, a_saved_set_is_the_same_set)
{
	struct rfs_suspects set = {0}, copy = {0};
	struct rfs_blob saved, again;

	for (rfs_addr at = 4000; at < 9000; at += at % 5 ? 8 : 24)
		rfs_suspects_add(&set, at);
	rfs_suspects_add(&set, UINT64_MAX);
	rfs_suspects_add(&set, 0);
	rfs_suspects_save(&set, &saved);
	cr_assert_eq(rfs_suspects_load(&copy, &saved), 0);
	rfs_suspects_save(&copy, &again);
	cr_assert_eq(saved.size, again.size);
	cr_assert_eq(memcmp(saved.data, again.data, saved.size), 0);
	cr_expect(rfs_suspects_any(&copy, 0, 1));
	cr_expect(rfs_suspects_any(&copy, UINT64_MAX, 1));
	cr_expect(rfs_suspects_any(&copy, 8, 4000));
	cr_expect_not(rfs_suspects_any(&copy, 8, 3900));
	cr_expect_not(rfs_suspects_any(&copy, 10000, UINT64_C(1) << 40));
	cr_expect_not(rfs_suspects_any(&copy, 4000, 0));
	saved.size--;
	cr_expect_neq(rfs_suspects_load(&copy, &saved), 0);
	free(saved.data);
	free(again.data);
	rfs_suspects_release(&set);
	rfs_suspects_release(&copy);
}
