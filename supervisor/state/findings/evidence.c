/* evidence.c - collects what a finding shows: places in the code, objects, stacks, held locks. */
#include "supervisor/state/findings/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "disasm/addr.h"
#include "policy/core/op.h"
#include "policy/passes.h"
#include "policy/policy.h"
#include "supervisor/base/address_set.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/memory_name.h"
#include "supervisor/model/word_lock.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/generated_names.h"
#include "supervisor/state/core/heap_blocks.h"
#include "supervisor/state/core/kernel_objects.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/signal_mask.h"
#include "supervisor/state/core/stable_names.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/ocaml_lock.h"
#include "supervisor/state/findings/program_output.h"
#include "supervisor/state/findings/unsafe_calls.h"
#include "supervisor/symbols/place.h"
#include "tracer/unwind.h"

#define STACK_FRAMES 48

void rfs_place_of(const struct rfs_run *run, rfs_addr address, struct rfs_place *out)
{
	const struct rfs_module_info *m = rfs_info_at(run, address);

	if (!m)
		m = rfs_generated_info_at(run, address);
	*out = (struct rfs_place){m ? xstrdup(m->path) : NULL, m ? address - m->bias : address};
}

static void describe_block(const struct rfs_run *run, const struct rfs_block *block, rfs_addr address,
			   struct rfs_object *out)
{
	out->kind = RFS_MEMORY_HEAP;
	out->offset = address - block->address;
	out->size = block->size;
	out->thread = block->thread;
	out->stack = xcalloc(block->n_stack ? block->n_stack : 1, sizeof(*out->stack));
	for (unsigned i = 0; i < block->n_stack; i++)
		rfs_place_of(run, block->stack[i], &out->stack[out->n_stack++]);
}

void rfs_describe(const struct rfs_run *run, rfs_addr address, struct rfs_object *out)
{
	const struct rfs_thread *owner;
	const struct rfs_block *block;
	struct rfs_stack_frame frame;
	enum rfs_kernel_object_kind kind;
	const char *words;

	*out = (struct rfs_object){.kind = RFS_MEMORY_OTHER, .address = address, .thread = -1};
	kind = rfs_kernel_object_at(run, address, &words);
	if (words) {
		out->kind = RFS_MEMORY_KERNEL;
		out->place.module = xstrdup(words);
		out->offset = kind;
		return;
	}
	if (rfs_info_at(run, rfs_memory_address(address))) {
		out->kind = RFS_MEMORY_STATIC;
		rfs_place_of(run, rfs_memory_address(address), &out->place);
		return;
	}
	owner = rfs_thread_by_stack(run, address, RFS_STACK_LAST_OWNER);
	if (owner) {
		out->kind = RFS_MEMORY_STACK;
		out->thread = owner->number;
		out->offset = owner->stack_high - address;
		if (rfs_thread_frame(owner, address, &frame)) {
			rfs_place_of(run, frame.code, &out->place);
			out->below_cfa = frame.cfa - address;
		}
		return;
	}
	(void)rfs_in_heap(run, rfs_memory_address(address), &out->heap);
	block = rfs_heap_block(run, address);
	if (block)
		describe_block(run, block, address, out);
}

void rfs_stack_places(struct rfs_run *run, struct rfs_thread *thread, struct rfs_place **out, size_t *n)
{
	rfs_addr frames[STACK_FRAMES];
	size_t count = rfs_thread_stack(thread, frames, STACK_FRAMES);

	*n = 0;
	*out = xcalloc(count ? count : 1, sizeof(**out));
	for (size_t i = 0; i < count; i++)
		rfs_place_of(run, frames[i], &(*out)[(*n)++]);
}

void rfs_describe_lock(const struct rfs_run *run, rfs_addr lock, struct rfs_object *out)
{
	const rfs_site site = rfs_word_acquired_at(run->word_locks, lock);

	rfs_describe(run, lock, out);
	if (site)
		rfs_place_of(run, rfs_site_address(run, site), &out->acquired);
}

static void describe_locks(const struct rfs_run *run, const rfs_addr *locks, size_t n, struct rfs_evidence *out)
{
	out->locks = xcalloc(n ? n : 1, sizeof(*out->locks));
	for (size_t i = 0; i < n; i++)
		if (!rfs_is_signal_mask(locks[i]))
			rfs_describe_lock(run, locks[i], &out->locks[out->n_locks++]);
}

/*
 * Whether the memory that the parked thread is going to access got a new use while the thread was parked. The thread's
 * pointer is then one to the freed block. If the memory got its new use before, nothing tells where the pointer is
 * from.
 */
static bool is_stale(const struct rfs_run *run, const struct rfs_thread *thread)
{
	const struct rfs_block *block = rfs_heap_block(run, thread->next.object);

	return block && block->changed > thread->access.heap_changes;
}

static void stood(struct rfs_run *run, struct rfs_thread *thread, struct rfs_evidence *out)
{
	const struct rfs_op *op = &thread->next;
	rfs_addr *locks = xcalloc(thread->sync.n_holds ? thread->sync.n_holds : 1, sizeof(*locks));

	for (size_t i = 0; i < thread->sync.n_holds; i++)
		locks[i] = thread->sync.holds[i].lock;
	*out = (struct rfs_evidence){.thread = thread->number,
				     .process = thread->process,
				     .team_number = thread->openmp.team.number,
				     .team_size = thread->openmp.team.size,
				     .handler = thread->handler.signo,
				     .access = op->access,
				     .size = op->size};
	rfs_place_of(run, rfs_site_address(run, op->site), &out->site);
	rfs_describe(run, op->object, &out->object);
	out->stale = is_stale(run, thread);
	describe_locks(run, locks, thread->sync.n_holds, out);
	rfs_stack_places(run, thread, &out->stack, &out->n_stack);
	free(locks);
}

/*
 * Ranks how much an access by this thread and the other side look like a race: 2 points if the threads differ, 1 point
 * if one of the two accesses is a write.
 */
static unsigned likeness(int thread, unsigned access, const struct rfs_evidence *other)
{
	return 2 * (thread != other->thread) + (((access | other->access) & RFS_ACCESS_WRITE) != 0);
}

/*
 * Whether the described access and the operation are on common memory. What is freed is a whole block. A call counts as
 * on all memory.
 */
static bool evidence_overlaps(const struct rfs_evidence *evidence, const struct rfs_op *op)
{
	const struct rfs_object *object = &evidence->object;
	const bool block = (evidence->access | op->access) & RFS_ACCESS_FREE && object->kind == RFS_MEMORY_HEAP;
	const rfs_addr start = block ? object->address - object->offset : object->address;
	const uint64_t size = block ? object->size : evidence->size;

	return !evidence->access || !rfs_op_is_access(op->kind) ||
	       (start < op->object + (op->size ? op->size : 1) && op->object < start + (size ? size : 1));
}

/*
 * Describes the thread spec->wanted.stood_thread as it was last at statement 0 when another thread accesses the same at
 * statement 1, and that thread.
 */
static void reached_last(struct rfs_run *run, struct rfs_thread *thread, int i)
{
	struct rfs_evidence *early = &run->result->stood[0], *late = &run->result->stood[1];

	if (late->site.module || (i == 0 && thread->number != (int)run->spec->wanted.stood_thread - 1))
		return;
	if (i == 1) {
		if (early->site.module && early->thread != thread->number && evidence_overlaps(early, &thread->next))
			stood(run, thread, late);
		return;
	}
	rfs_evidence_release(early);
	stood(run, thread, early);
	for (size_t k = 0; k < run->n_threads && !late->site.module; k++) {
		struct rfs_thread *other = run->threads[k];

		if (other != thread && other->state == RFS_STATE_PARKED && other->next.statements & 2 &&
		    evidence_overlaps(early, &other->next))
			stood(run, other, late);
	}
}

void rfs_evidence_reached(struct rfs_run *run, struct rfs_thread *thread, int i)
{
	struct rfs_evidence *side = &run->result->stood[i], *other = &run->result->stood[!i];

	if (run->spec->wanted.stood_thread) {
		reached_last(run, thread, i);
		return;
	}
	/*
	 * Keep an earlier description, unless this thread and the other side look more like a race than the earlier
	 * description and the other side.
	 */
	if (side->site.module && (!other->site.module || likeness(thread->number, thread->next.access, other) <=
								 likeness(side->thread, side->access, other)))
		return;
	rfs_evidence_release(side);
	stood(run, thread, side);
}

/* Whether the two threads are parked at two accesses that race. If so, the race is created, not inferred. */
static bool is_race(const struct rfs_thread *a, const struct rfs_thread *b)
{
	return a != b && a->state == RFS_STATE_PARKED && b->state == RFS_STATE_PARKED &&
	       rfs_ops_race(&a->next, &b->next);
}

/* A run lists at most this many pairs of sites. */
#define LISTED_MAX 256

static bool is_listed(const struct rfs_run_result *result, const struct rfs_place *a, const struct rfs_place *b)
{
	for (size_t i = 0; i + 1 < result->n_created_at; i += 2) {
		const struct rfs_place *x = &result->created_at[i], *y = &result->created_at[i + 1];

		if ((rfs_place_is_same(x, a) && rfs_place_is_same(y, b)) ||
		    (rfs_place_is_same(x, b) && rfs_place_is_same(y, a)))
			return true;
	}
	return false;
}

static void list_created(struct rfs_run *run, rfs_site a, rfs_site b)
{
	struct rfs_run_result *result = run->result;
	struct rfs_place places[2] = {0};

	rfs_place_of(run, rfs_site_address(run, a), &places[0]);
	rfs_place_of(run, rfs_site_address(run, b), &places[1]);
	if (result->n_created_at >= 2 * LISTED_MAX || is_listed(result, &places[0], &places[1])) {
		free(places[0].module);
		free(places[1].module);
		return;
	}
	result->created_at = xreallocarray(result->created_at, result->n_created_at + 2, sizeof(*result->created_at));
	result->created_at[result->n_created_at++] = places[0];
	result->created_at[result->n_created_at++] = places[1];
}

void rfs_evidence_race(struct rfs_run *run, const struct rfs_choice *choice)
{
	struct rfs_run_result *result = run->result;
	struct rfs_thread *t[2];

	for (int i = 0; i < 2; i++) {
		if (choice->race[i] < 0 || (size_t)choice->race[i] >= run->n_threads) {
			rfs_run_uncontrolled(run, "policy %s reported a race of thread %d, which does not exist",
					     run->spec->policy->name, choice->race[i]);
			return;
		}
		t[i] = run->threads[choice->race[i]];
	}
	if (!is_race(t[0], t[1])) {
		rfs_run_uncontrolled(run,
				     "policy %s reported a race of threads %d and %d, but their accesses do not race",
				     run->spec->policy->name, choice->race[0], choice->race[1]);
		return;
	}
	if (run->spec->wanted.lists_created)
		list_created(run, t[0]->next.site, t[1]->next.site);
	/* only the first race is described, unless a later one is a use of freed memory */
	if (result->n_created++ > 0 &&
	    (rfs_race_is_stale(&result->created) || (!is_stale(run, t[0]) && !is_stale(run, t[1]))))
		return;
	rfs_evidence_release(&result->created.side[0]);
	rfs_evidence_release(&result->created.side[1]);
	result->created.step = result->counts.steps;
	result->created.swapped = !(t[0]->next.statements & 1);
	result->created.number = result->n_created - 1;
	result->created.first = choice->thread == t[0]->number ? 1 : choice->thread == t[1]->number ? 2 : 0;
	result->created.atomic_seen = rfs_address_set_has(run->atomics, t[0]->next.object) ||
				      rfs_address_set_has(run->atomics, t[1]->next.object);
	stood(run, t[0], &result->created.side[0]);
	stood(run, t[1], &result->created.side[1]);
}

void rfs_evidence_drop_meeting(struct rfs_thread *handler)
{
	if (handler->handler.meets)
		rfs_evidence_release(handler->handler.meets);
	free(handler->handler.meets);
	handler->handler.meets = NULL;
}

void rfs_evidence_expect_meeting(struct rfs_run *run, struct rfs_thread *handler, struct rfs_thread *thread, bool after)
{
	rfs_evidence_drop_meeting(handler);
	handler->handler.meets = xcalloc(1, sizeof(*handler->handler.meets));
	stood(run, thread, handler->handler.meets);
	handler->handler.met = thread->next;
	handler->handler.after = after;
}

void rfs_evidence_meet(struct rfs_run *run, struct rfs_thread *handler)
{
	struct rfs_run_result *result = run->result;
	const struct rfs_op *met = &handler->handler.met, *op = &handler->next;

	if (!handler->handler.meets || !((met->statements | op->statements) & 1) ||
	    !((met->statements | op->statements) & 2) || !rfs_ops_race(met, op))
		return;
	if (run->spec->wanted.lists_created)
		list_created(run, met->site, op->site);
	if (result->n_created++ == 0) {
		result->created.step = result->counts.steps;
		result->created.swapped = !(met->statements & 1);
		result->created.interrupts = true;
		result->created.first = handler->handler.after ? 1 : 2;
		result->created.atomic_seen = rfs_address_set_has(run->atomics, op->object);
		result->created.side[0] = *handler->handler.meets;
		*handler->handler.meets = (struct rfs_evidence){0};
		stood(run, handler, &result->created.side[1]);
	}
	rfs_evidence_drop_meeting(handler);
}

static void predicted_side(const struct rfs_run *run, const struct rfs_race_access *access, struct rfs_evidence *out)
{
	const struct rfs_team_place *team = &run->threads[access->thread]->openmp.last_team;

	*out = (struct rfs_evidence){.thread = access->thread,
				     .process = run->threads[access->thread]->process,
				     .team_number = team->number,
				     .team_size = team->size,
				     .handler = run->threads[access->thread]->handler.signo,
				     .access = access->access,
				     .size = access->size};
	rfs_place_of(run, rfs_site_address(run, access->site), &out->site);
	rfs_describe(run, access->address, &out->object);
	describe_locks(run, access->locks, access->n_locks, out);
}

/*
 * Whether the accesses have no more in common than a lock at which the first one begins: a lock is read and released
 * with plain moves too. If it is freed, that is no use of the lock.
 */
static bool meet_at_lock(const struct rfs_run *run, const struct rfs_race_access *first,
			 const struct rfs_race_access *second)
{
	const rfs_addr lock = first->address, size = rfs_word_size(run->word_locks, lock);

	return rfs_word_was_lock(run->word_locks, lock) && !((first->access | second->access) & RFS_ACCESS_FREE) &&
	       (first->size <= size || (second->address >= lock && second->address - lock + second->size <= size));
}

static void evidence_predicted(void *arg, const struct rfs_race_access *a, const struct rfs_race_access *b)
{
	struct rfs_run *run = arg;
	struct rfs_run_result *result = run->result;
	struct rfs_race *race;

	if (meet_at_lock(run, a, b) || meet_at_lock(run, b, a))
		return;
	if (rfs_unsafe_calls_pair(run, a, b))
		return;
	if (rfs_ocaml_is_runtime_access(run, a) || rfs_ocaml_is_runtime_access(run, b))
		return;
	result->prediction.races =
		xreallocarray(result->prediction.races, result->prediction.n + 1, sizeof(*result->prediction.races));
	race = &result->prediction.races[result->prediction.n++];
	*race = (struct rfs_race){.atomic_seen = rfs_address_set_has(run->atomics, a->address) ||
						 rfs_address_set_has(run->atomics, b->address),
				  .ordered = a->ordered};
	(void)rfs_name_address(run, a->address > b->address ? a->address : b->address, &race->address);
	predicted_side(run, a, &race->side[0]);
	predicted_side(run, b, &race->side[1]);
}

void rfs_evidence_predicted(struct rfs_run *run)
{
	const struct rfs_detector_ops *detector = run->spec->detector;

	detector->report(run->detector, evidence_predicted, run);
	if (detector->passes && (detector == detector->passes->first || detector == detector->passes->second))
		detector->passes->save(run->detector, &run->result->suspects);
}

void rfs_evidence_fault(struct rfs_run *run, struct rfs_thread *thread, bool aborts)
{
	struct rfs_run_result *result = run->result;

	free(result->last_words);
	result->last_words = aborts ? rfs_program_output_last(run, thread->number) : NULL;
	rfs_places_free(result->fault, result->n_fault);
	rfs_stack_places(run, thread, &result->fault, &result->n_fault);
	result->fault_thread = thread->number;
}
