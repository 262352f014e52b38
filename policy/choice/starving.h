/*
 * starving.h - finds threads that starve: they could run again and again, and others always ran instead.
 *
 * A thread that waits for a lock can run only while the lock is free. If another thread takes the lock in a loop, and
 * each of its turns ends while it holds the lock, then the waiting thread never runs. Such a run is a false hang: on a
 * real machine the waiting thread would get the lock sooner or later. So schedules must be strongly fair (Lehmann,
 * Pnueli & Stavi, Impartiality, Justice and Fairness, ICALP 1981): whoever can run infinitely often runs infinitely
 * often. To count how long a thread could run without a break is not enough.
 */
#ifndef RFS_STARVING_H
#define RFS_STARVING_H

#include <stddef.h>
#include <stdint.h>

struct rfs_thread_view;
struct rfs_view;

/* A thread starves if it has become able to run this often since it last ran, and `patience` operations have passed. */
#define RFS_STARVING_CHANCES 100

/* Zeroed memory, apart from patience: no thread was seen. rfs_starving_release() frees the memory inside. */
struct rfs_starving {
	struct rfs_chances *threads; /* by thread number */
	size_t capacity;
	uint64_t patience;
	int last; /* the thread picked last, plus 1: it ran until the next pick, a hint included; 0: none */
};

/*
 * Takes note of who can run. Call it once in each pick. Returns the thread with the lowest number that starves and is
 * awake (candidates.h), or NULL.
 */
const struct rfs_thread_view *rfs_starving_first(struct rfs_starving *starving, const struct rfs_view *view);
/* The thread was picked. */
void rfs_starving_picked(struct rfs_starving *starving, int thread);
void rfs_starving_release(struct rfs_starving *starving);

#endif
