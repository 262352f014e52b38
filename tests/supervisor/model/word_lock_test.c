/* What threads do to a word in each kind of lock, and in what is no lock, event by event. */
#include "supervisor/model/word_lock.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(word_lock, .timeout = 30);

enum { WORD = 0x1000 };
/* Sites: the fast and the slow path that acquire, and the release. */
enum { FAST = 1, SLOW, FREE, OTHER };

enum step_kind { END, UPDATE, WAITS, VALUE, STORED };
struct step {
	enum step_kind kind;
	size_t thread;
	rfs_site site;
	uint64_t old, new;
};
#define RMW(t, s, o, n)                                                                                                \
	{                                                                                                              \
		UPDATE, t, s, o, n                                                                                     \
	}
#define WAIT(t)                                                                                                        \
	{                                                                                                              \
		WAITS, t, 0, 0, 0                                                                                      \
	}
/* the thread sleeps on the word itself */
#define SLEEP(t)                                                                                                       \
	{                                                                                                              \
		WAITS, t, 0, WORD, 0                                                                                   \
	}
/* the word was found to have this value; with OWN, it is known that the thread has stored it */
#define STORE(t, v)                                                                                                    \
	{                                                                                                              \
		VALUE, t, 0, 0, v                                                                                      \
	}

#define OWN(t, v)                                                                                                      \
	{                                                                                                              \
		STORED, t, 0, 0, v                                                                                     \
	}

/* What was reported: roles by site, and how many calls. */
struct told {
	enum rfs_word_role learnt[OTHER + 1], changed[OTHER + 1];
	char events[64]; /* a, r: acquired, released; s: acquired for sharing; each followed by the thread */
	size_t n;
};

static void acquired(void *arg, size_t thread, rfs_addr word, rfs_site site, bool shared)
{
	struct told *told = arg;

	cr_expect(word == WORD && site <= OTHER);
	told->events[told->n++] = shared ? 's' : 'a';
	told->events[told->n++] = (char)('0' + thread);
}

static void released(void *arg, size_t thread, rfs_addr word)
{
	struct told *told = arg;

	cr_expect_eq(word, WORD);
	told->events[told->n++] = 'r';
	told->events[told->n++] = (char)('0' + thread);
}

static void changed(void *arg, rfs_site site, enum rfs_word_role role)
{
	((struct told *)arg)->changed[site] = role;
}

static void learnt(void *arg, rfs_site site, enum rfs_word_role role)
{
	((struct told *)arg)->learnt[site] = role;
}

static const struct rfs_word_lock_ops ops = {acquired, released, changed};

/* What kind of instruction a site is. */
enum compares { NOT, CONSTANT, LOADED };

static void play_compares(const struct step *steps, const enum rfs_word_role *given, const enum compares *compares,
			  struct told *told)
{
	struct rfs_word_locks locks;

	memset(told, 0, sizeof(*told));
	rfs_word_locks_init(&locks, &ops, told);
	for (rfs_site site = FAST; given && site <= OTHER; site++)
		rfs_word_locks_give(&locks, site, given[site]);
	for (rfs_site site = FAST; compares && site <= OTHER; site++)
		if (compares[site])
			rfs_word_site_compares(&locks, site, compares[site] == CONSTANT);
	for (; steps->kind != END; steps++) {
		if (steps->kind == UPDATE)
			rfs_word_update(&locks, steps->thread, steps->site, WORD, 4, steps->old, steps->new);
		else if (steps->kind == WAITS)
			rfs_word_waits(&locks, steps->thread, steps->old);
		else if (steps->kind == STORED)
			rfs_word_stored(&locks, steps->thread, WORD, steps->new);
		else
			rfs_word_value(&locks, steps->thread, WORD, steps->new);
	}
	rfs_word_locks_learnt(&locks, learnt, told);
	rfs_word_locks_release(&locks);
}

static void play(const struct step *steps, const enum rfs_word_role *given, struct told *told)
{
	play_compares(steps, given, NULL, told);
}

Test(word_lock, locks_are_learnt)
{
	const enum rfs_word_role L = RFS_WORD_LOCK, S = RFS_WORD_SHARED;
	const struct {
		const char *what;
		enum rfs_word_role fast, slow;
		struct step steps[24];
	} table[] = {
		{"futex mutex with 0, 1, 2 (glib, Rust, folly): the waiter exchanges 2",
		 L,
		 L,
		 {RMW(0, FAST, 0, 1), RMW(1, FAST, 1, 1), RMW(1, SLOW, 1, 2), WAIT(1), RMW(0, FREE, 2, 0),
		  RMW(1, SLOW, 0, 2), RMW(1, FREE, 2, 0)}},
		{"the waiter is in time and does not sleep",
		 L,
		 L,
		 {RMW(0, FAST, 0, 1), RMW(1, FAST, 1, 1), RMW(1, SLOW, 1, 2), RMW(1, SLOW, 2, 2), RMW(0, FREE, 2, 0),
		  RMW(1, SLOW, 0, 2), RMW(1, FREE, 2, 0)}},
		{"test and set, released by a plain store (TBB's spin_mutex, std::atomic_flag)",
		 L,
		 RFS_WORD_UNKNOWN,
		 {RMW(0, FAST, 0, 1), RMW(1, FAST, 1, 1), WAIT(1), STORE(0, 1), STORE(0, 0), RMW(1, FAST, 0, 1),
		  STORE(1, 0)}},
		{"test and set that tries again and again",
		 L,
		 RFS_WORD_UNKNOWN,
		 {RMW(0, FAST, 0, 1), RMW(1, FAST, 1, 1), RMW(1, FAST, 1, 1), RMW(1, FAST, 1, 1), STORE(0, 0),
		  RMW(1, FAST, 0, 1), STORE(1, 0)}},
		{"a bit of a word whose other bits change (g_bit_lock, parking_lot)",
		 L,
		 L,
		 {RMW(0, FAST, 0, 1), RMW(1, FAST, 1, 1), RMW(1, OTHER, 1, 3), WAIT(1), RMW(0, FREE, 3, 2),
		  RMW(1, SLOW, 2, 3), RMW(1, FREE, 3, 2)}},
		{"Go's and other locks that wait with yields",
		 L,
		 RFS_WORD_UNKNOWN,
		 {RMW(0, FAST, 0, 1), RMW(1, FAST, 1, 1), WAIT(1), RMW(0, FREE, 1, 0), RMW(1, FAST, 0, 1),
		  RMW(1, FREE, 1, 0)}},
		{"readers share, a writer waits (Rust's RwLock, spin_rw_mutex)",
		 S,
		 L,
		 {RMW(0, FAST, 0, 1), RMW(1, FAST, 1, 2), RMW(2, SLOW, 2, 2), WAIT(2), RMW(0, FREE, 2, 1),
		  RMW(1, FREE, 1, 0), RMW(2, SLOW, 0, 1000), RMW(0, FAST, 1000, 1000), WAIT(0), RMW(2, FREE, 1000, 0),
		  RMW(0, FAST, 0, 1), RMW(0, FREE, 1, 0)}},
		{"the last holder takes back what waiting threads have set (Rust's RwLock)",
		 L,
		 L,
		 {RMW(0, FAST, 0, 7), RMW(1, FAST, 7, 7), RMW(1, OTHER, 7, 15), WAIT(1), RMW(0, FREE, 15, 8),
		  RMW(0, FREE, 8, 0), RMW(1, SLOW, 0, 7), RMW(1, FREE, 7, 0)}},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct told told;

		play(table[i].steps, NULL, &told);
		cr_expect_eq(told.learnt[FAST], table[i].fast, "%s: fast path: %d", table[i].what, told.learnt[FAST]);
		cr_expect_eq(told.learnt[SLOW], table[i].slow, "%s: slow path: %d", table[i].what, told.learnt[SLOW]);
		cr_expect_eq(told.learnt[FREE], 0, "%s", table[i].what);
		cr_expect_eq(told.learnt[OTHER], 0, "%s", table[i].what);
		cr_expect_eq(told.n, 0, "%s: a run treats a word in one way", table[i].what);
	}
}

Test(word_lock, what_is_no_lock_is_not_learnt)
{
	const struct {
		const char *what;
		struct step steps[24];
	} table[] = {
		{"a lock that nobody ever waited for",
		 {RMW(0, FAST, 0, 1), RMW(0, FREE, 1, 0), RMW(1, FAST, 0, 1), RMW(1, FREE, 1, 0)}},
		{"a reference count",
		 {RMW(0, FAST, 1, 2), RMW(1, FAST, 2, 3), RMW(1, FREE, 3, 2), RMW(0, FREE, 2, 1), RMW(2, FREE, 1, 0)}},
		{"a counter with a compare-and-swap loop",
		 {RMW(0, FAST, 0, 1), RMW(1, FAST, 1, 1), RMW(1, FAST, 1, 2), RMW(0, FAST, 2, 2), RMW(0, FAST, 2, 3)}},
		{"one-shot flag, others wait until it is done",
		 {RMW(0, FAST, 0, 1), RMW(1, FAST, 1, 1), WAIT(1), RMW(0, FREE, 1, 2), RMW(1, FAST, 2, 2)}},
		{"event count: a waiter sleeps on the number",
		 {RMW(0, FAST, 0, 1), WAIT(1), RMW(0, FAST, 1, 2), RMW(2, FAST, 2, 3), WAIT(1), RMW(0, FAST, 3, 4)}},
		{"semaphore: another thread gives what was taken",
		 {RMW(0, FAST, 1, 0), RMW(1, FAST, 0, 0), WAIT(1), RMW(2, FREE, 0, 1), RMW(1, FAST, 1, 0),
		  RMW(0, FREE, 0, 1), RMW(0, FAST, 1, 0)}},
		{"pushing to and popping from a lock-free stack",
		 {RMW(0, FAST, 0, 10), RMW(1, FAST, 10, 10), RMW(1, FAST, 10, 20), RMW(0, FREE, 20, 10),
		  RMW(0, FREE, 10, 0), RMW(1, FAST, 0, 20)}},
		{"parker: the other thread resets the token",
		 {RMW(0, FAST, 0, 1), RMW(1, FREE, 1, 0), RMW(1, FREE, 0, 9), WAIT(1), RMW(0, FAST, 9, 1),
		  RMW(1, OTHER, 1, 0)}},
		{"a failed attempt without a wait says nothing",
		 {RMW(0, FAST, 0, 1), RMW(1, FAST, 1, 1), RMW(0, FREE, 1, 0), RMW(1, FAST, 0, 1), RMW(1, FREE, 1, 0)}},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct told told;

		play(table[i].steps, NULL, &told);
		for (rfs_site site = FAST; site <= OTHER; site++)
			cr_expect(told.learnt[site] == RFS_WORD_UNKNOWN || told.learnt[site] == RFS_WORD_NONE,
				  "%s: site %lu", table[i].what, site);
	}
}

/* FAST expects a constant. SLOW may expect any value. */
Test(word_lock, sites_that_expect_a_constant)
{
	const enum rfs_word_role L = RFS_WORD_LOCK, S = RFS_WORD_SHARED;
	const enum compares compares[OTHER + 1] = {[FAST] = CONSTANT, [SLOW] = LOADED, [OTHER] = CONSTANT};
	const struct {
		const char *what;
		enum rfs_word_role fast, slow;
		struct step steps[16];
	} table[] = {
		{"two threads, one after the other",
		 L,
		 0,
		 {RMW(0, FAST, 0, 1), RMW(0, FREE, 1, 0), RMW(1, FAST, 0, 1), RMW(1, FREE, 1, 0)}},
		{"released by a plain store", L, 0, {RMW(0, FAST, 0, 1), OWN(0, 0), RMW(1, FAST, 0, 1), OWN(1, 0)}},
		{"released with a bit that another thread has set",
		 L,
		 0,
		 {RMW(0, FAST, 0, 1), RMW(1, SLOW, 1, 2), RMW(0, FREE, 2, 0), RMW(1, FAST, 0, 1), RMW(1, FREE, 1, 0)}},
		{"one thread twice",
		 0,
		 0,
		 {RMW(0, FAST, 0, 1), RMW(0, FREE, 1, 0), RMW(0, FAST, 0, 1), RMW(0, FREE, 1, 0)}},
		{"nobody knows who has stored", 0, 0, {RMW(0, FAST, 0, 1), STORE(0, 0), RMW(1, FAST, 0, 1), OWN(1, 0)}},
		{"any value is expected",
		 0,
		 0,
		 {RMW(0, SLOW, 0, 1), RMW(0, FREE, 1, 0), RMW(1, SLOW, 0, 1), RMW(1, FREE, 1, 0)}},
		{"not free at the same value",
		 0,
		 0,
		 {RMW(0, FAST, 0, 1), RMW(0, FREE, 1, 0), RMW(1, OTHER, 5, 6), RMW(1, FREE, 6, 5)}},
		{"a slot that one thread fills and another one empties",
		 RFS_WORD_NONE,
		 0,
		 {RMW(0, FAST, 0, 1), RMW(0, FREE, 1, 0), RMW(1, FAST, 0, 1), RMW(1, FREE, 1, 0), RMW(0, FAST, 0, 1),
		  RMW(1, FREE, 1, 0)}},
		{"a site that may expect any value may be a reader's",
		 L,
		 S,
		 {RMW(0, FAST, 0, 9), RMW(0, FREE, 9, 0), RMW(1, FAST, 0, 9), RMW(1, FREE, 9, 0), RMW(0, SLOW, 0, 1),
		  RMW(0, FREE, 1, 0)}},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct told told;

		play_compares(table[i].steps, NULL, compares, &told);
		cr_expect_eq(told.learnt[FAST], table[i].fast, "%s: %d", table[i].what, told.learnt[FAST]);
		cr_expect_eq(told.learnt[SLOW], table[i].slow, "%s: slow path: %d", table[i].what, told.learnt[SLOW]);
	}
}

/* A count that others bring to zero. */
Test(word_lock, a_word_that_was_counted_down)
{
	struct told told = {0};
	struct rfs_word_locks locks;
	const struct {
		const char *what;
		struct step steps[6]; /* of site FAST: they count; of OTHER: they do not */
		bool down;
	} table[] = {
		{"two threads, from two", {RMW(1, FAST, 2, 1), RMW(2, FAST, 1, 0)}, true},
		{"the reader has counted up", {RMW(0, FAST, 0, 1), RMW(1, FAST, 1, 0)}, true},
		{"not yet zero", {RMW(1, FAST, 2, 1)}, false},
		{"counted up again", {RMW(1, FAST, 1, 0), RMW(0, FAST, 0, 1)}, false},
		{"another thread has counted up and down", {RMW(1, FAST, 0, 1), RMW(1, FAST, 1, 0)}, false},
		{"it was exchanged, too", {RMW(0, OTHER, 0, 1), RMW(1, FAST, 1, 0)}, false},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		rfs_word_locks_init(&locks, &ops, &told);
		for (const struct step *step = table[i].steps; step->kind == UPDATE && step->site; step++) {
			rfs_word_update(&locks, step->thread, step->site, WORD, 4, step->old, step->new);
			if (step->site == FAST)
				rfs_word_counted(&locks, step->thread, WORD, step->old, step->new);
		}
		cr_expect_eq(rfs_word_is_down(&locks, 0, WORD), table[i].down, "%s", table[i].what);
		rfs_word_locks_release(&locks);
	}
}

/* Two threads set a flag, and the second one finds it set. A word that was changed back before may be a lock. */
Test(word_lock, a_word_that_was_set_once)
{
	struct told told = {0};
	struct rfs_word_locks locks;

	rfs_word_locks_init(&locks, &ops, &told);
	cr_expect_not(rfs_word_was_set_once(&locks, 1, WORD, 1));
	rfs_word_update(&locks, 0, FAST, WORD, 1, 0, 1);
	cr_expect_not(rfs_word_was_set_once(&locks, 0, WORD, 1), "by itself");
	rfs_word_update(&locks, 1, FAST, WORD, 1, 1, 1);
	cr_expect(rfs_word_was_set_once(&locks, 1, WORD, 1));
	cr_expect_not(rfs_word_was_set_once(&locks, 1, WORD, 2), "another value");
	rfs_word_update(&locks, 0, FREE, WORD, 1, 1, 0);
	rfs_word_update(&locks, 0, FAST, WORD, 1, 0, 1);
	rfs_word_update(&locks, 1, FAST, WORD, 1, 1, 1);
	cr_expect_not(rfs_word_was_set_once(&locks, 1, WORD, 1), "it was changed back");
	rfs_word_locks_release(&locks);
}

Test(word_lock, given_sites_acquire_and_release)
{
	const enum rfs_word_role mutex[OTHER + 1] = {[FAST] = RFS_WORD_LOCK, [SLOW] = RFS_WORD_LOCK};
	const enum rfs_word_role rwlock[OTHER + 1] = {[FAST] = RFS_WORD_SHARED, [SLOW] = RFS_WORD_LOCK};
	const struct step contended[] = {RMW(0, FAST, 0, 1), RMW(1, FAST, 1, 1), RMW(1, SLOW, 1, 2), WAIT(1),
					 RMW(0, FREE, 2, 0), RMW(1, SLOW, 0, 2), RMW(1, FREE, 2, 0), {END}};
	const struct step stored[] = {RMW(0, FAST, 0, 1), STORE(0, 1), STORE(0, 0), RMW(1, FAST, 0, 1), {END}};
	const struct step readers[] = {RMW(0, FAST, 0, 1),
				       RMW(1, FAST, 1, 2),
				       RMW(0, FREE, 2, 1),
				       RMW(1, FREE, 1, 0),
				       RMW(2, SLOW, 0, 9),
				       RMW(2, FREE, 9, 0),
				       {END}};
	struct told told;

	play(contended, mutex, &told);
	cr_expect_str_eq(told.events, "a0r0a1r1");
	play(stored, mutex, &told);
	cr_expect_str_eq(told.events, "a0r0a1");
	play(readers, rwlock, &told);
	cr_expect_str_eq(told.events, "s0s1r0r1a2r2");
	cr_expect_eq(told.changed[FAST], RFS_WORD_UNKNOWN);
}

/* A request of a lock is known by its site. What the run learns after its start does not count. */
Test(word_lock, which_sites_acquire_a_lock)
{
	const enum rfs_word_role mutex[OTHER + 1] = {
		[FAST] = RFS_WORD_LOCK, [SLOW] = RFS_WORD_SHARED, [OTHER] = RFS_WORD_NONE};
	const struct rfs_word_lock_ops none = {0};
	struct rfs_word_locks locks;

	rfs_word_locks_init(&locks, &none, NULL);
	for (rfs_site site = FAST; site <= OTHER; site++)
		if (mutex[site])
			rfs_word_locks_give(&locks, site, mutex[site]);
	cr_expect(rfs_word_site_acquires(&locks, FAST));
	cr_expect(rfs_word_site_acquires(&locks, SLOW));
	cr_expect_not(rfs_word_site_acquires(&locks, FREE));
	cr_expect_not(rfs_word_site_acquires(&locks, OTHER));
	rfs_word_locks_release(&locks);
}

/* A run learns that a given lock is none. */
Test(word_lock, a_lock_that_two_threads_hold_is_none)
{
	const enum rfs_word_role given[OTHER + 1] = {[FAST] = RFS_WORD_LOCK, [SLOW] = RFS_WORD_LOCK};
	const struct step twice[] = {RMW(0, FAST, 0, 1), RMW(0, FAST, 1, 2), {END}};
	const struct step other_frees[] = {RMW(0, FAST, 0, 1), RMW(1, FREE, 1, 0), {END}};
	const struct step both[] = {RMW(0, FAST, 0, 1), RMW(1, FAST, 0, 1), {END}};
	const struct step overlap[] = {RMW(0, FAST, 0, 1), RMW(1, FAST, 1, 2), {END}};
	const struct step *wrong[] = {twice, other_frees, both};
	struct told told;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		play(wrong[i], given, &told);
		cr_expect_eq(told.changed[FAST], RFS_WORD_NONE, "%zu", i);
	}
	/* shared holds do not protect threads from each other */
	play(overlap, given, &told);
	cr_expect_eq(told.changed[FAST], RFS_WORD_SHARED);
}

/* A site that was not seen before acquires a word that is known to be a lock. */
Test(word_lock, a_new_site_of_a_known_lock_is_told)
{
	const enum rfs_word_role given[OTHER + 1] = {[FAST] = RFS_WORD_LOCK};
	const struct step after[] = {RMW(0, FAST, 0, 1), STORE(0, 0), RMW(1, OTHER, 0, 1), STORE(1, 0), {END}};
	const struct step before[] = {RMW(1, OTHER, 0, 1), STORE(1, 0), RMW(0, FAST, 0, 1), STORE(0, 0), {END}};
	struct told told;

	play(after, given, &told);
	cr_expect_eq(told.changed[OTHER], RFS_WORD_LOCK);
	play(before, given, &told);
	cr_expect_eq(told.changed[OTHER], RFS_WORD_LOCK);
}

/* A reader finds a free lock that a writer waits for. It says in the word that it waits, too (Rust's RwLock). */
Test(word_lock, what_a_waiting_thread_sets_in_a_free_lock_is_no_hold)
{
	const enum rfs_word_role given[OTHER + 1] = {[FAST] = RFS_WORD_LOCK};
	const struct step steps[] = {RMW(0, FAST, 0, 1),
				     RMW(1, OTHER, 1, 9),
				     SLEEP(1),
				     RMW(0, FREE, 9, 8),
				     RMW(2, SLOW, 8, 24),
				     SLEEP(2),
				     RMW(1, FAST, 24, 25),
				     RMW(2, SLOW, 25, 25),
				     RMW(1, FREE, 25, 24),
				     {END}};
	struct told told;

	play(steps, given, &told);
	cr_expect_eq(told.changed[SLOW], RFS_WORD_UNKNOWN);
	cr_expect_eq(told.changed[FAST], RFS_WORD_UNKNOWN);
	cr_expect_eq(told.learnt[SLOW], RFS_WORD_UNKNOWN);
}

Test(word_lock, a_reset_forgets_the_word)
{
	struct rfs_word_locks locks;
	struct told told = {0};
	rfs_addr held[RFS_WORDS_HELD];

	rfs_word_locks_init(&locks, &ops, &told);
	rfs_word_locks_give(&locks, FAST, RFS_WORD_LOCK);
	rfs_word_update(&locks, 0, FAST, WORD, 4, 0, 1);
	cr_expect(rfs_word_is_lock(&locks, WORD));
	cr_expect_eq(rfs_words_held(&locks, 0, held), 1);
	rfs_words_reset(&locks, WORD - 16, 64);
	cr_expect_not(rfs_word_is_lock(&locks, WORD));
	cr_expect_eq(rfs_words_held(&locks, 0, held), 0);
	cr_expect_str_eq(told.events, "a0r0");
	rfs_word_locks_release(&locks);
}

Test(word_lock, contention_is_wanted_a_few_times)
{
	struct rfs_word_locks locks;
	struct told told = {0};
	unsigned wanted = 0;

	rfs_word_locks_init(&locks, &ops, &told);
	for (unsigned i = 0; i < 20; i++) {
		rfs_word_update(&locks, 0, FAST, WORD, 4, 0, 1);
		wanted += rfs_word_wants_contention(&locks, 0, FAST, WORD);
		rfs_word_update(&locks, 0, FREE, WORD, 4, 1, 0);
		cr_expect_not(rfs_word_wants_contention(&locks, 0, FREE, WORD));
	}
	cr_expect(wanted > 0 && wanted < 10);
	rfs_word_locks_release(&locks);
}

/* Learnt without contention, so nobody knows what a thread does that fails. */
Test(word_lock, a_known_lock_is_contended_until_a_thread_has_failed_to_acquire_it)
{
	struct rfs_word_locks locks;
	struct told told = {0};

	rfs_word_locks_init(&locks, &ops, &told);
	rfs_word_locks_give(&locks, FAST, RFS_WORD_LOCK);
	rfs_word_site_compares(&locks, FAST, true);
	rfs_word_update(&locks, 0, FAST, WORD, 4, 0, 1);
	cr_expect(rfs_word_wants_contention(&locks, 0, FAST, WORD));
	rfs_word_stored(&locks, 0, WORD, 0);
	rfs_word_update(&locks, 0, FAST, WORD, 4, 0, 1);
	cr_expect(rfs_word_wants_contention(&locks, 0, FAST, WORD), "nobody came");
	rfs_word_update(&locks, 1, FAST, WORD, 4, 1, 1);
	rfs_word_stored(&locks, 0, WORD, 0);
	rfs_word_update(&locks, 1, FAST, WORD, 4, 0, 1);
	cr_expect_not(rfs_word_wants_contention(&locks, 1, FAST, WORD), "thread 1 has failed before");
	rfs_word_locks_release(&locks);
}

/* No compare-exchange acquires it, so runs have learnt it from threads that waited. */
Test(word_lock, a_known_lock_that_threads_waited_for_is_not_contended)
{
	struct rfs_word_locks locks;
	struct told told = {0};

	rfs_word_locks_init(&locks, &ops, &told);
	rfs_word_locks_give(&locks, FAST, RFS_WORD_LOCK);
	rfs_word_update(&locks, 0, FAST, WORD, 4, 0, 1);
	cr_expect_not(rfs_word_wants_contention(&locks, 0, FAST, WORD));
	rfs_word_locks_release(&locks);
}

Test(word_lock, a_word_that_rises_from_zero_is_no_reference_count)
{
	struct told told = {0};
	struct rfs_word_locks locks;

	rfs_word_locks_init(&locks, &ops, &told);
	rfs_word_update(&locks, 0, FAST, WORD, 4, 1, 2);
	rfs_word_update(&locks, 0, FREE, WORD, 4, 2, 1);
	rfs_word_update(&locks, 1, FREE, WORD, 4, 1, 0);
	cr_expect_not(rfs_word_rose_from_zero(&locks, WORD));
	rfs_word_update(&locks, 1, FAST, WORD, 4, 0, 1);
	cr_expect(rfs_word_rose_from_zero(&locks, WORD));
	rfs_words_reset(&locks, WORD, 4);
	cr_expect_not(rfs_word_rose_from_zero(&locks, WORD), "a new life of the memory");
	rfs_word_locks_release(&locks);
}

Test(word_lock, a_copy_goes_on_where_the_original_was)
{
	struct told told = {0}, other = {0};
	struct rfs_word_locks locks, copy;

	rfs_word_locks_init(&locks, &ops, &told);
	rfs_word_locks_init(&copy, &ops, &other);
	rfs_word_locks_give(&locks, FAST, RFS_WORD_LOCK);
	rfs_word_update(&locks, 0, FAST, WORD, 4, 0, 1);
	rfs_word_locks_copy(&locks, &copy);
	rfs_word_locks_release(&locks);
	cr_expect(rfs_word_is_lock(&copy, WORD) && rfs_word_rose_from_zero(&copy, WORD));
	cr_expect_eq(other.n, 0);
	rfs_word_update(&copy, 0, FREE, WORD, 4, 1, 0);
	cr_expect_str_eq(other.events, "r0");
	rfs_word_update(&copy, 1, FAST, WORD, 4, 0, 1);
	cr_expect_str_eq(other.events, "r0a1");
	cr_expect(rfs_word_has_several_threads(&copy, WORD));
	rfs_word_locks_release(&copy);
	cr_expect_str_eq(told.events, "a0");
}
