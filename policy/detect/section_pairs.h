/*
 * section_pairs.h - sections in which a thread accesses data that belongs together, for atomicity violations on two
 * variables (MUVI: Lu et al., SOSP 2007; the patterns of Hammer et al., ICSE 2008, for two variables).
 *
 * A thread accesses x in one section and y in a later one. Another thread accesses both: in one section, or in two that
 * follow each other too. If its accesses come between the two sections, and each variable is written by one of the
 * threads, no order of whole threads has the same result. atomicity_search.c cannot find this, because it looks at each
 * variable alone.
 *
 *  - A section lasts from the acquisition of the first lock until the thread has no lock.
 *  - The thread does not access x in the section of y, nor y in that of x: it would have checked again. A section that
 *    follows a condition wait is no second section.
 *  - Both accesses to x are under one lock, and both accesses to y are; these two locks may differ.
 *  - Messages do not force the other thread's accesses to one side.
 *  - If each of the four sections reads its variable before it writes it (two counters), nothing is passed from one
 *    variable to the other, and there is no violation.
 */
#ifndef RFS_SECTION_PAIRS_H
#define RFS_SECTION_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/operations.h"

struct atom_context;
struct rfs_access;
struct atom_run;

/* The most different variables that count in one section. */
#define RFS_SECTION_ACCESSES 16
/* The number of earlier sections of its thread with which a section is compared. */
#define RFS_SECTION_BEFORE 3

struct atom_variable {
	rfs_addr address;
	uint64_t size;
	rfs_site read, write; /* its first accesses; 0: none. A read of what the section has written does not count */
	struct atom_context *context; /* of the first access */
};

struct atom_section {
	struct atom_variable list[RFS_SECTION_ACCESSES];
	size_t n;
	uint64_t code; /* of its statements, once it has ended */
};

/* The present section of a thread, and those before it, the last one first. They own what they point to. */
struct atom_sections {
	struct atom_section *now, *before[RFS_SECTION_BEFORE]; /* NULL: none */
};

/* Two sections of a thread: first and second. second: NULL if this is one section. */
struct atom_section_pair {
	struct atom_section *first, *second;
	uint64_t code;	 /* of both */
	uint16_t behind; /* the next pair in its bucket, plus 1; 0: none */
};

#define RFS_SECTION_BUCKETS 512 /* a power of two */

/* Zeroed memory: nothing was accessed. */
struct atom_section_pairs {
	struct atom_section_pair *list;
	size_t n, capacity;
	uint16_t buckets[RFS_SECTION_BUCKETS]; /* by code: the last pair, plus 1; 0: none */
	struct atom_sections *threads;	       /* by number */
	size_t n_threads;
	struct atom_section *spare; /* a section that is no longer used, without contexts; NULL: none */
};

/* The thread accesses memory under a lock. */
void rfs_sections_access(struct atom_section_pairs *pairs, struct atom_context *context,
			 const struct rfs_access *access);
/* The thread has released its last lock. */
void rfs_sections_end(struct atom_section_pairs *pairs, int thread);
/* The memory has a new use: what is known of it is searched and forgotten. */
void rfs_sections_reset(struct atom_run *run, struct atom_section_pairs *pairs, rfs_addr address, uint64_t size);
/* Adds all violations. */
void rfs_sections_search(struct atom_run *run, const struct atom_section_pairs *pairs);
void rfs_sections_release(struct atom_section_pairs *pairs);

#endif
