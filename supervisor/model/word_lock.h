/*
 * word_lock.h - recognises locks that are no pthread locks, by what threads do to a word.
 *
 * A lock is a word that a thread changes with an atomic instruction, and changes back when it leaves. A thread that
 * finds the word changed waits: it sleeps on a futex, yields, or tries again and again. A *site* is the instruction
 * that acquires. The run learns that a site acquires a lock if it has seen all of this on one word:
 *
 *  - a thread changed the word there, and the same thread changed it back: a hold;
 *  - during the hold another thread tried, failed and waited;
 *  - after the hold that thread acquired the word.
 *
 * A compare-exchange that expects a constant changes the word only if it finds this value. So it shows more: no other
 * thread acquires the word before the holder has changed it back. The run learns that such a site acquires a lock if
 * two threads have acquired one word at such sites from the same value, and have changed it back themselves. Nobody
 * needs to wait.
 *
 * Then all sites that acquire this word acquire a lock. Holds of several threads at once are shared holds (readers).
 * Each of the following shows that a site acquires no lock, whatever else was seen:
 *
 *  - a thread changes the word there twice without changing it back (a counter);
 *  - a thread that is not the holder changes it back (a semaphore, a flag, a stack);
 *  - an exclusive hold begins while another thread holds the word.
 *
 * The module is pure: it knows neither processes nor memory. A run must treat a word in one way. So what it learns is
 * for later runs, which get it through rfs_word_locks_give() at their start.
 */
#ifndef RFS_WORD_LOCK_H
#define RFS_WORD_LOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/core/pagemap.h"
#include "policy/operations.h"

enum rfs_word_role {
	RFS_WORD_UNKNOWN,
	RFS_WORD_LOCK,	 /* acquires an exclusive hold */
	RFS_WORD_SHARED, /* acquires a shared hold */
	RFS_WORD_NONE,	 /* acquires no lock */
};

/* Calls about locks that given sites acquire. */
struct rfs_word_lock_ops {
	void (*acquired)(void *arg, size_t thread, rfs_addr word, rfs_site site, bool shared);
	void (*released)(void *arg, size_t thread, rfs_addr word);
	/* The role of a site differs from the given one, or a site of a known lock was not given. */
	void (*changed)(void *arg, rfs_site site, enum rfs_word_role role);
};

struct rfs_word_site;

/* Zeroed memory and rfs_word_locks_init() make it empty; rfs_word_locks_release() frees what it owns. */
struct rfs_word_locks {
	const struct rfs_word_lock_ops *ops;
	void *arg;
	struct rfs_word_site *sites; /* uthash */
	struct rfs_pagemap pages;    /* of words */
	struct rfs_word_thread *threads;
	size_t n_threads;
};

void rfs_word_locks_init(struct rfs_word_locks *locks, const struct rfs_word_lock_ops *ops, void *arg);
void rfs_word_locks_release(struct rfs_word_locks *locks);

/* What earlier runs learnt of a site. If several roles are given, the last one in the enum counts. */
void rfs_word_locks_give(struct rfs_word_locks *locks, rfs_site site, enum rfs_word_role role);
/* True at the first call for this site. The caller then says what is known of the site. */
bool rfs_word_site_meet(struct rfs_word_locks *locks, rfs_site site);
/* The site is a compare-exchange. `constant`: it expects a constant. */
void rfs_word_site_compares(struct rfs_word_locks *locks, rfs_site site, bool constant);
/* Copies all that is known, without calling an operation. `to` is empty. */
void rfs_word_locks_copy(const struct rfs_word_locks *from, struct rfs_word_locks *to);
/* Calls f for each site whose role was learnt and not given. */
void rfs_word_locks_learnt(struct rfs_word_locks *locks, void (*f)(void *arg, rfs_site site, enum rfs_word_role role),
			   void *arg);

/* Whether the site acquires a lock, as far as the run knew at its start. */
bool rfs_word_site_acquires(const struct rfs_word_locks *locks, rfs_site site);

/* The thread executes an atomic instruction, which finds `old` in the word and leaves `new`. Equal: it failed. */
void rfs_word_update(struct rfs_word_locks *locks, size_t thread, rfs_site site, rfs_addr word, uint64_t size,
		     uint64_t old, uint64_t new);
/* The thread sleeps on this futex (0: it yields, or reads in a loop). It may wait for the word that it tried last. If
 * it has set something in the futex word itself, this says that it waits and is no hold, even if the word was free. */
void rfs_word_waits(struct rfs_word_locks *locks, size_t thread, rfs_addr futex);
/* The word has this value now. If the thread holds the word, it may have released it with a store. */
void rfs_word_value(struct rfs_word_locks *locks, size_t thread, rfs_addr word, uint64_t value);
/* The same, and the caller knows that this thread has stored the value. */
void rfs_word_stored(struct rfs_word_locks *locks, size_t thread, rfs_addr word, uint64_t value);
/* A new use of this memory begins; size > 0. */
void rfs_words_reset(struct rfs_word_locks *locks, rfs_addr address, uint64_t size);

#define RFS_WORDS_HELD 8
/* The words that the thread may hold, oldest first, whether they are known locks or not. Returns how many. */
size_t rfs_words_held(const struct rfs_word_locks *locks, size_t thread, rfs_addr out[RFS_WORDS_HELD]);
/* Whether this word is one of them. */
bool rfs_word_may_hold(const struct rfs_word_locks *locks, size_t thread, rfs_addr word);
/* Whether more than one thread has updated the word. */
bool rfs_word_has_several_threads(const struct rfs_word_locks *locks, rfs_addr word);
/* Whether an update has changed the word from zero. Then it is no reference count. */
bool rfs_word_rose_from_zero(const struct rfs_word_locks *locks, rfs_addr word);
/* The last update of the word, by this thread, has added or subtracted. */
void rfs_word_counted(struct rfs_word_locks *locks, size_t thread, rfs_addr word, uint64_t old, uint64_t new);
/*
 * Whether the word is a count that others have counted down to zero, so that `thread` may know that all of them are
 * done. All changes of the word have added or subtracted. No other thread has done both, because it might begin again.
 */
bool rfs_word_is_down(const struct rfs_word_locks *locks, size_t thread, rfs_addr word);
/* Whether another thread has changed the word from zero to this value. No thread has changed it since, and none has
 * ever changed it back. So it is not a lock, as far as the run knows. */
bool rfs_word_was_set_once(const struct rfs_word_locks *locks, size_t thread, rfs_addr word, uint64_t value);
/* The size in bytes of a word that was updated. */
uint64_t rfs_word_size(const struct rfs_word_locks *locks, rfs_addr word);
/* The word that the thread tried to acquire last, if others still hold it; otherwise 0. *holder is one of them. The
 * word need not be a known lock. */
rfs_addr rfs_word_blocks(const struct rfs_word_locks *locks, size_t thread, size_t *holder);
/* A site that acquires the word: the one of its present hold, if it has one. 0: the word is not held and not known to
 * be a lock. */
rfs_site rfs_word_acquired_at(const struct rfs_word_locks *locks, rfs_addr word);
/* Whether a given site has acquired the word since its present use began. */
bool rfs_word_is_lock(const struct rfs_word_locks *locks, rfs_addr word);
/* The same, or the run itself has learnt that the word is a lock. Call rfs_word_locks_learnt() before. */
bool rfs_word_was_lock(const struct rfs_word_locks *locks, rfs_addr word);
/* The thread has changed a word at this site. Whether it should now let other threads arrive: true a few times for each
 * unknown site; and for a site that acquires an exclusive lock and expects a constant, until a thread has failed. */
bool rfs_word_wants_contention(struct rfs_word_locks *locks, size_t thread, rfs_site site, rfs_addr word);

#endif
