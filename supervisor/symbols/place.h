/*
 * place.h - what a run says about its target, as plain data that outlives it: places in the code, objects in memory,
 * and one thread at one statement. symbolize.h gives them names.
 */
#ifndef RFS_PLACE_H
#define RFS_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"

/* A place in the code, or in static memory: module NULL if the address is in none (offset is the address then). */
struct rfs_place {
	char *module;
	uint64_t offset;
};

enum rfs_memory_kind { RFS_MEMORY_OTHER, RFS_MEMORY_STATIC, RFS_MEMORY_HEAP, RFS_MEMORY_STACK };

/* What an address is. */
struct rfs_object {
	enum rfs_memory_kind kind;
	rfs_addr address;
	struct rfs_place place;	 /* STATIC */
	uint64_t offset;	 /* HEAP: from the start of the block; STACK: below the stack's top */
	uint64_t size;		 /* HEAP: of the block */
	int thread;		 /* HEAP: that allocated it; STACK: whose stack; else -1 */
	struct rfs_place *stack; /* HEAP: where it was allocated, innermost first */
	size_t n_stack;
};

/* One thread at one statement. */
struct rfs_evidence {
	struct rfs_place site;
	int thread;
	unsigned access; /* enum rfs_access_flags */
	uint64_t size;
	struct rfs_object object;
	struct rfs_object *locks; /* held */
	size_t n_locks;
	struct rfs_place *stack; /* innermost first; empty if it was not taken (predictions) */
	size_t n_stack;
};

/* The arrays, and what their elements point to. */
void rfs_places_free(struct rfs_place *places, size_t n);
void rfs_objects_free(struct rfs_object *objects, size_t n);
/* What it points to. */
void rfs_object_release(struct rfs_object *object);
/* The same; zeroed. */
void rfs_evidence_release(struct rfs_evidence *evidence);

#endif
