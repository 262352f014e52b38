/* faults.c - counts the uses of each place, and draws the plan. The callers carry a fault out. */
#include "supervisor/state/operations/faults.h"

#include <stdlib.h>
#include <string.h>

#include "disasm/elf/elf.h"
#include "policy/core/op.h"
#include "policy/core/rng.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stable_names.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/evidence.h"

/* More uses of a place would add operations without end to loops. */
#define FAULT_USES 8
/* The most faults of a run; after each, there is another one with probability 1/4. */
#define FAULTS_MAX 3
/* If nobody has counted the places: the last one that can have the first fault is 2^PLACES_LOG. */
#define PLACES_LOG 10
/* Frames that are searched for the caller of the C++ library. */
#define FRAMES 8

/* A place where calls may fail. */
struct point {
	enum rfs_fault fault;
	rfs_site site;
	unsigned uses;
};

/* The last operation of a thread that may have a fault. */
struct offer {
	rfs_site site; /* where the call comes from */
	bool planned;
};

/* The draws, in this order: the first place, its use; then after each fault whether there is another one, and if so its
 * place and its use. */
struct rfs_faults {
	struct offer *offers; /* by number of the thread */
	size_t n_offers;
	struct rfs_rng rng;
	struct point *points; /* in the order of their first use */
	size_t n;
	size_t place; /* of the next fault: index in points */
	unsigned use; /* and which use of it, from 1 */
	unsigned taken;
	bool over; /* no more faults are planned */
};

bool rfs_faults_possible(const struct rfs_run *run, enum rfs_fault fault)
{
	const struct rfs_run_spec *spec = run->spec;

	return (spec->faults >> fault & 1) && !spec->detector && !spec->plan.pair && !spec->plan.cycle;
}

/* ---- the plan ---- */

/* A place from 0: all those that an earlier run has seen are equally likely; or by 1/n. */
static size_t draw_place(struct rfs_faults *faults, uint64_t known)
{
	uint64_t octave;

	if (known && rfs_rng_chance(&faults->rng, 7, 8))
		return (size_t)rfs_rng_below(&faults->rng, known);
	octave = rfs_rng_below(&faults->rng, rfs_rng_below(&faults->rng, PLACES_LOG) + 1);
	return (size_t)((UINT64_C(1) << octave) - 1 + rfs_rng_below(&faults->rng, UINT64_C(1) << octave));
}

static void faults_plan_next(struct rfs_faults *faults, uint64_t known)
{
	faults->place = draw_place(faults, known);
	faults->use = 1;
	while (faults->use < FAULT_USES && rfs_rng_chance(&faults->rng, 1, 4))
		faults->use++;
}

/*
 * The stream of the seed: policies have none of these, so faults do not change their draws. Campaigns give all samplers
 * the same seeds, so it depends on the name of the policy.
 */
static uint64_t stream_of(const char *policy)
{
	uint64_t stream = 0xfa0175;

	for (; *policy; policy++)
		stream = stream * 0x100000001b3 ^ (unsigned char)*policy;
	return stream;
}

static struct rfs_faults *faults_of(struct rfs_run *run)
{
	if (run->faults)
		return run->faults;
	run->faults = xcalloc(1, sizeof(*run->faults));
	rfs_rng_init_stream(&run->faults->rng, run->spec->seed, stream_of(run->spec->policy->name));
	faults_plan_next(run->faults, run->spec->fault_points);
	return run->faults;
}

/* Whether this use of the place has the next fault. A fault whose place has passed when it is planned never comes. */
static bool is_planned(struct rfs_faults *faults, size_t place, uint64_t known)
{
	if (faults->over || place != faults->place || faults->points[place].uses != faults->use)
		return false;
	if (++faults->taken == FAULTS_MAX || !rfs_rng_chance(&faults->rng, 1, 4))
		faults->over = true;
	else
		faults_plan_next(faults, known);
	return true;
}

/* ---- where ---- */

/*
 * Whether a call of this module counts as its caller's. A system call is in a function of the C library, which the
 * program must have called directly, except for sleep(3) and its kin. The C++ library waits for its caller, which must
 * expect a spurious wake-up. If it gets no memory or no thread, it throws an exception, and that is another matter.
 */
static bool passes_on(const struct rfs_module_info *info, enum rfs_fault fault, size_t frame)
{
	if (!info || info->watched)
		return false;
	if (rfs_is_cxx_library(info))
		return fault == RFS_FAULT_WAKEUP || fault == RFS_FAULT_LATE;
	return info->libc &&
	       (fault == RFS_FAULT_LATE || ((fault == RFS_FAULT_EINTR || fault == RFS_FAULT_SHORT) && frame == 0));
}

/* The place of the call in the program's code; 0: it has none, or is not watched. */
static rfs_site calls_from(struct rfs_run *run, const struct rfs_thread *thread, enum rfs_fault fault, rfs_addr back)
{
	const struct rfs_module_info *info = rfs_info_at(run, back);
	rfs_addr frames[FRAMES];
	size_t n = 0, i = 0;

	if (passes_on(info, fault, 0))
		n = rfs_thread_stack(thread, frames, FRAMES);
	while (n && frames[0] != back && i + 1 < n && frames[i] != back)
		i++; /* the thread is at the entry of a function that returns to `back` */
	for (size_t frame = 0; i + 1 < n && passes_on(info, fault, frame); frame++) {
		back = frames[++i];
		info = rfs_info_at(run, back);
	}
	return info && info->watched ? rfs_site_of(run, back) : 0;
}

static size_t point_at(struct rfs_run *run, enum rfs_fault fault, rfs_site site)
{
	struct rfs_faults *faults = faults_of(run);
	size_t i = 0;

	while (i < faults->n && (faults->points[i].site != site || faults->points[i].fault != fault))
		i++;
	if (i == faults->n) {
		faults->points = xreallocarray(faults->points, i + 1, sizeof(*faults->points));
		faults->points[faults->n++] = (struct point){fault, site, 0};
		run->result->counts.fault_points++;
	}
	return i;
}

static struct offer *offer_to(struct rfs_faults *faults, const struct rfs_thread *thread)
{
	const size_t n = (size_t)thread->number + 1;

	if (faults->n_offers < n) {
		faults->offers = xreallocarray(faults->offers, n, sizeof(*faults->offers));
		memset(faults->offers + faults->n_offers, 0, (n - faults->n_offers) * sizeof(*faults->offers));
		faults->n_offers = n;
	}
	return &faults->offers[thread->number];
}

/* The place of this fault for the call, if it may have one more; false: it cannot. */
static bool find_place(struct rfs_run *run, const struct rfs_thread *thread, enum rfs_fault fault, rfs_addr back,
		       size_t *place)
{
	rfs_site site;

	if (!run->main_reached || !rfs_faults_possible(run, fault))
		return false;
	site = calls_from(run, thread, fault, back);
	if (!site)
		return false;
	*place = point_at(run, fault, site);
	return run->faults->points[*place].uses < FAULT_USES;
}

unsigned rfs_fault_offer_any(struct rfs_run *run, struct rfs_thread *thread, unsigned set, rfs_addr back)
{
	struct point *point;
	size_t place, best = SIZE_MAX;

	for (enum rfs_fault fault = 0; fault < RFS_FAULTS; fault++)
		if ((set >> fault & 1) && find_place(run, thread, fault, back, &place) &&
		    (best == SIZE_MAX || run->faults->points[place].uses < run->faults->points[best].uses))
			best = place;
	if (best == SIZE_MAX)
		return 0;
	point = &run->faults->points[best];
	point->uses++;
	*offer_to(run->faults, thread) =
		(struct offer){point->site, is_planned(run->faults, best, run->spec->fault_points)};
	return RFS_FAULT_IN_OP(point->fault);
}

unsigned rfs_fault_offer(struct rfs_run *run, struct rfs_thread *thread, enum rfs_fault fault, rfs_addr back)
{
	return rfs_fault_offer_any(run, thread, 1u << fault, back);
}

/* ---- the choice ---- */

bool rfs_fault_can_happen(const struct rfs_thread *thread)
{
	enum rfs_fault unused;

	return thread->state == RFS_STATE_PARKED && !rfs_op_is_access(thread->next.kind) &&
	       rfs_fault_of(thread->next.access, &unused);
}

void rfs_fault_decide(struct rfs_run *run, struct rfs_choice *choice)
{
	const struct rfs_thread *thread = run->threads[choice->thread];

	if (!(thread->flags & RFS_THREAD_CAN_FAIL) || (run->spec->policy->flags & RFS_POLICY_CHOOSES_FAULTS))
		return;
	if (offer_to(run->faults, thread)->planned && choice->outcome == RFS_OUTCOME_DONE)
		choice->outcome = RFS_OUTCOME_FAULT;
}

void rfs_fault_happened(struct rfs_run *run, const struct rfs_thread *thread, const char *call, const char *effect)
{
	struct rfs_run_result *result = run->result;
	struct rfs_fault_taken *taken;
	enum rfs_fault fault;

	if (!rfs_fault_of(thread->next.access, &fault))
		return;
	result->faults = xreallocarray(result->faults, result->n_faults + 1, sizeof(*result->faults));
	taken = &result->faults[result->n_faults++];
	*taken = (struct rfs_fault_taken){
		.fault = fault, .thread = thread->number, .call = xstrdup(call), .effect = xstrdup(effect)};
	rfs_place_of(run, rfs_site_address(run, offer_to(run->faults, thread)->site), &taken->place);
}

/* Whether the innermost frame outside the C library is the program's, and has called abort(). */
static bool calls_abort(const struct rfs_run *run, const struct rfs_thread *thread)
{
	const struct rfs_module_info *info = NULL, *inner = NULL;
	rfs_addr frames[FRAMES], abort = 0;
	const size_t n = rfs_thread_stack(thread, frames, FRAMES);
	uint64_t size = 0;
	size_t i = 0;

	while (i < n && (info = rfs_info_at(run, frames[i])) && info->libc && !info->watched) {
		inner = info;
		i++;
	}
	return i < n && inner && info && info->watched && rfs_elf_symbol(inner->elf, "abort", &abort, &size) &&
	       frames[i - 1] - inner->bias - abort <= size;
}

void rfs_fault_aborts(struct rfs_run *run, const struct rfs_thread *thread)
{
	struct rfs_run_result *result = run->result;

	result->gave_up =
		rfs_faults_excuse_exit(result->faults, result->n_faults, thread->number) && calls_abort(run, thread);
}

void rfs_faults_release(struct rfs_run *run)
{
	if (!run->faults)
		return;
	free(run->faults->points);
	free(run->faults->offers);
	free(run->faults);
}
