/* gdb_names.c - text for gdb's user: names of objects, places in the code, and operations. */
#include "supervisor/gdb/gdb_names.h"

#include <stdlib.h>
#include <string.h>

#include "disasm/addr.h"
#include "policy/core/op.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/text/op_text.h"
#include "supervisor/base/text/plural.h"
#include "supervisor/gdb/gdb-priv.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/gdb/gdb_threads.h"
#include "supervisor/record/run_result.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/evidence.h"
#include "supervisor/state/operations/trace.h"
#include "supervisor/symbols/place.h"
#include "supervisor/symbols/source_place.h"
#include "supervisor/symbols/symbolize.h"
#include "tracer/tracer.h"

char *rfs_gdb_object(struct rfs_run *run, rfs_addr address)
{
	struct rfs_object object;
	char *name;

	rfs_describe(run, address, &object);
	name = rfs_symbols_object(run->gdb->settings->symbols, &object, NULL);
	rfs_object_release(&object);
	return name ? name : xasprintf("0x%llx", (unsigned long long)address);
}

char *rfs_gdb_place(struct rfs_run *run, rfs_addr address, bool returns)
{
	struct rfs_place place;
	char *text;

	rfs_place_of(run, address, &place);
	text = rfs_symbols_text(run->gdb->settings->symbols, &place, returns);
	free(place.module);
	return text;
}

/* The address at which the code of the module is. */
static rfs_addr address_of(const struct rfs_run *run, const struct rfs_source_place *place)
{
	for (size_t i = 0; place->module && i < run->n_modules; i++)
		if (strcmp(run->modules[i]->path, place->module) == 0)
			return run->modules[i]->bias + place->offset;
	return place->offset;
}

void rfs_gdb_own_frame(struct rfs_run *run, struct rfs_thread *thread, struct rfs_gdb_opening *out)
{
	struct rfs_source_stack stack = {0};
	const struct rfs_source_place *own;
	struct rfs_place *places;
	size_t n, at;

	rfs_stack_places(run, thread, &places, &n);
	rfs_symbols_stack(run->gdb->settings->symbols, places, n, &stack);
	at = rfs_source_stack_first_own(&stack);
	own = at ? &stack.frames[at] : NULL;
	if (own)
		out->frame = address_of(run, own);
	for (; own && at > 0 && address_of(run, &stack.frames[at - 1]) == out->frame; at--)
		out->inlined++;
	rfs_source_stack_release(&stack);
	rfs_places_free(places, n);
}

char *rfs_gdb_access_text(unsigned access, uint64_t size, const char *object)
{
	const char *verb = rfs_access_text(access, RFS_ACCESS_VERB);

	if (access & RFS_ACCESS_CALL && !object)
		return xasprintf("calls %s", rfs_access_text(access, RFS_ACCESS_NOUN));
	if (!size || access & (RFS_ACCESS_CALL | RFS_ACCESS_FREE | RFS_ACCESS_FLUSH | RFS_ACCESS_LIBRARY))
		return xasprintf("%s %s", verb, object ? object : "memory");
	return xasprintf("%s %llu byte%s of %s", verb, (unsigned long long)size, rfs_plural(size),
			 object ? object : "memory");
}

static char *gdb_names_operation(struct rfs_run *run, const struct rfs_op *op)
{
	char *object = op->object ? rfs_gdb_object(run, op->object) : NULL, *text;

	if (rfs_op_is_access(op->kind))
		text = rfs_gdb_access_text(op->access, op->size, object);
	else if (op->kind == RFS_OP_JOIN && op->peer >= 0)
		text = xasprintf("join of thread %d", op->peer);
	else
		text = xasprintf("%s%s%s", rfs_op_name(op->kind), object ? " of " : "", object ? object : "");
	free(object);
	return text;
}

/* A handler that waits for its signal, or a thread that waits for its handler. NULL: it is neither. */
static char *gdb_names_handler(struct rfs_run *run, const struct rfs_thread *thread)
{
	const struct rfs_thread *by = thread->handler.by;
	char *handler, *where, *text;

	if (!by && (!thread->handler.signo || thread->task))
		return NULL;
	handler = rfs_thread_text(thread->number, by ? by->handler.signo : thread->handler.signo);
	if (!by) {
		text = xasprintf("begins as the %s", handler);
	} else {
		where = rfs_gdb_place(run, by->handler.rip, false);
		text = xasprintf("waits at %s for the end of the %s", where, handler);
		free(where);
	}
	free(handler);
	return text;
}

/* The end of a condition wait that was signalled. */
static char *gdb_names_woken(struct rfs_run *run, const struct rfs_thread *thread)
{
	char *cond = rfs_gdb_object(run, thread->sync.cond.cond), *mutex = rfs_gdb_object(run, thread->sync.cond.mutex);
	char *text = xasprintf("lock of %s after the wait for %s", mutex, cond);

	free(cond);
	free(mutex);
	return text;
}

char *rfs_gdb_next(struct rfs_run *run, struct rfs_thread *thread)
{
	char *what, *where, *text = gdb_names_handler(run, thread);
	rfs_addr address;

	if (text)
		return text;
	if (thread->state == RFS_STATE_KERNEL)
		return xstrdup("in the kernel");
	if (thread->state == RFS_STATE_RUNNING)
		return xstrdup("between two operations");
	what = rfs_cond_woken(run, thread) ? gdb_names_woken(run, thread) : gdb_names_operation(run, &thread->next);
	address = rfs_site_address(run, thread->next.site);
	where = rfs_gdb_place(run, address ? address : rfs_task_regs(thread->task)->rip,
			      address && !rfs_op_is_instruction(thread->next.kind));
	/* "heap block of 64 bytes, allocated by thread 0 at a.c:1, at b.c:2" */
	text = xasprintf("%s%s at %s%s", what, strchr(what, ',') ? "," : "", where,
			 thread->next.kind == RFS_OP_SPIN_READ ? ", in a loop" : "");
	free(what);
	free(where);
	return text;
}

char *rfs_gdb_choice_text(struct rfs_run *run, const struct rfs_choice *choice)
{
	char *side[2], *text;

	if (choice->race[0] < 0)
		return xasprintf("before operation %llu", (unsigned long long)rfs_trace_position(run));
	for (int i = 0; i < 2; i++)
		side[i] = rfs_gdb_next(run, run->threads[choice->race[i]]);
	text = xasprintf("a race: thread %d %s; thread %d %s", choice->race[0], side[0], choice->race[1], side[1]);
	free(side[0]);
	free(side[1]);
	return text;
}

void rfs_gdb_read_names(struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_threads; i++)
		if (rfs_gdb_shows(run->threads[i]))
			free(rfs_gdb_next(run, run->threads[i]));
}
