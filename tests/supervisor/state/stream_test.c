/*
 * stream_test.c - the queue to the detector. It has a limit, loses nothing and keeps the order, on any number of cores.
 */
#include "supervisor/state/core/stream.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "disasm/addr.h"
#include "policy/core/rng.h"
#include "policy/passes.h"
#include "policy/policy.h"
#include "supervisor/base/address_set.h"
#include "supervisor/state/core/stream_runs.h"

TestSuite(stream, .timeout = 60);

/* A detector that stores the events that it gets. */
struct log {
	struct rfs_event *events;
	size_t n, capacity;
	unsigned naps; /* for so many of the first events it sleeps a little */
};

static void log_event(void *state, const struct rfs_event *event)
{
	struct log *log = state;

	if (log->n == log->capacity) {
		log->capacity = log->capacity ? 2 * log->capacity : 1024;
		log->events = realloc(log->events, log->capacity * sizeof(*log->events));
	}
	log->events[log->n++] = *event;
	if (log->n <= log->naps)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void log_accesses(void *state, int thread, const struct rfs_access *accesses, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct rfs_event event = {.kind = RFS_EVENT_ACCESS, .thread = thread};

		event.op = (struct rfs_op){.kind = RFS_OP_ACCESS,
					   .access = accesses[i].access,
					   .peer = -1,
					   .site = accesses[i].site,
					   .object = accesses[i].address,
					   .size = accesses[i].size};
		log_event(state, &event);
	}
}

static const struct rfs_detector_ops one_by_one = {.event = log_event};
static const struct rfs_detector_ops in_batches = {.event = log_event, .accesses = log_accesses};

static void expect_equal(const struct log *told, const struct log *wanted)
{
	cr_assert_eq(told->n, wanted->n, "%zu events, not %zu", told->n, wanted->n);
	for (size_t i = 0; i < told->n; i++) {
		const struct rfs_event *a = &told->events[i], *b = &wanted->events[i];

		cr_assert(a->kind == b->kind && a->thread == b->thread && a->message == b->message &&
				  a->op.object == b->op.object && a->op.size == b->op.size &&
				  a->op.site == b->op.site && a->op.access == b->op.access,
			  "event %zu differs", i);
	}
}

static uint32_t site(struct rfs_stream *stream, rfs_site number, unsigned access, uint32_t size)
{
	uint32_t index = 0;

	cr_assert_eq(rfs_stream_site(stream, &(struct rfs_stream_site){number, access, size}, &index), 0);
	return index;
}

static void send_block(struct rfs_stream *stream, int thread, const struct rfs_stream_record *records, size_t n)
{
	while (n > 0) {
		size_t part = n;
		struct rfs_stream_record *room = rfs_stream_room(stream, thread, &part);

		cr_assert(part > 0 && part <= n);
		part = part > 100 ? part - 7 : part; /* fill less than the available room */
		memcpy(room, records, part * sizeof(*records));
		rfs_stream_fill(stream, part);
		records += part;
		n -= part;
	}
}

/*
 * Sends random events and blocks of random length, until there are at least n accesses. Stores in *wanted what must
 * arrive.
 */
static void send_at_random(struct rfs_stream *stream, uint64_t seed, size_t n, struct log *wanted)
{
	enum { SITES = 5000, LONGEST = 40000 };
	struct rfs_stream_record *records = calloc(LONGEST, sizeof(*records));
	uint32_t *sites = calloc(SITES, sizeof(*sites));
	struct rfs_rng rng;

	rfs_rng_init(&rng, seed);
	for (size_t i = 0; i < SITES; i++)
		sites[i] = site(stream, 1000 + i, RFS_ACCESS_WRITE, i % 9);
	while (wanted->n < n) {
		struct rfs_event event = {
			.kind = RFS_EVENT_SEND, .thread = (int)rfs_rng_below(&rng, 64), .message = rfs_rng_next(&rng)};
		size_t length = rfs_rng_below(&rng, 10) ? rfs_rng_below(&rng, 20) : rfs_rng_below(&rng, LONGEST);

		rfs_stream_event(stream, &event);
		log_event(wanted, &event);
		for (size_t i = 0; i < length; i++) {
			size_t s = rfs_rng_below(&rng, SITES);
			struct rfs_access access = {1000 + s, rfs_rng_next(&rng), s % 9, RFS_ACCESS_WRITE};

			records[i] = (struct rfs_stream_record){access.address, sites[s], (uint32_t)i};
			if (access.size == 0)
				access.size = i;
			log_accesses(wanted, event.thread, &access, 1);
		}
		send_block(stream, event.thread, records, length);
	}
	free(records);
	free(sites);
}

enum { RUN_SITES = 300 };

/* Expands a record of the sites of send_runs(). */
static void expand(const struct rfs_stream_record *record, const uint32_t *sizes, struct log *out)
{
	const size_t n = (record->extra >> 16) + 1;

	for (size_t i = 0; i < n; i++) {
		const struct rfs_access access = {record->site, record->address + i * (uint64_t)(int16_t)record->extra,
						  sizes[record->site], RFS_ACCESS_READ};

		log_accesses(out, 0, &access, 1);
	}
}

static int by_site(const void *a, const void *b)
{
	const struct rfs_op *x = &((const struct rfs_event *)a)->op, *y = &((const struct rfs_event *)b)->op;

	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return (x->object > y->object) - (x->object < y->object);
}

/* Loops over arrays, with some accesses elsewhere. Returns how many records their runs take. */
static size_t make_runs(uint64_t seed, const uint32_t *sizes, struct rfs_stream_record *out, struct log *wanted)
{
	struct rfs_stream_runs runs = {0};
	struct rfs_rng rng;
	size_t n = 0;

	rfs_rng_init(&rng, seed);
	for (int loop = 0; loop < 200; loop++) {
		const uint32_t first = (uint32_t)rfs_rng_below(&rng, RUN_SITES - 4);
		const uint64_t start = rfs_rng_next(&rng), length = rfs_rng_below(&rng, 40);
		const uint64_t distance = rfs_rng_below(&rng, 5) ? rfs_rng_below(&rng, 64) - 32 : 1ull << 40;

		for (uint64_t i = 0; i < 4 * length; i++) {
			const bool elsewhere = rfs_rng_below(&rng, 10) == 0;
			const struct rfs_access access = {first + i % 4,
							  elsewhere ? rfs_rng_next(&rng) : start + i / 4 * distance,
							  sizes[first + i % 4], RFS_ACCESS_READ};

			n += rfs_stream_runs_add(&runs, access.address, (uint32_t)access.site, &out[n]);
			log_accesses(wanted, 0, &access, 1);
		}
		if (loop % 7 == 0)
			n += rfs_stream_runs_end(&runs, &out[n]);
	}
	return n + rfs_stream_runs_end(&runs, &out[n]);
}

/* No access is lost or changed, whether the detector gets it alone or in a run. */
Test(stream, runs_have_all_accesses)
{
	static struct rfs_stream_record records[200 * 160];

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct log wanted = {0}, told = {0}, expanded = {0};
		struct rfs_stream *stream = rfs_stream_new(&in_batches, &told, NULL);
		uint32_t sizes[RUN_SITES];
		size_t n;

		for (uint32_t i = 0; i < RUN_SITES; i++) {
			sizes[i] = 1 + i % 8;
			cr_assert_eq(site(stream, i, RFS_ACCESS_READ, sizes[i]), i);
		}
		rfs_stream_filtered(stream);
		n = make_runs(seed, sizes, records, &wanted);
		cr_assert_lt(2 * n, wanted.n);
		for (size_t i = 0; i < n; i++)
			expand(&records[i], sizes, &expanded);
		send_block(stream, 0, records, n);
		rfs_stream_drain(stream);
		expect_equal(&told, &expanded);
		cr_expect_eq(rfs_stream_accesses(stream), wanted.n);
		qsort(wanted.events, wanted.n, sizeof(*wanted.events), by_site);
		qsort(told.events, told.n, sizeof(*told.events), by_site);
		expect_equal(&told, &wanted);
		rfs_stream_free(stream);
		free(wanted.events);
		free(told.events);
		free(expanded.events);
	}
}

/*
 * Everything must arrive in order, whatever the speed and the cores of the detector. A large n is more than the queue
 * can hold.
 */
static void expect_order(const struct rfs_detector_ops *ops, size_t n, unsigned naps, const cpu_set_t *cores)
{
	struct log told = {.naps = naps}, wanted = {0};
	struct rfs_stream *stream = rfs_stream_new(ops, &told, cores);
	size_t blocks = 0;

	send_at_random(stream, n + naps, n, &wanted);
	rfs_stream_drain(stream);
	expect_equal(&told, &wanted);
	for (size_t i = 0; i < wanted.n; i++)
		blocks += wanted.events[i].kind == RFS_EVENT_ACCESS;
	cr_expect_eq(rfs_stream_accesses(stream), blocks);
	/* the stream continues after a drain */
	send_at_random(stream, n + 1, wanted.n + 100, &wanted);
	rfs_stream_drain(stream);
	expect_equal(&told, &wanted);
	rfs_stream_free(stream);
	free(told.events);
	free(wanted.events);
}

/* A run as one event: its first access, and the number of accesses. */
static void log_run(void *state, int thread, const struct rfs_access *first, int64_t distance, size_t n)
{
	struct rfs_event event = {.kind = RFS_EVENT_ACCESS, .thread = thread, .message = n};

	(void)distance;
	event.op = (struct rfs_op){.kind = RFS_OP_ACCESS,
				   .access = first->access,
				   .site = first->site,
				   .object = first->address,
				   .size = first->size};
	log_event(state, &event);
}

static const struct rfs_detector_ops first_pass;
static const struct rfs_detector_passes two_passes = {.first = &first_pass, .run = log_run};
static const struct rfs_detector_ops first_pass = {.event = log_event, .accesses = log_accesses, .passes = &two_passes};

/* The order of plain accesses does not matter to a first pass. But an atomic access or a free changes what they mean.
 */
Test(stream, a_run_overtakes_only_plain_accesses)
{
	enum { FREE, ATOMIC, PLAIN, LOOP, KINDS, RUN = 20, DISTANCE = 8 };
	static const unsigned how[KINDS] = {RFS_ACCESS_FREE, RFS_ACCESS_WRITE | RFS_ACCESS_ATOMIC, RFS_ACCESS_WRITE,
					    RFS_ACCESS_READ};

	for (unsigned before = FREE; before <= PLAIN; before++) {
		struct log told = {0};
		struct rfs_stream *stream = rfs_stream_new(&first_pass, &told, NULL);
		uint32_t sites[KINDS];
		struct rfs_stream_record records[2];

		for (unsigned i = 0; i < KINDS; i++)
			sites[i] = site(stream, 1000 + i, how[i], i == FREE ? 0 : 8);
		records[0] = (struct rfs_stream_record){0x5000, sites[before], before == FREE ? 64 : 0};
		records[1] = (struct rfs_stream_record){0x5000, sites[LOOP], rfs_stream_run_extra(RUN, DISTANCE)};
		send_block(stream, 0, records, 2);
		rfs_stream_drain(stream);
		cr_assert_eq(told.n, (size_t)2);
		cr_expect_eq(told.events[before == PLAIN ? 0 : 1].message, (uint64_t)RUN, "behind access %u", before);
		cr_expect_eq(told.events[before == PLAIN ? 1 : 0].op.site, (rfs_site)1000 + before);
		rfs_stream_free(stream);
		free(told.events);
	}
}

/* Whoever drops the last reference of a block knows more of it until it frees the block. */
Test(stream, an_access_after_a_free_is_no_repetition)
{
	struct log told = {0};
	struct rfs_stream *stream = rfs_stream_new(&in_batches, &told, NULL);
	const uint32_t reads = site(stream, 1000, RFS_ACCESS_READ, 8), frees = site(stream, 1001, RFS_ACCESS_FREE, 0);
	const struct rfs_stream_record records[] = {
		{0x5000, reads, 0}, {0x5000, reads, 0}, {0x5000, frees, 64}, {0x5000, reads, 0}, {0x5000, reads, 0}};

	send_block(stream, 0, records, sizeof(records) / sizeof(*records));
	rfs_stream_drain(stream);
	cr_assert_eq(told.n, (size_t)3);
	cr_expect_eq(told.events[1].op.site, (rfs_site)1001);
	cr_expect_eq(told.events[2].op.site, (rfs_site)1000);
	rfs_stream_free(stream);
	free(told.events);
}

Test(stream, keeps_the_order)
{
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	expect_order(&one_by_one, 10, 0, NULL);
	expect_order(&one_by_one, 700000, 0, NULL);
	expect_order(&in_batches, 700000, 0, &first);
}

Test(stream, waits_for_a_slow_detector)
{
	expect_order(&in_batches, 600000, 300, NULL);
}

Test(stream, works_on_one_core)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	cr_assert_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	expect_order(&in_batches, 600000, 10, &one);
}

static size_t threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	size_t n = 0;

	while (readdir(tasks))
		n++;
	closedir(tasks);
	return n;
}

Test(stream, starts_no_thread_for_little)
{
	struct log told = {0}, wanted = {0};
	struct rfs_stream *stream = rfs_stream_new(&one_by_one, &told, NULL);
	size_t before = threads();

	for (int i = 0; i < 100; i++) {
		struct rfs_event event = {.kind = RFS_EVENT_RECEIVE, .thread = i};

		rfs_stream_event(stream, &event);
		log_event(&wanted, &event);
	}
	cr_expect_eq(told.n, (size_t)0);
	rfs_stream_drain(stream);
	cr_expect_eq(threads(), before);
	expect_equal(&told, &wanted);
	send_at_random(stream, 1, 100000, &wanted);
	cr_expect_eq(threads(), before + 1, "much is told by a thread");
	rfs_stream_free(stream);
	cr_expect_eq(threads(), before);
	free(told.events);
	free(wanted.events);
}

Test(stream, a_record_stands_for_what_its_site_says)
{
	enum { R = RFS_ACCESS_READ, W = RFS_ACCESS_WRITE, A = RFS_ACCESS_ATOMIC, M = RFS_ACCESS_ALIGNED_MOVE };
	struct log told = {0}, wanted = {0};
	struct rfs_stream *stream = rfs_stream_new(&one_by_one, &told, NULL);
	const struct rfs_stream_record records[] = {
		{64, site(stream, 1, R | M, 8), 0},
		{66, site(stream, 2, R | M, 8), 0},
		{96, site(stream, 3, R | W | A, 4), 0},
		{128, site(stream, 4, R | W | RFS_ACCESS_RMW, 4), 0},
		{160, site(stream, 5, W | RFS_ACCESS_RANGE, 0), 500},
		{104, site(stream, 6, W | A, 4), 0},
		{96, site(stream, 3, R | W | A, 4), 0},
	};
	const struct rfs_access accesses[] = {
		{1, 64, 8, R | M},
		{2, 66, 8, R}, /* 66 is not a multiple of 8, so the flag M is cleared */
		{3, 96, 4, R | W | A},
		{4, 128, 4, R | RFS_ACCESS_RMW},
		{4, 128, 4, W | RFS_ACCESS_RMW},
		{5, 160, 500, W | RFS_ACCESS_RANGE},
		{6, 104, 4, W | A},
		{3, 96, 4, R | W | A},
	};
	rfs_addr sum = 0;

	send_block(stream, 3, records, sizeof(records) / sizeof(*records));
	rfs_stream_drain(stream);
	log_accesses(&wanted, 3, accesses, sizeof(accesses) / sizeof(*accesses));
	expect_equal(&told, &wanted);
	cr_expect_eq(rfs_stream_accesses(stream), (uint64_t)8);
	for (const struct rfs_address_set *a = rfs_stream_atomics(stream); a; a = a->hh.next)
		sum += a->address;
	cr_expect_eq(sum, (rfs_addr)(96 + 104), "each atomic address once");
	rfs_stream_free(stream);
	free(told.events);
	free(wanted.events);
}

Test(stream, leaves_out_what_was_there_before)
{
	struct log told = {0}, wanted = {0};
	struct rfs_stream *stream = rfs_stream_new(&in_batches, &told, NULL);
	const struct rfs_event event = {.kind = RFS_EVENT_SEND, .thread = 7};
	const uint32_t load = site(stream, 1, RFS_ACCESS_READ, 8), store = site(stream, 2, RFS_ACCESS_WRITE, 8);
	const struct rfs_stream_record records[] = {{64, load, 0}, {64, store, 0}, {64, load, 0}, {72, load, 0}};
	const struct rfs_access accesses[] = {
		{1, 64, 8, RFS_ACCESS_READ}, {2, 64, 8, RFS_ACCESS_WRITE}, {1, 72, 8, RFS_ACCESS_READ}};
	const int threads_of_blocks[] = {3, 3, 4, 3};

	for (int i = 0; i < 4; i++) {
		send_block(stream, threads_of_blocks[i], records, 4);
		if (i != 1) /* block 1 repeats block 0 with no event between them, so the stream leaves it out */
			log_accesses(&wanted, threads_of_blocks[i], accesses, 3);
	}
	rfs_stream_event(stream, &event); /* after any event of any thread, the block is new again */
	log_event(&wanted, &event);
	send_block(stream, 3, records, 4);
	log_accesses(&wanted, 3, accesses, 3);
	rfs_stream_drain(stream);
	expect_equal(&told, &wanted);
	cr_expect_eq(rfs_stream_accesses(stream), (uint64_t)20, "they count all the same");
	rfs_stream_free(stream);
	free(told.events);
	free(wanted.events);
}

/* Records that are repeated or left out count as well; what is hidden from the detector is said. */
Test(stream, knows_which_sites_had_accesses)
{
	struct log told = {0};
	struct rfs_stream *stream = rfs_stream_new(&in_batches, &told, NULL);
	struct rfs_event event = {.kind = RFS_EVENT_ACCESS, .thread = 3, .op = {.kind = RFS_OP_ACCESS}};
	struct rfs_address_set *sites = NULL;
	uint32_t numbers[4];

	rfs_stream_cover(stream);
	for (uint32_t i = 0; i < 4; i++)
		numbers[i] = site(stream, 10 + i, RFS_ACCESS_WRITE, 8);
	for (int i = 0; i < 2; i++)
		send_block(stream, 3, &(struct rfs_stream_record){64, numbers[1], 0}, 1);
	rfs_stream_leave_out(stream, numbers[2], false);
	event.op.site = 20;
	event.op.size = 8;
	rfs_stream_event(stream, &event);
	rfs_stream_drain(stream);
	cr_expect(rfs_stream_covered(stream, &sites));
	for (rfs_site s = 10; s < 25; s++)
		cr_expect_eq(rfs_address_set_has(sites, s), s == 11 || s == 12 || s == 20, "site %d", (int)s);
	rfs_stream_benign(stream, 64, 8, true);
	send_block(stream, 3, &(struct rfs_stream_record){64, numbers[3], 0}, 1);
	rfs_stream_drain(stream);
	cr_expect_not(rfs_stream_covered(stream, &sites));
	cr_expect_not(rfs_address_set_has(sites, 13));
	rfs_stream_benign(stream, 64, 8, false);
	send_block(stream, 3, &(struct rfs_stream_record){64, numbers[3], 0}, 1);
	rfs_stream_drain(stream);
	(void)rfs_stream_covered(stream, &sites);
	cr_expect(rfs_address_set_has(sites, 13));
	rfs_address_set_release(&sites);
	rfs_stream_free(stream);
	free(told.events);
}

Test(stream, can_be_dropped_half_way)
{
	struct log told = {.naps = 20}, wanted = {0};
	struct rfs_stream *stream = rfs_stream_new(&in_batches, &told, NULL);

	send_at_random(stream, 9, 50000, &wanted);
	rfs_stream_free(stream);
	cr_expect_lt(told.n, wanted.n + 1);
	free(told.events);
	free(wanted.events);
}

/* Once the program has marked a region, the detector gets the accesses of threads within one, and atomic accesses. */
Test(stream, only_accesses_in_a_region_are_told)
{
	enum { THREADS = 12, INSIDE = 4 };
	struct log told = {0};
	struct rfs_stream *stream = rfs_stream_new(&in_batches, &told, NULL);
	const uint32_t plain = site(stream, 1, RFS_ACCESS_WRITE, 8),
		       atomic = site(stream, 2, RFS_ACCESS_WRITE | RFS_ACCESS_ATOMIC, 8);
	void *used[8];

	/* memory that was used before must make no difference */
	for (size_t i = 0; i < 8; i++) {
		used[i] = malloc(24);
		memset(used[i], 0xff, 24);
	}
	for (size_t i = 0; i < 8; i++)
		free(used[i]);
	rfs_stream_region(stream, INSIDE, 1);
	for (int t = 0; t < THREADS; t++)
		send_block(stream, t, (const struct rfs_stream_record[]){{64, plain, 0}, {128, atomic, 0}}, 2);
	rfs_stream_region(stream, INSIDE, -1);
	send_block(stream, INSIDE, &(struct rfs_stream_record){64, plain, 0}, 1);
	rfs_stream_drain(stream);
	cr_assert_eq(told.n, (size_t)THREADS + 1);
	for (size_t i = 0, atomics = 0; i < told.n; i++) {
		const bool is_atomic = told.events[i].op.site == 2;

		cr_expect_eq(told.events[i].thread, is_atomic ? (int)atomics : INSIDE);
		atomics += is_atomic;
	}
	rfs_stream_free(stream);
	free(told.events);
}
