/* misuse.c - the table of kinds with their words, and copies. */
#include "supervisor/record/misuse.h"

#include <errno.h>
#include <stdlib.h>

static const struct {
	const char *name, *verb, *why;
} words[RFS_MISUSE_KINDS] = {
	[RFS_MISUSE_UNLOCK_FREE] = {"unlock-free", "unlocks", "which no thread holds"},
	[RFS_MISUSE_UNLOCK_OTHER] = {"unlock-other", "unlocks", "which another thread holds"},
	[RFS_MISUSE_IGNORES_ERROR] = {"ignores-error", "locks", "which it already holds, and ignores the error"},
	[RFS_MISUSE_DESTROY_HELD] = {"destroy-held", "destroys", "which is held"},
	[RFS_MISUSE_DESTROY_WAITED] = {"destroy-waited", "destroys", "at which a thread waits"},
	[RFS_MISUSE_INIT_HELD] = {"init-held", "initialises", "which is held"},
	[RFS_MISUSE_INIT_WAITED] = {"init-waited", "initialises", "at which a thread waits"},
	[RFS_MISUSE_FREE_HELD] = {"free-held", "frees", "which contains a lock that is held"},
	[RFS_MISUSE_FREE_WAITED] = {"free-waited", "frees", "which contains an object at which a thread waits"},
	[RFS_MISUSE_USE_DESTROYED] = {"use-destroyed", "uses", "which was destroyed"},
	[RFS_MISUSE_WAIT_UNLOCKED] = {"wait-unlocked", "waits at a condition variable with",
				      "a mutex that it does not hold"},
	[RFS_MISUSE_WAIT_MUTEXES] = {"wait-mutexes", "waits at", "at which another thread waits with another mutex"},
	[RFS_MISUSE_EXIT_HOLDING] = {"exit-holding", "ends while it holds", "so no thread can unlock it"},
	[RFS_MISUSE_JOIN_AGAIN] = {"join-again", "joins a thread", "which was joined or detached before"},
	[RFS_MISUSE_JOIN_SELF] = {"join-self", "joins itself", "which cannot succeed"},
	[RFS_MISUSE_DETACH_AGAIN] = {"detach-again", "detaches a thread", "which was joined or detached before"},
	[RFS_MISUSE_INIT_AGAIN] = {"init-again", "initialises", "which was in use before and is not destroyed"},
	[RFS_MISUSE_UNINITIALISED] = {"uninitialised", "uses", "which was never initialised or is overwritten"},
	[RFS_MISUSE_NEVER_JOINED] = {"never-joined", "creates a thread",
				     "which ended but was never joined or detached"},
	[RFS_MISUSE_WRONG_TYPE] = {"wrong-type", "uses", NULL},
	[RFS_MISUSE_BAD_COUNT] = {"bad-count", "initialises", "with a count that is 0 or too large"},
	[RFS_MISUSE_BAD_VALUE] = {"bad-value", "initialises", "with a value that is too large"},
	[RFS_MISUSE_BAD_ATTRIBUTE] = {"bad-attribute", "sets an attribute in", "to a value that does not exist"},
	[RFS_MISUSE_BAD_ATTRIBUTES] = {"bad-attributes", "initialises",
				       "with attributes that were never initialised or are overwritten"},
	[RFS_MISUSE_LEAVE_HELD] = {"leave-held", "returns from the function of", "which is held"},
	[RFS_MISUSE_LEAVE_WAITED] = {"leave-waited", "returns from the function of", "at which a thread waits"},
	[RFS_MISUSE_SIGNAL_UNSAFE] = {"signal-unsafe", "calls", "which is not async-signal-safe"},
};

const char *rfs_misuse_name(enum rfs_misuse_kind kind)
{
	return words[kind].name;
}

const char *rfs_misuse_verb(enum rfs_misuse_kind kind)
{
	return words[kind].verb;
}

const char *rfs_misuse_why(enum rfs_misuse_kind kind)
{
	return words[kind].why;
}

static const struct {
	const char *name, *verb;
} earlier_words[RFS_EARLIER_COUNT] = {
	[RFS_EARLIER_ACQUIRED] = {"acquired", "acquired it"},
	[RFS_EARLIER_WAITS] = {"waits", "waits there"},
	[RFS_EARLIER_INITIALISED] = {"initialised", "initialised it"},
	[RFS_EARLIER_USED] = {"used", "used it before"},
	[RFS_EARLIER_DESTROYED] = {"destroyed", "destroyed it"},
	[RFS_EARLIER_INTERRUPTED] = {"interrupted",
				     "uses the same data of the C library, and the signal may come then"},
};

const char *rfs_misuse_earlier_name(enum rfs_misuse_earlier earlier)
{
	return earlier_words[earlier].name;
}

const char *rfs_misuse_earlier_verb(enum rfs_misuse_earlier earlier)
{
	return earlier_words[earlier].verb;
}

const char *rfs_misuse_error_name(int error)
{
	switch (error) {
	case EAGAIN:
		return "EAGAIN";
	case EBUSY:
		return "EBUSY";
	case EDEADLK:
		return "EDEADLK";
	case EINTR:
		return "EINTR";
	case EINVAL:
		return "EINVAL";
	case ENOTRECOVERABLE:
		return "ENOTRECOVERABLE";
	case EOWNERDEAD:
		return "EOWNERDEAD";
	case ETIMEDOUT:
		return "ETIMEDOUT";
	default:
		return NULL;
	}
}

void rfs_misuse_copy(const struct rfs_misuse *from, struct rfs_misuse *to)
{
	*to = *from;
	rfs_place_own(&to->object.place);
	rfs_place_own(&to->object.acquired);
	to->object.stack = rfs_places_copy(from->object.stack, from->object.n_stack);
	to->stack = rfs_places_copy(from->stack, from->n_stack);
	to->earlier = rfs_places_copy(from->earlier, from->n_earlier);
	rfs_place_own(&to->earlier_frame);
}

void rfs_misuse_release(struct rfs_misuse *misuse)
{
	rfs_object_release(&misuse->object);
	rfs_places_free(misuse->stack, misuse->n_stack);
	rfs_places_free(misuse->earlier, misuse->n_earlier);
	free(misuse->earlier_frame.module);
	*misuse = (struct rfs_misuse){0};
}

void rfs_misuses_free(struct rfs_misuse *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rfs_misuse_release(&list[i]);
	free(list);
}

bool rfs_misuse_is_same(const struct rfs_misuse *a, const struct rfs_misuse *b)
{
	if (a->kind != b->kind || !a->n_stack != !b->n_stack)
		return false;
	/* it may be decided that one of them is no mistake */
	if (!a->earlier_frame.module != !b->earlier_frame.module ||
	    (a->earlier_frame.module &&
	     (!rfs_place_is_same(&a->earlier_frame, &b->earlier_frame) ||
	      !a->object.place.module != !b->object.place.module ||
	      (a->object.place.module && !rfs_place_is_same(&a->object.place, &b->object.place)))))
		return false;
	if (a->n_stack)
		return rfs_place_is_same(&a->stack[0], &b->stack[0]);
	return a->n_earlier && b->n_earlier ? rfs_place_is_same(&a->earlier[0], &b->earlier[0])
					    : a->n_earlier == b->n_earlier;
}
