/*
 * objects.h - which object of the thread library is at an address, as far as the calls so far tell, and whether the
 * next call suits it.
 *
 * An object is only compared with an earlier one in the same memory if that memory had no other use in between. The
 * caller says which use of the memory this is (struct rfs_object_life). Mutexes, readers-writer locks and condition
 * variables may be initialised by an assignment, without a call. So they can begin again at any time, and little is
 * said about them. Semaphores and barriers are only initialised by a call.
 */
#ifndef RFS_MODEL_OBJECTS_H
#define RFS_MODEL_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#include "policy/operations.h"
#include "supervisor/model/lock.h"

struct rfs_model_memory;

enum rfs_object_type {
	RFS_OBJECT_UNKNOWN, /* not of the thread library */
	RFS_OBJECT_MUTEX,
	RFS_OBJECT_RWLOCK,
	RFS_OBJECT_SPIN,
	RFS_OBJECT_COND,
	RFS_OBJECT_BARRIER,
	RFS_OBJECT_SEMAPHORE,
	RFS_OBJECT_TYPES
};

enum rfs_object_state {
	RFS_OBJECT_USED,
	RFS_OBJECT_INITIALISED,
	RFS_OBJECT_INHERITED, /* from the parent of the process: a process may initialise it again, or use it */
	RFS_OBJECT_DESTROYED
};

/* How many frames of a stack are kept for an object. */
#define RFS_OBJECT_STACK 12

/* One use of memory, such as that as a heap block until it is freed. */
struct rfs_object_life {
	uint64_t number; /* of this use, different from those of other uses; 0: not known */
	bool is_static;	 /* a variable in whose memory nothing else was ever */
	bool complete;	 /* all calls on objects in this memory have been seen */
};

/* What is known of the object at an address. */
struct rfs_known_object {
	rfs_addr address; /* key */
	enum rfs_object_type type;
	enum rfs_object_state state;
	int thread; /* the thread that initialised or destroyed it, or used it first, and where */
	rfs_site site;
	struct rfs_object_life life;
	/* on a stack: the code and the canonical frame address of the frame that contains the object; otherwise 0 */
	rfs_addr frame, cfa;
	rfs_addr stack[RFS_OBJECT_STACK]; /* the stack of the thread, from the function that it called on */
	unsigned n_stack;		  /* 0: not known */
	UT_hash_handle hh;
};

/* What is wrong with a call on an object. */
enum rfs_object_fault {
	RFS_OBJECT_FINE,
	RFS_OBJECT_WRONG_TYPE, /* another type of object is there */
	RFS_OBJECT_IS_DESTROYED,
	RFS_OBJECT_UNINITIALISED,
	RFS_OBJECT_INITIALISED_TWICE,
};

/* The type of object that a lock is; UNKNOWN for a lock that is a plain word. */
enum rfs_object_type rfs_object_of_lock(enum rfs_lock_type type);
/* "a mutex". Static. */
const char *rfs_object_type_name(enum rfs_object_type type);
/* What is known of this address; NULL: nothing. Borrowed until the table changes. */
const struct rfs_known_object *rfs_object_find(const struct rfs_known_object *table, rfs_addr address);
/*
 * A thread uses, initialises or destroys an object: `now` describes the object, the thread and the place. Returns what
 * is wrong. *before is then what was known of the object. Its type is UNKNOWN if nothing was.
 */
enum rfs_object_fault rfs_object_use(struct rfs_known_object **table, const struct rfs_known_object *now,
				     struct rfs_known_object *before);
enum rfs_object_fault rfs_object_init(struct rfs_known_object **table, const struct rfs_known_object *now,
				      struct rfs_known_object *before);
enum rfs_object_fault rfs_object_destroy(struct rfs_known_object **table, const struct rfs_known_object *now,
					 struct rfs_known_object *before);
/* The process of the table has forked, and the table is that of the child now. */
void rfs_objects_forked(struct rfs_known_object *table);
/* Whether an initialised object of this type can look like this memory. True if memory cannot be read. */
bool rfs_object_is_possible(const struct rfs_model_memory *memory, enum rfs_object_type type, rfs_addr address);
/* Copies the table to *to, which is empty. */
void rfs_objects_copy(const struct rfs_known_object *from, struct rfs_known_object **to);
void rfs_objects_release(struct rfs_known_object **table);

#endif
