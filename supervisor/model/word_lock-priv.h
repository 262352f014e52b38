/*
 * word_lock-priv.h - what is known of words and of the sites that change them; for word_lock.c and word_lock_all.c.
 */
#ifndef RFS_WORD_LOCK_PRIV_H
#define RFS_WORD_LOCK_PRIV_H

#include <uthash.h>

#include "supervisor/model/word_lock.h"

#define WORD_SITES 8 /* how many sites that acquired a word are remembered */

struct rfs_word_site {
	rfs_site site; /* key */
	enum rfs_word_role given;
	bool released; /* a hold from here ended as a hold of a lock does */
	bool lock;     /* a thread waited for such a hold, or began one after it waited */
	bool shares;   /* holds from here existed at the same time as others */
	bool refuted;
	bool tried;	/* a thread failed to acquire a word during a hold from here */
	bool met;	/* see rfs_word_site_meet() */
	bool constant;	/* a compare-exchange that expects a constant */
	bool loaded;	/* a compare-exchange that may expect any value */
	uint64_t delta; /* what a hold from here adds to a free word; 0: not known */
	unsigned contentions;
	UT_hash_handle hh;
};

struct hold {
	size_t thread;
	struct rfs_word_site *site;
	uint64_t old, new;
	bool active; /* ops->acquired() was called */
};

/* A thread that tried to acquire a word that others held. */
struct waiter {
	size_t thread;
	struct rfs_word_site *blocker; /* the site of the hold that it met */
	unsigned attempts;
	bool waited, released; /* released: that hold has ended */
};

struct word {
	rfs_addr address;
	uint64_t size;
	struct word *next; /* in the same page */
	struct hold *holds;
	struct waiter *waiters;
	size_t n_holds, n_waiters;
	struct rfs_word_site *sites[WORD_SITES];
	size_t n_sites;
	bool lock;	/* acquired by a given site */
	bool from_zero; /* an update changed it from zero */
	bool several;	/* more than one thread has updated it */
	size_t last;	/* the thread that updated it last */
	uint64_t first; /* the value that the first update found */
	/* a site that expects a constant, and the thread whose hold from there has ended; NULL: there was none */
	struct rfs_word_site *alone;
	size_t alone_thread;
	uint64_t alone_free; /* the value that it expected */
	/* all changes, and those that add or subtract; a word is a count only if both are equal */
	uint64_t changes, counted;
	/* a bit for each thread that has added, and that has subtracted; threads may share a bit */
	uint64_t raised_by, lowered_by;
	bool down; /* the last change subtracted, and left zero */
};

/* A reset empties a page but keeps it, because the map cannot remove pages. */
struct page {
	struct word *first;
};

struct rfs_word_thread {
	rfs_addr held[RFS_WORDS_HELD], tried;
	size_t n_held;
};

/* The first and the third make what they do not find. The second returns NULL if there is no such word. */
struct rfs_word_site *rfs_word_site_get(struct rfs_word_locks *locks, rfs_site site);
struct word *rfs_word_find(const struct rfs_word_locks *locks, rfs_addr address);
struct word *rfs_word_get(struct rfs_word_locks *locks, rfs_addr address);
/* Ends the hold, and learns nothing from it. */
void rfs_word_drop_hold(struct rfs_word_locks *locks, struct word *word, struct hold *hold);
enum rfs_word_role rfs_word_role_of(const struct rfs_word_site *site);
/*
 * The site acquires a lock, because another site of the same word does. If it may expect any value, and another one
 * expects a constant, the site may be a reader's: several threads may hold the word, although this run has not seen it.
 */
void rfs_word_join_lock(const struct word *word, struct rfs_word_site *site);

#endif
