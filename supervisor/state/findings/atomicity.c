/* atomicity.c - starts the prediction, and names the sites of what it found. policy/detect/ predicts. */
#include "supervisor/state/findings/atomicity.h"

#include "policy/detect/atomicity.h"
#include "policy/policy.h"
#include "policy/shadow/shadow.h"
#include "supervisor/base/alloc.h"
#include "supervisor/model/word_lock.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/record/violation.h"
#include "supervisor/state/core/kernel_objects.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stream.h"
#include "supervisor/state/findings/evidence.h"
#include "supervisor/state/findings/unsafe_calls.h"

void rfs_atomicity_open(struct rfs_run *run)
{
	if (!run->stream || !run->spec->predicts_violations || run->spec->detector_blob)
		return;
	run->atomicity = rfs_atomicity_new();
	rfs_stream_predict(run->stream, run->atomicity);
}

void rfs_atomicity_close(struct rfs_run *run)
{
	if (run->atomicity)
		rfs_atomicity_free(run->atomicity);
	run->atomicity = NULL;
}

static void atomicity_describe(const struct rfs_run *run, const struct rfs_atomicity_access *access,
			       struct rfs_violation_access *out)
{
	*out = (struct rfs_violation_access){.thread = access->thread, .access = access->access};
	if (access->site)
		rfs_place_of(run, rfs_site_address(run, access->site), &out->site);
}

/* Whether the distance between the two is the same in all runs. */
static bool stay_apart(const struct rfs_object *a, const struct rfs_object *b)
{
	if (a->kind == RFS_MEMORY_HEAP && b->kind == RFS_MEMORY_HEAP)
		return a->address - a->offset == b->address - b->offset;
	return a->kind == RFS_MEMORY_STATIC && b->kind == RFS_MEMORY_STATIC;
}

static void atomicity_take_other(struct rfs_run *run, const struct rfs_atomicity_violation *violation,
				 struct rfs_violation *out)
{
	atomicity_describe(run, &violation->also, &out->also);
	rfs_describe(run, violation->beside, &out->beside);
	if (stay_apart(&out->data, &out->beside))
		out->apart = violation->beside - violation->address;
}

static void atomicity_take(void *arg, const struct rfs_atomicity_violation *violation)
{
	struct rfs_run *run = arg;
	struct rfs_violations *violations = &run->result->violations;
	struct rfs_violation *out;
	const bool is_descriptor = violation->pattern == RFS_ORDER_USE_CLOSE,
		   is_stack = violation->pattern == RFS_ORDER_USE_EXIT;

	if (rfs_is_library_data(run, violation->address))
		return;
	/* the first call on a file does not initialise it */
	if (!is_descriptor && rfs_atomicity_is_order(violation->pattern) && rfs_is_kernel_object(violation->address))
		return;
	/* a lock is read and released with plain moves too */
	if (!is_descriptor && !is_stack &&
	    (rfs_word_was_lock(run->word_locks, violation->address) ||
	     rfs_word_was_lock(run->word_locks, violation->address >> RFS_GRANULE_SHIFT << RFS_GRANULE_SHIFT)))
		return;
	violations->list = xreallocarray(violations->list, violations->n + 1, sizeof(*violations->list));
	out = &violations->list[violations->n++];
	*out = (struct rfs_violation){
		.pattern = violation->pattern,
		.locked = violation->lock != 0,
		.rank = violation->rank,
		.distance = violation->distance,
	};
	atomicity_describe(run, &violation->first, &out->first);
	atomicity_describe(run, &violation->remote, &out->remote);
	atomicity_describe(run, &violation->second, &out->second);
	if (is_descriptor)
		out->data =
			(struct rfs_object){.kind = RFS_MEMORY_DESCRIPTOR, .offset = violation->address, .thread = -1};
	else if (is_stack)
		out->data = (struct rfs_object){
			.kind = RFS_MEMORY_STACK, .address = violation->address, .thread = violation->remote.thread};
	else
		rfs_describe(run, violation->address, &out->data);
	if (rfs_atomicity_is_double(violation->pattern))
		atomicity_take_other(run, violation, out);
	if (violation->lock)
		rfs_describe_lock(run, violation->lock, &out->lock);
}

void rfs_atomicity_predicted(struct rfs_run *run)
{
	if (run->atomicity)
		run->result->violations_cut = !rfs_atomicity_report(run->atomicity, atomicity_take, run);
}
