/* prologue.c - the policy of the original, which copies what it gets, and the replay of these copies. */
#include "supervisor/server/prologue.h"

#include <stdlib.h>

#include "disasm/addr.h"
#include "policy/core/cycle_place.h"
#include "policy/core/hint.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"

/* If a program does more than this before main, repeating it for every run is not worth the time. */
#define ENTRIES_MAX 16384

struct entry {
	bool pick;
	struct rfs_event event;	       /* valid if `pick` is false */
	struct rfs_thread_view thread; /* its cycle is owned, and NULL if `pick` is false */
	uint64_t step;
	enum rfs_outcome outcome;
};

struct rfs_prologue {
	struct entry *entries;
	size_t n, size;
	bool incomplete;
};

static int init(void **state, const struct rfs_policy_args *args)
{
	(void)args;
	*state = xcalloc(1, sizeof(struct rfs_prologue));
	return 0;
}

static void fini(void *state)
{
	struct rfs_prologue *prologue = state;

	for (size_t i = 0; i < prologue->n; i++)
		free((void *)prologue->entries[i].thread.cycle);
	free(prologue->entries);
	free(prologue);
}

/* The run uses the memory of a place again for the next view, so a kept view has its own. */
static struct rfs_cycle_place *copy_place(const struct rfs_cycle_place *from)
{
	struct rfs_cycle_place *to;
	rfs_addr *held;

	if (!from)
		return NULL;
	to = xcalloc(1, sizeof(*to) + from->n_held * sizeof(*held));
	held = (rfs_addr *)(to + 1);
	*to = *from;
	to->held = held;
	for (size_t i = 0; i < from->n_held; i++)
		held[i] = from->held[i];
	return to;
}

static void prologue_keep(struct rfs_prologue *prologue, const struct entry *entry)
{
	if (prologue->n == ENTRIES_MAX) {
		prologue->incomplete = true;
		return;
	}
	if (prologue->n == prologue->size) {
		prologue->size = prologue->size ? 2 * prologue->size : 16;
		prologue->entries = xreallocarray(prologue->entries, prologue->size, sizeof(*prologue->entries));
	}
	prologue->entries[prologue->n] = *entry;
	prologue->entries[prologue->n++].thread.cycle = copy_place(entry->thread.cycle);
}

static int prologue_pick(void *state, const struct rfs_view *view, struct rfs_choice *out)
{
	struct rfs_prologue *prologue = state;
	struct entry entry = {.pick = true, .thread = view->threads[0], .step = view->step};

	if (!(entry.thread.flags & RFS_THREAD_ENABLED))
		entry.outcome = RFS_OUTCOME_TIMED_OUT;
	if (view->n_threads > 1)
		prologue->incomplete = true;
	prologue_keep(prologue, &entry);
	for (size_t i = 0; i < view->n_threads; i++)
		if (view->threads[i].flags & (RFS_THREAD_ENABLED | RFS_THREAD_CAN_TIME_OUT)) {
			out->thread = view->threads[i].thread;
			out->outcome =
				view->threads[i].flags & RFS_THREAD_ENABLED ? RFS_OUTCOME_DONE : RFS_OUTCOME_TIMED_OUT;
			return 0;
		}
	return 0;
}

static void event(void *state, const struct rfs_event *event)
{
	const struct entry entry = {.event = *event};

	prologue_keep(state, &entry);
}

struct rfs_policy_ops rfs_prologue_policy(unsigned flags)
{
	return (struct rfs_policy_ops){
		.abi = RFS_POLICY_ABI,
		.name = "prologue",
		.summary = "what happens before main",
		.flags = flags,
		.init = init,
		.pick = prologue_pick,
		.event = event,
		.fini = fini,
	};
}

bool rfs_prologue_complete(const struct rfs_prologue *prologue)
{
	return !prologue->incomplete;
}

/* A kept view. Stacks and function names are not kept: *asked is set if the policy asks for them. */
struct kept_view {
	struct rfs_view view;
	bool *asked;
};

static size_t no_stack(const struct rfs_view *view, int thread, rfs_addr *out, size_t max)
{
	(void)thread;
	(void)out;
	(void)max;
	*((const struct kept_view *)view)->asked = true;
	return 0;
}

static uint64_t no_function(const struct rfs_view *view, rfs_addr address)
{
	(void)address;
	*((const struct kept_view *)view)->asked = true;
	return 0;
}

static bool tell_pick(const struct entry *entry, const struct rfs_policy_ops *policy, void *state,
		      struct rfs_hint *hint)
{
	struct rfs_choice choice = {.thread = -1, .waiter = -1, .race = {-1, -1}};
	bool asked = false;
	const struct kept_view view = {
		.view = {.step = entry->step,
			 .n_threads = 1,
			 .threads = &entry->thread,
			 .stack = no_stack,
			 .function = no_function},
		.asked = &asked,
	};

	/* there is no other thread that could wait */
	if (rfs_hint_holds(hint, &entry->thread, false)) {
		hint->left--;
		return true;
	}
	if (policy->pick(state, &view.view, &choice))
		return false;
	*hint = (struct rfs_hint){choice.thread, choice.hint, choice.steady};
	return !asked && choice.thread == entry->thread.thread && choice.outcome == entry->outcome &&
	       choice.race[0] < 0;
}

bool rfs_prologue_tell(const struct rfs_prologue *prologue, const struct rfs_policy_ops *policy, void *state,
		       struct rfs_hint *hint)
{
	*hint = (struct rfs_hint){0};
	for (size_t i = 0; i < prologue->n; i++) {
		const struct entry *entry = &prologue->entries[i];

		if (entry->pick) {
			if (!tell_pick(entry, policy, state, hint))
				return false;
		} else if (policy->event) {
			policy->event(state, &entry->event);
		}
	}
	return true;
}
