/* hot_statements.c - counts executions, draws those that stop, and lends a stub to the statement for the others. */
#include "supervisor/access/hot_statements.h"

#include <stdlib.h>
#include <string.h>

#include "disasm/addr.h"
#include "disasm/rewrite/code.h"
#include "disasm/rewrite/stub_control.h"
#include "policy/core/rng.h"
#include "policy/policy.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/access/stubs.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/memory_name.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stable_names.h"
#include "supervisor/state/core/thread.h"
#include "tracer/stub_buffer.h"
#include "tracer/tracer.h"

/* The distances between stops double after this part of the first stops. */
#define PART 8
#define DOUBLINGS 40
/* How many executions may stop because of their address, until the counter is 0 the next time. */
#define BY_ADDRESS 4
/* At most so much memory at which executions stop. */
#define PLACES RFS_PLACES_MOST
/* At most this many sites get stubs. A statement has more of them only if the compiler has copied it very often. */
#define SITES 16
/* Far from the streams of the policies. */
#define STREAM UINT64_C(0x686f742073746d74)

/* The executions of one set of statements: of the first, of the second, or of both. */
struct counted {
	uint64_t stops;	     /* how many stopped */
	uint64_t left;	     /* if hot: how many pass before one stops */
	uint64_t drawn;	     /* how often `left` was drawn */
	unsigned by_address; /* how many more may stop because of their address */
	struct rfs_rng rng;
};

struct rfs_hot {
	struct counted counted[RFS_STUB_HOT]; /* index: the set of statements, minus 1 */
	uint64_t trapped;		      /* how many executions trapped and then passed */
	rfs_addr sites[SITES];		      /* that have stubs, or cannot have them */
	size_t n_sites;
	bool has_stubs;
	struct rfs_place_range named[PLACES]; /* memory that the spec names */
	size_t n_named;
	uint64_t heap_changes;		     /* of the run, when `named` was found */
	size_t n_threads, n_modules;	     /* the same */
	struct rfs_place_range told[PLACES]; /* what the stubs know: memory of parked threads, and `named` */
	size_t n_told;
	const struct rfs_task *lent; /* the task with the counters `given` */
	uint64_t given[RFS_STUB_HOT];
};

static bool is_limited(const struct rfs_run *run)
{
	const struct rfs_run_spec *spec = run->spec;

	return spec->stops_per_run && spec->plan.pair && spec->points == RFS_POINTS_SYNC && !spec->detector &&
	       !run->asan && run->main_reached;
}

static bool is_hot(const struct rfs_run *run, const struct counted *counted)
{
	return counted->stops >= run->spec->stops_per_run;
}

/* Draws how many executions pass before the next one stops. */
static void hot_statements_draw(struct rfs_run *run, struct counted *counted, unsigned set)
{
	const uint64_t part = run->spec->stops_per_run / PART;
	uint64_t doublings = counted->drawn / (part ? part : 1) + 1;

	if (!counted->drawn)
		rfs_rng_init_stream(&counted->rng, run->spec->seed, STREAM + set);
	if (doublings > DOUBLINGS)
		doublings = DOUBLINGS;
	counted->drawn++;
	/* the mean is one less than a power of two, so that one execution in 2^doublings stops */
	counted->left = rfs_rng_below(&counted->rng, (UINT64_C(2) << doublings) - 1);
	counted->by_address = BY_ADDRESS;
}

static bool hot_statements_overlaps(const struct rfs_part *part, rfs_addr address, uint64_t size)
{
	return address - part->address < part->size || part->address - address < size;
}

static bool touches(const struct rfs_thread *thread, const struct rfs_place_range *place)
{
	for (unsigned k = 0; k < thread->access.n_parts; k++)
		if (hot_statements_overlaps(&thread->access.part[k], place->address, place->size))
			return true;
	return false;
}

static bool any_hot(const struct rfs_run *run)
{
	for (unsigned set = 0; set < RFS_STUB_HOT; set++)
		if (is_hot(run, &run->hot->counted[set]))
			return true;
	return false;
}

/*
 * Finds the memory that the spec names. It is searched at choices between several threads, and when a statement becomes
 * hot, because the run has the same ones of these with and without stubs. In between, stubs may not have told yet which
 * blocks were allocated.
 */
static void find_named(struct rfs_run *run)
{
	const struct rfs_run_spec *spec = run->spec;
	struct rfs_hot *hot = run->hot;

	if (hot->heap_changes == run->heap.changes && hot->n_threads == run->n_threads &&
	    hot->n_modules == run->n_modules)
		return;
	hot->heap_changes = run->heap.changes;
	hot->n_threads = run->n_threads;
	hot->n_modules = run->n_modules;
	hot->n_named = 0;
	for (size_t i = 0; i < spec->plan.n_addresses && hot->n_named < PLACES / 2; i++) {
		const rfs_addr address = rfs_find_address(run, &spec->plan.addresses[i]);

		if (address)
			hot->named[hot->n_named++] = (struct rfs_place_range){address, 1};
	}
}

/*
 * Whether the statement that the thread executes touches memory that a thread is about to access at the pair, or that
 * the spec names.
 */
static bool meets(const struct rfs_run *run, const struct rfs_thread *thread)
{
	for (size_t i = 0; i < run->hot->n_named; i++)
		if (touches(thread, &run->hot->named[i]))
			return true;
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];

		if (t != thread && t->state == RFS_STATE_PARKED && t->next.statements &&
		    touches(thread, &(struct rfs_place_range){t->next.object, t->next.size}))
			return true;
	}
	return false;
}

static void hot_statements_count(struct rfs_run *run, unsigned statements, uint64_t executions, uint64_t stops)
{
	for (int s = 0; s < 2; s++)
		if (statements & (1u << s)) {
			run->result->executed[s] += executions;
			run->result->stopped[s] += stops;
		}
}

/* Gives the site a stub, once. */
static void add_stub(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, unsigned set)
{
	struct rfs_hot *hot = run->hot;

	for (size_t i = 0; i < hot->n_sites; i++)
		if (hot->sites[i] == address)
			return;
	if (hot->n_sites == SITES)
		return;
	hot->sites[hot->n_sites++] = address;
	hot->has_stubs |= rfs_stubs_add_hot(run, thread, address, set);
}

bool rfs_hot_passes(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_site_hook *site)
{
	struct counted *counted;
	bool stops;

	if (!site->statements || site->always || site->spin || !is_limited(run) || (site->code && site->code->atomic))
		return false;
	if (!run->hot)
		run->hot = xcalloc(1, sizeof(*run->hot));
	counted = &run->hot->counted[site->statements - 1];
	stops = !is_hot(run, counted);
	if (!stops) {
		if (!counted->drawn)
			find_named(run);
		add_stub(run, thread, rfs_task_regs(thread->task)->rip, site->statements - 1);
		if (counted->by_address && meets(run, thread)) {
			counted->by_address--;
			stops = true;
		} else if (!counted->left) {
			hot_statements_draw(run, counted, site->statements - 1);
			stops = true;
		} else {
			counted->left--;
		}
	}
	counted->stops += stops;
	run->hot->trapped += !stops;
	hot_statements_count(run, site->statements, 1, stops);
	return !stops;
}

void rfs_hot_choice(struct rfs_run *run)
{
	if (run->hot && any_hot(run))
		find_named(run);
}

uint64_t rfs_hot_trapped(const struct rfs_run *run)
{
	return run->hot ? run->hot->trapped : 0;
}

void rfs_hot_exec(struct rfs_run *run)
{
	struct rfs_hot *hot = run->hot;

	if (!hot)
		return;
	hot->n_sites = hot->n_named = hot->n_told = 0;
	hot->has_stubs = false;
	hot->lent = NULL;
	hot->n_modules = SIZE_MAX; /* so the memory is searched again */
}

/* As stubs know the memory: in all processes at the same address. */
static struct rfs_place_range place_of(rfs_addr name, uint64_t size)
{
	return (struct rfs_place_range){rfs_memory_address(name), size};
}

void rfs_hot_lend(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_place_range told[PLACES];
	struct rfs_hot *hot = run->hot;
	size_t n;

	if (!hot || !hot->has_stubs)
		return;
	for (n = 0; n < hot->n_named; n++)
		told[n] = place_of(hot->named[n].address, hot->named[n].size);
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];

		if (t == thread || t->state != RFS_STATE_PARKED || !t->next.statements)
			continue;
		if (n == PLACES)
			return; /* then all executions stop */
		told[n++] = place_of(t->next.object, t->next.size);
	}
	if (n != hot->n_told || memcmp(told, hot->told, n * sizeof(*told)) != 0) {
		rfs_stub_buffer_places(rfs_task_space(thread->task), told, n);
		memcpy(hot->told, told, n * sizeof(*told));
		hot->n_told = n;
	}
	hot->lent = thread->task;
	for (unsigned set = 0; set < RFS_STUB_HOT; set++) {
		const struct counted *counted = &hot->counted[set];

		hot->given[set] = is_hot(run, counted) ? counted->left : 0;
		if (!rfs_stub_buffer_pass(thread->task, set, hot->given[set], n && counted->by_address))
			hot->given[set] = 0;
	}
}

void rfs_hot_taken(struct rfs_run *run, struct rfs_task *task)
{
	struct rfs_hot *hot = run->hot;

	if (!hot || hot->lent != task)
		return;
	hot->lent = NULL;
	for (unsigned set = 0; set < RFS_STUB_HOT; set++) {
		const uint64_t left = rfs_stub_buffer_passes(task, set);
		/* do not trust the number, because the target can write to its control block */
		const uint64_t passed = left <= hot->given[set] ? hot->given[set] - left : 0;

		hot->counted[set].left -= passed;
		hot_statements_count(run, set + 1, passed, 0);
	}
}

void rfs_hot_release(struct rfs_run *run)
{
	free(run->hot);
}
