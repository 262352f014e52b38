/* whereabouts.c - turns waiters of a result into words. How many of them are shown is the caller's choice. */
#include "supervisor/campaign/executions/whereabouts.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/path.h"
#include "supervisor/base/text/op_text.h"
#include "supervisor/base/text/syscall_name.h"
#include "supervisor/record/waiters.h"
#include "supervisor/symbols/source.h"
#include "supervisor/symbols/source_place.h"
#include "supervisor/symbols/symbolize.h"

/* How many threads a line describes. */
#define THREADS_MAX 8

/* What a thread waits for, as the words before "of" and the object. */
static const char *whereabouts_wanted(enum rfs_op_kind operation)
{
	switch (operation) {
	case RFS_OP_COND_WAKE:
		return "a signal";
	case RFS_OP_FUTEX_SLEEP:
		return "a futex wake";
	case RFS_OP_SEM_WAIT:
		return "a post";
	default:
		return rfs_op_name(operation);
	}
}

/* The signal whose handler the thread is; 0: it is none. */
static int handler_of(const struct rfs_waiters *waiters, int thread)
{
	for (size_t i = 0; i < waiters->n; i++)
		if (waiters->list[i].thread == thread)
			return waiters->list[i].handler;
	return 0;
}

/*
 * Why the other thread keeps the waiter from the object with this name: it holds the object, or it is a writer that
 * waits for a lock that prefers writers. Caller frees.
 */
static char *whereabouts_reason(struct rfs_symbols *symbols, const struct rfs_waiters *waiters,
				const struct rfs_waiter *waiter, const char *object)
{
	for (size_t i = 0; i < waiters->n && object && waiter->operation == RFS_OP_RDLOCK; i++) {
		const struct rfs_waiter *other = &waiters->list[i];
		char *wanted;
		bool same;

		if (other->thread != waiter->for_thread || other->operation != RFS_OP_WRLOCK)
			continue;
		wanted = rfs_symbols_lock(symbols, &other->waits_for);
		same = wanted && strcmp(wanted, object) == 0;
		free(wanted);
		if (same)
			return xasprintf(", behind the waiting writer thread %d", waiter->for_thread);
	}
	return xasprintf(", held by thread %d", waiter->for_thread);
}

char *rfs_waits_text(struct rfs_symbols *symbols, const struct rfs_waiters *waiters, const struct rfs_waiter *waiter)
{
	char *object, *text, *end, *who, *reason = NULL, call[64];
	const char *what = whereabouts_wanted(waiter->operation);

	if (waiter->operation == RFS_OP_JOIN && waiter->for_thread >= 0) {
		const int signo = handler_of(waiters, waiter->for_thread);

		who = rfs_thread_text(waiter->for_thread, signo);
		end = xasprintf("the end of %s%s", signo ? "the " : "", who);
		free(who);
		return end;
	}
	object = rfs_symbols_lock(symbols, &waiter->waits_for);
	if (waiter->for_thread >= 0)
		reason = whereabouts_reason(symbols, waiters, waiter, object);
	if (waiter->call >= 0 && (waiter->operation == RFS_OP_SYSCALL || waiter->operation == RFS_OP_KERNEL)) {
		rfs_syscall_name(waiter->call, call, sizeof(call));
		what = call;
	}
	text = xasprintf("%s%s%s%s", what, object ? " of " : "", object ? object : "", reason ? reason : "");
	free(reason);
	free(object);
	return text;
}

bool rfs_waits_for_event(const struct rfs_waiter *waiter)
{
	switch (waiter->operation) {
	case RFS_OP_JOIN:
		return waiter->for_thread >= 0;
	case RFS_OP_COND_WAKE:
	case RFS_OP_FUTEX_SLEEP:
	case RFS_OP_SEM_WAIT:
		return true;
	default:
		return false;
	}
}

/* Writes the call that the thread is in: the system call, or the library function that the program has called. */
static void whereabouts_put_call(const struct rfs_waiter *waiter, const struct rfs_source_place *called, FILE *out)
{
	char call[64];

	if (waiter->call >= 0) {
		rfs_syscall_name(waiter->call, call, sizeof(call));
		fprintf(out, " in %s", call);
	} else if (called && called->function) {
		/* libc has one function under several names, such as ___pthread_join */
		fprintf(out, " in %s()", called->function + strspn(called->function, "_"));
	} else if (waiter->operation != RFS_OP_NONE && waiter->operation != RFS_OP_ACCESS) {
		fprintf(out, " before %s", rfs_op_name(waiter->operation));
	}
}

static void whereabouts_put_place(const struct rfs_source_place *place, FILE *out)
{
	if (place->function)
		fprintf(out, " at %s", place->function);
	else
		fprintf(out, " at %s+0x%llx", place->module ? rfs_base_name(place->module) : "",
			(unsigned long long)place->offset);
	if (place->file)
		fprintf(out, " (%s:%u)", rfs_base_name(place->file), place->line);
}

char *rfs_whereabouts(struct rfs_symbols *symbols, const struct rfs_waiters *threads)
{
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!threads->n)
		return NULL;
	out = xopen_memstream(&text, &size);
	for (size_t i = 0; i < threads->n && i < THREADS_MAX; i++) {
		const struct rfs_waiter *waiter = &threads->list[i];
		struct rfs_source_stack stack = {0};
		size_t own;

		rfs_symbols_stack(symbols, waiter->stack, waiter->n_stack, &stack);
		own = rfs_source_stack_first_own(&stack);
		fprintf(out, "%sthread %d", i ? ", " : "", waiter->thread);
		if (waiter->operation == RFS_OP_START) {
			fputs(" before its first instruction", out);
			rfs_source_stack_release(&stack);
			continue;
		}
		whereabouts_put_call(waiter, stack.n_frames && own ? &stack.frames[own - 1] : NULL, out);
		if (stack.n_frames)
			whereabouts_put_place(&stack.frames[own], out);
		rfs_source_stack_release(&stack);
	}
	if (threads->n > THREADS_MAX)
		fprintf(out, " and %zu more threads", threads->n - THREADS_MAX);
	fclose(out);
	return text;
}
