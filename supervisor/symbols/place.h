/*
 * place.h - what a run reports about its target, as plain data that outlives the run.
 *
 * The data are places in the code, objects in memory, and one thread at one statement. symbolize.h gives them names.
 */
#ifndef RFS_PLACE_H
#define RFS_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"

/*
 * A place in the code or in static memory. If the address is in no module, `module` is NULL and `offset` is the
 * address.
 */
struct rfs_place {
	char *module;
	uint64_t offset;
};

enum rfs_memory_kind {
	RFS_MEMORY_OTHER,
	RFS_MEMORY_STATIC,
	RFS_MEMORY_HEAP,
	RFS_MEMORY_STACK,
	/* no memory: the descriptor with the number `offset`; the module of `place` says what it is, if that is known
	 */
	RFS_MEMORY_DESCRIPTOR,
	/* no memory: an object of the kernel; the module of `place` says which one in words, and `offset` is its kind
	 * (enum rfs_kernel_object_kind) */
	RFS_MEMORY_KERNEL,
};

/* What is at an address. */
struct rfs_object {
	enum rfs_memory_kind kind;
	rfs_addr address;
	/* STATIC: the object; STACK: the code of the frame that contains the object; no module: not known */
	struct rfs_place place;
	uint64_t below_cfa; /* STACK: distance below the canonical frame address of that frame */
	uint64_t offset;    /* HEAP: from the start of the block; STACK: distance below the top of the stack */
	uint64_t size;	    /* HEAP: of the block */
	uint64_t heap; /* HEAP, OTHER: from the start of the heap of brk, as in a trace; 0: not known to be there */
	int thread; /* HEAP: the thread that allocated the block; STACK: the thread that owns the stack; otherwise -1 */
	struct rfs_place *stack; /* HEAP: where it was allocated, innermost first */
	size_t n_stack;
	struct rfs_place acquired; /* a word lock: a site that acquires it; otherwise no module */
};

/* One thread at one statement. */
struct rfs_evidence {
	struct rfs_place site;
	int thread;
	unsigned process;		 /* of the thread; 0: the program, otherwise one that the program has forked */
	uint64_t team_number, team_size; /* OpenMP thread team_number of team_size; team_size 0: of no team */
	int handler;			 /* the thread is the handler of this signal; 0: it is none */
	unsigned access;		 /* enum rfs_access_flags */
	uint64_t size;
	struct rfs_object object;
	/*
	 * The memory was freed, and perhaps allocated again, after the thread had computed the address. False if the
	 * run does not track the heap.
	 */
	bool stale;
	struct rfs_object *locks; /* the locks that the thread holds */
	size_t n_locks;
	struct rfs_place *stack; /* innermost first; empty for a predicted access, because its stack is not taken */
	size_t n_stack;
};

/* Whether both are the same place. */
bool rfs_place_is_same(const struct rfs_place *a, const struct rfs_place *b);
/* Gives *place its own copy of the name. */
void rfs_place_own(struct rfs_place *place);
/* A deep copy; the caller frees it with rfs_places_free(). */
struct rfs_place *rfs_places_copy(const struct rfs_place *places, size_t n);
/* Frees the array, and what its elements point to. */
void rfs_places_free(struct rfs_place *places, size_t n);
void rfs_objects_free(struct rfs_object *objects, size_t n);
/* Frees what *object points to. */
void rfs_object_release(struct rfs_object *object);
/* Frees what *evidence points to, and zeroes *evidence. */
void rfs_evidence_release(struct rfs_evidence *evidence);

#endif
