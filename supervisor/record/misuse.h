/* misuse.h - wrong uses of the thread library that a run has seen: plain data. state/findings/misuse.c finds them. */
#ifndef RFS_MISUSE_H
#define RFS_MISUSE_H

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/model/objects.h"
#include "supervisor/symbols/place.h"

enum rfs_misuse_kind {
	RFS_MISUSE_UNLOCK_FREE,	   /* unlocks a lock that no thread holds */
	RFS_MISUSE_UNLOCK_OTHER,   /* unlocks a lock that another thread holds */
	RFS_MISUSE_IGNORES_ERROR,  /* ignores that a call fails */
	RFS_MISUSE_DESTROY_HELD,   /* destroys a lock that is held */
	RFS_MISUSE_DESTROY_WAITED, /* destroys a condition variable or barrier at which a thread waits */
	RFS_MISUSE_INIT_HELD,	   /* initialises a lock that is held */
	RFS_MISUSE_INIT_WAITED,	   /* initialises a condition variable or barrier at which a thread waits */
	RFS_MISUSE_FREE_HELD,	   /* frees memory with a lock that is held */
	RFS_MISUSE_FREE_WAITED,	   /* frees memory with a condition variable or barrier at which a thread waits */
	RFS_MISUSE_USE_DESTROYED,  /* uses an object that was destroyed */
	RFS_MISUSE_WAIT_UNLOCKED,  /* waits at a condition variable with a mutex that it does not hold */
	RFS_MISUSE_WAIT_MUTEXES,   /* waits at a condition variable at which others wait with another mutex */
	RFS_MISUSE_EXIT_HOLDING,   /* a thread ends while it holds a lock */
	RFS_MISUSE_JOIN_AGAIN,	   /* joins a thread that was joined or detached */
	RFS_MISUSE_JOIN_SELF,	   /* joins itself */
	RFS_MISUSE_DETACH_AGAIN,   /* detaches a thread that was joined or detached */
	RFS_MISUSE_INIT_AGAIN,	   /* initialises an object that was initialised or used, and not destroyed since */
	RFS_MISUSE_UNINITIALISED,  /* uses an object that was never initialised, or overwritten */
	RFS_MISUSE_WRONG_TYPE,	   /* uses an object as if it were one of another type */
	RFS_MISUSE_NEVER_JOINED,   /* a thread ended, and no thread joined or detached it */
	RFS_MISUSE_BAD_COUNT,	   /* initialises a barrier for no thread, or for too many */
	RFS_MISUSE_BAD_VALUE,	   /* initialises a semaphore with a value that is too large */
	RFS_MISUSE_BAD_ATTRIBUTE,  /* sets an attribute to a value that is not one of its constants */
	RFS_MISUSE_BAD_ATTRIBUTES, /* initialises an object with attributes that are not initialised */
	RFS_MISUSE_LEAVE_HELD,	   /* a function returns while a lock that is its variable is held */
	RFS_MISUSE_LEAVE_WAITED,   /* a function returns while a thread waits at an object that is its variable */
	RFS_MISUSE_SIGNAL_UNSAFE,  /* a handler calls a function that its signal may interrupt */
	RFS_MISUSE_KINDS
};

/* What a thread did with the object before the mistake. */
enum rfs_misuse_earlier {
	RFS_EARLIER_ACQUIRED, /* it acquired the lock */
	RFS_EARLIER_WAITS,    /* it waits there */
	RFS_EARLIER_INITIALISED,
	RFS_EARLIER_USED,
	RFS_EARLIER_DESTROYED,
	RFS_EARLIER_INTERRUPTED, /* it uses the same data of the C library, and the signal may come then */
	RFS_EARLIER_COUNT
};

struct rfs_misuse {
	enum rfs_misuse_kind kind;
	int thread;
	struct rfs_object object; /* the lock or condition variable; of kind OTHER without one */
	/* WRONG_TYPE: the object's type, and the type that the call is for */
	enum rfs_object_type is, used_as;
	struct rfs_place *stack; /* of the thread, innermost first; empty: not known */
	size_t n_stack;
	int error; /* IGNORES_ERROR: the errno; otherwise 0 */
	int other; /* the other thread that is involved; -1: none */
	/* what this thread or the other one did before, and where, innermost first; empty: not known */
	enum rfs_misuse_earlier earlier_is;
	struct rfs_place *earlier;
	size_t n_earlier;
	/*
	 * The object is on a stack: the code of the frame that contains it, at that time. Whether it is still the same
	 * object is to be decided with debug information. No module: it is certain.
	 */
	struct rfs_place earlier_frame;
};

/* The word for a kind in JSON: "unlock-free". Static. */
const char *rfs_misuse_name(enum rfs_misuse_kind kind);
/* What the thread does, and what the object is: "unlocks", "which no thread holds". Static. */
const char *rfs_misuse_verb(enum rfs_misuse_kind kind);
const char *rfs_misuse_why(enum rfs_misuse_kind kind); /* NULL for WRONG_TYPE, which its types explain */
/* "EBUSY". Static; NULL: none of the errors that a misuse can have. */
const char *rfs_misuse_error_name(int error);
/* For what was done before: the key in JSON, and what a thread did: "acquired it". Static. */
const char *rfs_misuse_earlier_name(enum rfs_misuse_earlier earlier);
const char *rfs_misuse_earlier_verb(enum rfs_misuse_earlier earlier);
/* A deep copy; the caller releases it. */
void rfs_misuse_copy(const struct rfs_misuse *from, struct rfs_misuse *to);
void rfs_misuse_release(struct rfs_misuse *misuse);
/* Frees the array, and what its elements point to. */
void rfs_misuses_free(struct rfs_misuse *list, size_t n);
/* Whether both are the same mistake in the same code. */
bool rfs_misuse_is_same(const struct rfs_misuse *a, const struct rfs_misuse *b);

#endif
