/* goes_along.c - compares the places and locks of a violation with those of a deadlock. It only reads results. */
#include "supervisor/campaign/predicted/goes_along.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "policy/detect/atomicity.h"
#include "policy/policy.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/failures/saved_run.h"
#include "supervisor/campaign/predicted/violations.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/violation.h"
#include "supervisor/report/data/failure.h"
#include "supervisor/symbols/place.h"
#include "supervisor/symbols/source_place.h"
#include "supervisor/symbols/symbolize.h"

/* The deadlock in which the violation has ended. NULL: it is another failure, or is not known. */
static const struct rfs_waiters *deadlock_of(const struct rfs_campaign *c,
					     const struct rfs_predicted_violation *violation)
{
	const struct rfs_finding *finding;

	if (violation->signature.kind != RFS_FAILURE_DEADLOCK || !violation->finding ||
	    violation->finding > c->findings->n)
		return NULL;
	finding = &c->findings->list[violation->finding - 1];
	return finding->key.signature.kind == RFS_FAILURE_DEADLOCK && finding->first->replayed != RFS_REPLAY_DIFFERENT
		       ? &finding->first->result.deadlock
		       : NULL;
}

static bool goes_along_is_same_object(struct rfs_campaign *c, const struct rfs_object *a, const struct rfs_object *b)
{
	char *x, *y;
	bool same;

	if (a->kind == RFS_MEMORY_DESCRIPTOR || b->kind == RFS_MEMORY_DESCRIPTOR)
		return a->kind == b->kind && a->offset == b->offset;
	x = rfs_symbols_object(c->symbols, a, NULL);
	y = rfs_symbols_object(c->symbols, b, NULL);
	same = x && y && strcmp(x, y) == 0;
	free(x);
	free(y);
	return same;
}

static bool goes_along_is_on_stack(const struct rfs_waiter *waiter, const struct rfs_place *place)
{
	for (size_t i = 0; i < waiter->n_stack && place->module; i++)
		if (rfs_place_is_same(&waiter->stack[i], place))
			return true;
	return false;
}

/* Whether the thread stands at a call of the violation, or waits for its object. */
static bool stands_there(struct rfs_campaign *c, const struct rfs_violation *v, const struct rfs_waiter *waiter)
{
	return (rfs_violation_is_call(v->pattern, 0) && goes_along_is_on_stack(waiter, &v->first.site)) ||
	       (rfs_violation_is_call(v->pattern, 1) && goes_along_is_on_stack(waiter, &v->remote.site)) ||
	       goes_along_is_same_object(c, &waiter->waits_for, &v->data);
}

/* Whether both are in one function or, if a lambda was passed to the function that waits, at one line. */
static bool is_near(const struct rfs_source_place *a, const struct rfs_source_place *b)
{
	return (a->function && b->function && strcmp(a->function, b->function) == 0) ||
	       (a->file && b->file && a->line && a->line == b->line && strcmp(a->file, b->file) == 0);
}

/* Whether the access is in a function on the stack of the thread. Inlined functions count. */
static bool is_in_function_of(struct rfs_campaign *c, const struct rfs_place *access, const struct rfs_waiter *waiter)
{
	struct rfs_source_stack at = {0}, stack = {0};
	bool found = false;

	rfs_symbols_stack(c->symbols, access, 1, &at);
	rfs_symbols_stack(c->symbols, waiter->stack, waiter->n_stack, &stack);
	for (size_t i = 0; i < at.n_frames; i++)
		for (size_t k = 0; k < stack.n_frames; k++)
			found |= is_near(&at.frames[i], &stack.frames[k]);
	rfs_source_stack_release(&at);
	rfs_source_stack_release(&stack);
	return found;
}

/* Whether the thread waits for a signal, and the early access is the read that has told it to. */
static bool is_reason_to_wait(struct rfs_campaign *c, const struct rfs_violation *v, const struct rfs_waiter *waiter)
{
	const bool order = rfs_atomicity_is_order(v->pattern);
	const struct rfs_violation_access *early = order ? &v->remote : &v->first;

	return waiter->operation == RFS_OP_COND_WAKE && !rfs_violation_is_call(v->pattern, order) &&
	       early->access & RFS_ACCESS_READ && !(early->access & RFS_ACCESS_WRITE) && early->site.module &&
	       is_in_function_of(c, &early->site, waiter);
}

static bool waits_for_call(const struct rfs_waiter *waiter)
{
	return waiter->call >= 0 && (waiter->operation == RFS_OP_SYSCALL || waiter->operation == RFS_OP_KERNEL);
}

static bool goes_along_is_write(int call)
{
	return call == SYS_write || call == SYS_writev || call == SYS_sendto || call == SYS_sendmsg;
}

/*
 * Whether two threads wait for each other through pipes or connections of the program. Readers of one descriptor do
 * not: somebody has not written to it.
 */
static bool is_pipe_cycle(struct rfs_campaign *c, const struct rfs_waiters *deadlock)
{
	const struct rfs_waiter *first = NULL;

	for (size_t i = 0; i < deadlock->n; i++) {
		const struct rfs_waiter *w = &deadlock->list[i];

		if (!waits_for_call(w))
			continue;
		if (first && (goes_along_is_write(w->call) || goes_along_is_write(first->call) ||
			      !goes_along_is_same_object(c, &first->waits_for, &w->waits_for)))
			return true;
		first = first ? first : w;
	}
	return false;
}

void rfs_goes_along_look(struct rfs_campaign *c, struct rfs_predicted_violation *violation,
			 const struct rfs_run_result *result)
{
	for (size_t i = 0; i < result->deadlock.n && !violation->waits; i++)
		violation->waits = is_reason_to_wait(c, &violation->violation, &result->deadlock.list[i]);
}

bool rfs_violation_goes_along(struct rfs_campaign *c, const struct rfs_predicted_violation *violation)
{
	const struct rfs_waiters *deadlock = deadlock_of(c, violation);
	const struct rfs_harm *harm = &violation->harm;
	const bool always = harm->failed[0] == harm->runs[0],
		   order = rfs_atomicity_is_order(violation->violation.pattern);
	bool reason = violation->waits, cycle = true, pipes;

	if (!deadlock)
		return false;
	pipes = is_pipe_cycle(c, deadlock);
	for (size_t i = 0; i < deadlock->n; i++) {
		if (stands_there(c, &violation->violation, &deadlock->list[i]))
			return false;
		reason |= is_reason_to_wait(c, &violation->violation, &deadlock->list[i]);
		cycle &= rfs_waits_for_another(deadlock, &deadlock->list[i]) ||
			 (pipes && waits_for_call(&deadlock->list[i]));
	}
	return !always || cycle || (order && reason);
}
