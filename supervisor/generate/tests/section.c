/* section.c - single calls, calls between lock and unlock, and waits with a lock. */
#include "supervisor/generate/tests/section.h"

#include <stddef.h>

#include "policy/core/rng.h"
#include "supervisor/generate/library/library.h"
#include "supervisor/generate/tests/tasks.h"

/* In how many of four cases a call comes between one that opens a hold and the one that closes it, if there may be one.
 */
#define INSIDE 3

/* Where calls are added. */
struct place {
	struct rfs_generator *generator;
	struct rfs_sequence *sequence;
	enum rfs_section section;
	const struct rfs_library_type *type;
	int object;
};

/* ---- waits with a lock ---- */

static bool can_be_called(const struct rfs_generator *generator, size_t function)
{
	return !generator->library->functions[function].left_out;
}

/* Whether the method waits with a lock that is another argument: cond_wait(cond, mutex). */
static bool waits_with_other(const struct rfs_use *use)
{
	return use->role == RFS_ROLE_METHOD && use->hold == RFS_HOLD_NEEDS && use->lock != use->parameter;
}

static const struct rfs_library_type *type_of_lock(const struct rfs_generator *generator, const struct rfs_use *wait)
{
	const struct rfs_c_type *function = generator->library->functions[wait->function].type;

	return rfs_library_type_of(generator->library, rfs_library_object(function->parameters[wait->lock]));
}

/* A lock of the prefix, which both threads know; -1: there is none. */
static int lock_of(const struct rfs_sequence *sequence, const struct rfs_library_type *type)
{
	for (size_t i = 0; i < sequence->n_variables; i++)
		if (sequence->variables[i].type == type->type && sequence->variables[i].section == RFS_PREFIX)
			return (int)i;
	return -1;
}

void rfs_section_add_locks(struct rfs_generator *generator, struct rfs_sequence *sequence,
			   const struct rfs_library_type *type)
{
	for (size_t i = 0; i < type->n_uses; i++) {
		const struct rfs_library_type *lock;

		if (!waits_with_other(&type->uses[i]) || !can_be_called(generator, type->uses[i].function))
			continue;
		lock = type_of_lock(generator, &type->uses[i]);
		if (lock_of(sequence, lock) < 0)
			(void)rfs_task_instantiate(generator, sequence, RFS_PREFIX, lock->type);
	}
}

/* A random use with this hold; NULL: there is none. */
static const struct rfs_use *use_that(struct rfs_generator *generator, const struct rfs_library_type *type,
				      enum rfs_hold hold)
{
	const struct rfs_use *chosen = NULL;
	size_t n = 0;

	for (size_t i = 0; i < type->n_uses; i++) {
		const struct rfs_use *use = &type->uses[i];

		if (use->role == RFS_ROLE_METHOD && use->hold == hold && can_be_called(generator, use->function) &&
		    (hold != RFS_HOLD_NEEDS || waits_with_other(use)) && rfs_rng_below(&generator->rng, ++n) == 0)
			chosen = use;
	}
	return chosen;
}

/* Adds lock(mutex), wait(object, mutex), unlock(mutex). Returns how many calls count. 0: none was added. */
static int add_wait(const struct place *at)
{
	struct rfs_generator *generator = at->generator;
	struct rfs_sequence *sequence = at->sequence;
	const struct rfs_sequence before = *sequence;
	const struct rfs_use *wait = use_that(generator, at->type, RFS_HOLD_NEEDS), *opener;
	const struct rfs_library_type *type = wait ? type_of_lock(generator, wait) : NULL;
	const int lock = type ? lock_of(sequence, type) : -1;

	opener = lock >= 0 ? use_that(generator, type, RFS_HOLD_OPENS) : NULL;
	if (opener && can_be_called(generator, opener->closer) &&
	    rfs_task_use(generator, sequence, at->section, opener->function, opener->parameter, lock)) {
		const size_t opened = sequence->n[at->section] - 1;
		const struct rfs_sequence_call *last;
		bool works =
			rfs_task_use(generator, sequence, at->section, wait->function, wait->parameter, at->object);

		last = &sequence->calls[at->section][sequence->n[at->section] - 1];
		if (works && last->values[wait->lock].kind == RFS_VALUE_VARIABLE &&
		    last->values[wait->lock].integer == lock &&
		    rfs_task_close(generator, sequence, at->section, opener->closer, opened))
			return 2;
	}
	rfs_sequence_cut(sequence, &before);
	return 0;
}

/* ---- calls ---- */

/*
 * Adds a call of a method. If it opens a hold, as lock does, adds the call that closes it too, and sometimes a call
 * between them if left > 1. Returns how many calls count: a hold counts as one. 0: none was added.
 */
static int add_method(const struct place *at, int left)
{
	const struct rfs_sequence before = *at->sequence;
	const struct rfs_use *use = rfs_task_call(at->generator, at->sequence, at->section, at->type, at->object,
						  1u << RFS_HOLD_NONE | 1u << RFS_HOLD_OPENS);
	size_t opened;
	int n = 1;

	if (!use || use->hold != RFS_HOLD_OPENS || !can_be_called(at->generator, use->closer))
		return use != NULL;
	opened = at->sequence->n[at->section] - 1;
	if (left > 1 && rfs_rng_chance(&at->generator->rng, INSIDE, 4) &&
	    rfs_task_call(at->generator, at->sequence, at->section, at->type, at->object,
			  1u << RFS_HOLD_NONE | 1u << RFS_HOLD_TRIES | 1u << RFS_HOLD_NEEDS))
		n++;
	if (rfs_task_close(at->generator, at->sequence, at->section, use->closer, opened))
		return n;
	rfs_sequence_cut(at->sequence, &before);
	return 0;
}

/* How many methods of the type wait with a lock that is another argument, and how many do not. */
static void count_waits(const struct place *at, uint64_t *waits, uint64_t *others)
{
	*waits = *others = 0;
	for (size_t i = 0; i < at->type->n_uses; i++) {
		const struct rfs_use *use = &at->type->uses[i];

		if (use->role != RFS_ROLE_METHOD || !can_be_called(at->generator, use->function))
			continue;
		*waits += waits_with_other(use);
		*others += !waits_with_other(use);
	}
}

static int add_one(const struct place *at, int left)
{
	uint64_t waits, others;

	count_waits(at, &waits, &others);
	if (waits && rfs_rng_chance(&at->generator->rng, waits, waits + others)) {
		int n = add_wait(at);

		if (n)
			return n;
	}
	return add_method(at, left);
}

bool rfs_section_add_calls(struct rfs_generator *generator, struct rfs_sequence *sequence, enum rfs_section section,
			   const struct rfs_library_type *type, int object, int n)
{
	const struct place at = {generator, sequence, section, type, object};
	struct rfs_sequence mark = *sequence; /* before the last call */
	const size_t n_before = sequence->n[section];
	bool has_last = false;
	int added;

	for (int i = 0; i < n && !generator->broken; i += added ? added : 1) {
		const size_t last = has_last ? sequence->calls[section][sequence->n[section] - 1].function : 0;
		const struct rfs_sequence before = *sequence;

		added = add_one(&at, n - i);
		if (has_last && (added || !generator->broken))
			rfs_task_ended(generator, last, !added);
		if (has_last && !added && !generator->broken)
			rfs_sequence_cut(sequence, &mark);
		mark = before;
		has_last = added > 0;
	}
	return sequence->n[section] > n_before;
}
