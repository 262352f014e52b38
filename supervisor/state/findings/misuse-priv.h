/* misuse-priv.h - how the files of misuse.h add a mistake to the result of a run. */
#ifndef RFS_MISUSE_PRIV_H
#define RFS_MISUSE_PRIV_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"
#include "policy/operations.h"
#include "supervisor/model/objects.h"
#include "supervisor/record/misuse.h"
#include "tracer/unwind.h"

struct rfs_run;
struct rfs_thread;

/* One mistake. */
struct rfs_misuse_note {
	enum rfs_misuse_kind kind;
	rfs_addr object;	      /* 0: none */
	struct rfs_stack_frame frame; /* the frame that contains the object, if it is known; otherwise 0 */
	int error;		      /* IGNORES_ERROR: the errno */
	/* WRONG_TYPE: the object's type, and the type that the call is for */
	enum rfs_object_type is, used_as;
	/* the other thread that is involved; NULL: none */
	const struct rfs_thread *other;
	/* Where the thread made the mistake. 0: unknown; then, if `calls`, the thread is at a function's entry. */
	rfs_site site;
	bool calls;
	const rfs_addr *stack; /* instead of these, a stack as below */
	size_t n_stack;
	/* What `other`, or the thread itself, did before, and where (0: unknown). If it waits, it is still there. */
	enum rfs_misuse_earlier earlier_is;
	rfs_site earlier;
	/* its stack then, with the function that it called; empty: not known */
	const rfs_addr *earlier_stack;
	size_t n_earlier_stack;
	rfs_addr earlier_frame; /* the code of the frame that contains the object, at that time; 0: not on a stack */
};

/* Adds the mistake of the thread, unless the result has the same mistake at the same place. */
void rfs_misuse_add(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_misuse_note *note);
/* Whether memory says that the object was destroyed. False for types that leave no sign of that. */
bool rfs_misuse_is_destroyed(struct rfs_run *run, enum rfs_object_type type, rfs_addr object);
/*
 * misuse_objects.c: the thread initialises or destroys an object. site: where; 0: at thread->next. quiet: only
 * remember that, because another mistake was added.
 */
void rfs_misuse_object_begins(struct rfs_run *run, struct rfs_thread *thread, enum rfs_object_type type,
			      rfs_addr object, rfs_site site, bool quiet);
void rfs_misuse_object_ends(struct rfs_run *run, struct rfs_thread *thread, enum rfs_object_type type, rfs_addr object,
			    bool quiet);

#endif
