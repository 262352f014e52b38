/*
 * tasks.h - makes sequences at random: instantiates types and calls methods (Pradel and Gross, PLDI 2012, section 3.2).
 * A call that fails without concurrency is dropped at once.
 */
#ifndef RFS_TASKS_H
#define RFS_TASKS_H

#include <stdbool.h>

#include "policy/core/rng.h"
#include "supervisor/generate/tests/sequence.h"

struct rfs_call_orders;
struct rfs_driver;
struct rfs_library;
struct rfs_library_type;
struct rfs_use;

struct rfs_generator {
	const struct rfs_library *library;
	struct rfs_driver *driver; /* it has a record of what was tried */
	struct rfs_rng rng;
	char *const *const *names;	/* of the parameters of each function; NULL: unknown */
	unsigned *ends;			/* for each function, rfs_task_ended(); NULL: not noted */
	struct rfs_call_orders *orders; /* of the type that is tested */
	bool states;			/* tests end with calls that tell the state of the object */
	bool unweighted;		/* all tests of a suite that are ready are equally likely to be next */
	bool broken;			/* the driver does not answer, or the session is over */
	bool (*is_over)(void *arg);	/* whether the session must end; asked before each trial; may be NULL */
	void *arg;
};

/* Adds calls that make an object of the type. Returns its variable, or -1 if no candidate works. */
int rfs_task_instantiate(struct rfs_generator *generator, struct rfs_sequence *sequence, enum rfs_section section,
			 const struct rfs_c_type *object);
/*
 * Adds a call of a random method of the type on the variable. holds: what the method may do, as bits of enum rfs_hold.
 * Returns the use of the method, or NULL if no candidate works. Without RFS_HOLD_OPENS, a hold of the object is open,
 * and a method may wait for it. So one candidate is tried only, and it is noted whether it works.
 */
const struct rfs_use *rfs_task_call(struct rfs_generator *generator, struct rfs_sequence *sequence,
				    enum rfs_section section, const struct rfs_library_type *type, int variable,
				    unsigned holds);
/* Adds a call of this function with the first arguments of the call `before` of the section. False if it fails. */
bool rfs_task_close(struct rfs_generator *generator, struct rfs_sequence *sequence, enum rfs_section section,
		    size_t function, size_t before);
/* Adds a call of this function with the variable as this parameter, and random other arguments. False if it fails. */
bool rfs_task_use(struct rfs_generator *generator, struct rfs_sequence *sequence, enum rfs_section section,
		  size_t function, size_t parameter, int variable);

/*
 * Notes whether any method worked on the object after a call of this function. A function whose calls have ended the
 * life of objects, and after which no method ever worked, is not called as a method any more.
 */
void rfs_task_ended(struct rfs_generator *generator, size_t function, bool ended);

#endif
