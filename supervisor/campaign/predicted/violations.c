/* violations.c - the list of predicted violations, the specs of their runs, and the test of their failures. */
#include "supervisor/campaign/predicted/violations.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/ending.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/predicted/goes_along.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"
#include "supervisor/symbols/place.h"

/* The violations of a campaign together get about as many runs as this many pairs. */
#define SHARE 2
/* One of them gets at most this part of the runs of a pair. */
#define PART 4

/* The policy's options in runs 0, 4, 8, ...; in runs 1, 5, 9, ...; and so on. With `leads`, the remote thread
 * waits. */
struct kind {
	const char *options;
	bool leads;
};

static const struct kind *kinds_of(const struct rfs_violation *violation)
{
	static const struct kind atomicity[RFS_VIOLATION_KINDS] = {
		{"early=0", true}, {"early=1", true}, {"early=0,skips=1", false}, {"early=1,skips=1", false}};
	/* the thread may have another lock in its second section */
	static const struct kind both[RFS_VIOLATION_KINDS] = {{"early=1,all=1", true},
							      {"early=0", true},
							      {"early=1,skips=1", false},
							      {"early=1,skips=1,all=1", true}};
	static const struct kind order[RFS_VIOLATION_KINDS] = {
		{"skips=0", true}, {"skips=1", true}, {"skips=0", false}, {"skips=1", false}};
	/* both operations are on one object */
	static const struct kind life[RFS_VIOLATION_KINDS] = {
		{"same=1", true}, {"same=1,skips=1", true}, {"same=1", false}, {"same=1,skips=1", false}};

	/* another file may get the number only later */
	static const struct kind close_later[RFS_VIOLATION_KINDS] = {
		{"same=1", true}, {"same=1,late=1", true}, {"same=1,skips=1", true}, {"same=1,skips=1,late=1", false}};
	/* if one statement closes it twice, either thread may be the late one */
	static const struct kind close_again[RFS_VIOLATION_KINDS] = {
		{"same=1", false}, {"same=1", true}, {"same=1,skips=1", false}, {"same=1,skips=1", true}};
	static const struct kind locked_close[RFS_VIOLATION_KINDS] = {
		{"skips=0", true}, {"late=1", true}, {"skips=1", true}, {"skips=1,late=1", false}};

	switch (violation->pattern) {
	case RFS_ORDER_USE_DESTROY:
	case RFS_ORDER_CALL_FREE:
		return life;
	case RFS_ORDER_USE_EXIT:
		/* a thread that is postponed at a lock has no address yet */
		return violation->second.site.module ? order : life;
	case RFS_ORDER_USE_CLOSE:
		/* a thread that is postponed at a lock has no descriptor yet */
		if (violation->second.site.module)
			return locked_close;
		return rfs_place_is_same(&violation->first.site, &violation->remote.site) ? close_again : close_later;
	default:
		if (rfs_atomicity_is_double(violation->pattern))
			return both;
		return rfs_atomicity_is_order(violation->pattern) ? order : atomicity;
	}
}

static struct rfs_predicted_violation *violations_find(const struct rfs_violation_list *violations,
						       const struct rfs_violation *violation)
{
	for (size_t i = 0; i < violations->n; i++)
		if (rfs_violation_is_same(&violations->list[i]->violation, violation))
			return violations->list[i];
	return NULL;
}

/* Code that the target made at run time has no name that is the same in the next run. */
static bool violations_is_named(const struct rfs_violation *violation)
{
	return violation->first.site.module && violation->remote.site.module &&
	       (violation->also.site.module || !rfs_atomicity_is_double(violation->pattern)) &&
	       (violation->second.site.module || !violation->second.site.offset);
}

/* Fills what the spec has of an order violation. */
static void set_order(struct rfs_predicted_violation *added)
{
	const struct rfs_violation *v = &added->violation;

	added->order.descriptors = v->pattern == RFS_ORDER_USE_CLOSE;
	added->order.stacks = v->pattern == RFS_ORDER_USE_EXIT;
	if (v->second.site.module)
		added->order.held = (struct rfs_site_ref){v->second.site.module, v->second.site.offset};
	for (int i = 0; i < 2; i++) {
		if (!rfs_violation_is_call(v->pattern, i))
			continue;
		added->order.calls[i] = added->sites[i];
		added->pair.statement[i].n_sites = 0;
	}
}

static char *make_options(const struct rfs_violation *v, const struct kind *kind)
{
	char *remote =
		     kind->leads && v->remote.thread >= 0 ? xasprintf(",remote=%d", v->remote.thread + 1) : xstrdup(""),
	     *both = rfs_atomicity_is_double(v->pattern) ? xasprintf(",both=1,apart=%" PRIu64, v->apart) : xstrdup(""),
	     *options = xasprintf("%s%s%s", kind->options, remote, both);

	free(remote);
	free(both);
	return options;
}

/* The remote statement is at two places, which may be one. */
static void set_double(struct rfs_predicted_violation *added)
{
	const struct rfs_violation *v = &added->violation;

	added->sites[2] = (struct rfs_site_ref){v->also.site.module, v->also.site.offset};
	if (!rfs_place_is_same(&v->also.site, &v->remote.site))
		added->pair.statement[1].n_sites = 2;
}

void rfs_violation_list_add(struct rfs_violation_list *violations, struct rfs_violation *violation)
{
	struct rfs_predicted_violation *added = xcalloc(1, sizeof(*added));
	const struct rfs_violation *v = &added->violation;
	const struct kind *kinds = kinds_of(violation);

	added->violation = *violation;
	*violation = (struct rfs_violation){0};
	added->sites[0] = (struct rfs_site_ref){v->first.site.module, v->first.site.offset};
	added->sites[1] = (struct rfs_site_ref){v->remote.site.module, v->remote.site.offset};
	added->second = (struct rfs_site_ref){v->second.site.module, v->second.site.offset};
	for (int i = 0; i < 2; i++)
		added->pair.statement[i] = (struct rfs_statement){.sites = &added->sites[i], .n_sites = 1};
	for (int i = 0; i < RFS_VIOLATION_KINDS; i++)
		added->options[i] = make_options(v, &kinds[i]);
	if (rfs_atomicity_is_double(v->pattern))
		set_double(added);
	if (rfs_atomicity_is_order(v->pattern))
		set_order(added);
	violations->list = xreallocarray(violations->list, violations->n + 1, sizeof(*violations->list));
	violations->list[violations->n++] = added;
}

static size_t count_alike(const struct rfs_violation_list *violations, const struct rfs_violation *violation)
{
	const bool order = rfs_atomicity_is_order(violation->pattern);
	size_t n = 0;

	for (size_t i = 0; i < violations->n; i++)
		n += rfs_atomicity_is_order(violations->list[i]->violation.pattern) == order;
	return n;
}

void rfs_violation_list_join(struct rfs_violation_list *violations, struct rfs_run_result *result)
{
	violations->cut |= result->violations_cut;
	for (size_t i = 0; i < result->violations.n; i++) {
		struct rfs_violation *violation = &result->violations.list[i];

		if (!violations_is_named(violation) || violations_find(violations, violation))
			continue;
		if (count_alike(violations, violation) == RFS_VIOLATIONS_MAX) {
			violations->cut = true;
			continue;
		}
		rfs_violation_list_add(violations, violation);
	}
}

static int violations_compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int violations_compare_places(const struct rfs_place *a, const struct rfs_place *b)
{
	const int order = strcmp(a->module ? a->module : "", b->module ? b->module : "");

	return order ? order : violations_compare_numbers(a->offset, b->offset);
}

static int violations_compare_predicted(const void *a, const void *b)
{
	const struct rfs_predicted_violation *const *p = a, *const *q = b;
	const struct rfs_violation *x = &(*p)->violation, *y = &(*q)->violation;
	int order = violations_compare_numbers(x->rank, y->rank);

	if (!order)
		order = violations_compare_numbers(x->distance, y->distance);
	if (!order)
		order = violations_compare_places(&x->first.site, &y->first.site);
	if (!order)
		order = violations_compare_places(&x->remote.site, &y->remote.site);
	if (!order)
		order = violations_compare_places(&x->second.site, &y->second.site);
	if (!order)
		order = violations_compare_places(&x->also.site, &y->also.site);
	return order ? order : violations_compare_numbers(x->apart, y->apart);
}

void rfs_violation_list_settle(struct rfs_violation_list *violations)
{
	if (violations->n > violations->n_settled)
		qsort(violations->list + violations->n_settled, violations->n - violations->n_settled,
		      sizeof(*violations->list), violations_compare_predicted);
	for (; violations->n_settled < violations->n; violations->n_settled++) {
		struct rfs_predicted_violation *settled = violations->list[violations->n_settled];
		const bool order = rfs_atomicity_is_order(settled->violation.pattern);

		settled->label = xasprintf("%s-%zu", order ? "order" : "atomicity", ++violations->n_labels[order]);
	}
}

bool rfs_violation_is_order(const struct rfs_predicted_violation *violation)
{
	return rfs_atomicity_is_order(violation->violation.pattern);
}

bool rfs_violation_is_open(const struct rfs_predicted_violation *violation)
{
	return (!violation->has_failed || violation->fails_plainly) && !violation->suppressed;
}

uint64_t rfs_violation_planned(const struct rfs_violation_list *violations,
			       const struct rfs_predicted_violation *violation, uint64_t runs)
{
	const size_t n = violations->n_labels[rfs_atomicity_is_order(violation->violation.pattern)];
	const uint64_t most = runs / PART + 1, share = n ? SHARE * runs / n : most, least = RFS_VIOLATION_KINDS;

	if (share >= most)
		return most < runs ? most : runs;
	return share > least ? share : least < runs ? least : runs;
}

/* As rfs_pair_object_kinds(): what system calls of the violation meet at. */
static unsigned violations_object_kinds(const struct rfs_violation *v)
{
	return v->data.kind == RFS_MEMORY_KERNEL ? 1u << v->data.offset : 0;
}

void rfs_violation_make(const struct rfs_campaign *c, const struct rfs_predicted_violation *violation, uint64_t i,
			struct rfs_execution *out)
{
	const bool order = rfs_atomicity_is_order(violation->violation.pattern);

	rfs_campaign_execution(c, violation->label, i, rfs_policy_find(order ? "order" : "atomicity"), RFS_POINTS_SYNC,
			       out);
	out->spec.policy_options = violation->options[i % RFS_VIOLATION_KINDS];
	out->spec.plan.pair = &violation->pair;
	out->spec.plan.order = order ? &violation->order : NULL;
	out->spec.sites.object_kinds = violations_object_kinds(&violation->violation);
	if (out->spec.sites.object_kinds && !order) {
		/* the thread can be postponed before its second call only if it parks there */
		out->spec.sites.visible = &violation->second;
		out->spec.sites.n_visible = 1;
	}
}

/* Whether the policy has counted a violation; with `serial`: whether it has avoided one. */
static bool was_created(const struct rfs_run_result *result)
{
	return rfs_run_stats_value(&result->policy_stats, "violations") > 0;
}

bool rfs_violation_done(struct rfs_campaign *c, struct rfs_predicted_violation *violation, uint64_t i,
			const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct rfs_signature signature;
	/* as for pairs, a failure that every baseline run shows counts too */
	const bool failed = rfs_run_failed(result, &signature), created = was_created(result);
	const bool counts = rfs_campaign_failed(c, result);
	const size_t known = c->findings->n;
	bool saved;

	rfs_campaign_note(c, execution, result);
	rfs_note("run %s: %s%s", execution->name, rfs_run_end_name(result->end),
		 created ? ", the predicted violation" : "");
	violation->timeouts += result->end == RFS_END_TIMEOUT;
	violation->runs += rfs_run_conclusive(result);
	violation->created += created;
	violation->failed += created && failed;
	if (created && failed && (!violation->has_failed || (violation->fails_plainly && counts))) {
		violation->fails_plainly = !counts;
		violation->tested = false;
		violation->has_failed = rfs_run_failed(result, &violation->signature);
		violation->failure = i;
		violation->finding = rfs_finding_number(c, result);
	}
	saved = rfs_finding_note(c, "confirm", execution, result);
	violation->arm.news += c->findings->n > known || (created && violation->created == 1);
	rfs_campaign_progress(c, counts);
	return saved;
}

/* ---- the test of a failure ---- */

struct test {
	struct rfs_campaign *c;
	struct rfs_predicted_violation *violation;
};

static char *test_make(void *arg, const struct rfs_harm_run *run, struct rfs_execution *out)
{
	const struct test *test = arg;
	const char *before = test->violation->options[test->violation->failure % RFS_VIOLATION_KINDS];
	char *options;

	rfs_violation_make(test->c, test->violation, test->violation->failure, out);
	options = xasprintf("%s,continue=%u%s", before, run->continuation, run->other ? ",serial=1" : "");
	out->spec.policy_options = options;
	return options;
}

static bool test_counts(void *arg, const struct rfs_harm_run *run, const struct rfs_run_result *result)
{
	const struct test *test = arg;

	if (!run->other)
		rfs_goes_along_look(test->c, test->violation, result);
	return was_created(result);
}

/*
 * Makes the run that failed once more, with the stacks of the two threads. With an order violation the program may fail
 * before the first operation, so there the run is one without the violation.
 */
static void violations_look(struct rfs_campaign *c, struct rfs_predicted_violation *violation)
{
	const bool order = rfs_atomicity_is_order(violation->violation.pattern);
	struct rfs_execution execution = {0};
	struct rfs_run_result result;
	bool made;
	char *options;

	rfs_violation_make(c, violation, violation->failure, &execution);
	snprintf(execution.name, sizeof(execution.name), "%.50s-stood", violation->label);
	execution.spec.wanted.stood = true;
	execution.spec.wanted.stood_thread = (unsigned)violation->violation.first.thread + 1;
	execution.spec.wanted.orders = true; /* so that it knows the blocks of the heap */
	execution.spec.wanted.block_stacks = true;
	execution.spec.policy_options = options =
		xasprintf("%s%s", execution.spec.policy_options, order ? ",serial=1" : "");
	made = rfs_campaign_one(c, &execution, false, &result);
	free(options);
	if (!made)
		return;
	if (result.stood[0].site.module && result.stood[1].site.module)
		for (int k = 0; k < 2; k++) {
			violation->stood[k] = result.stood[k];
			result.stood[k] = (struct rfs_evidence){0};
		}
	rfs_run_result_release(&result);
}

void rfs_violation_test(struct rfs_campaign *c, struct rfs_predicted_violation *violation)
{
	struct test test = {c, violation};
	const struct rfs_harm_case failure = {
		.races = 1,
		.name = violation->label,
		.signature = violation->signature,
		.slow = violation->signature.kind == RFS_FAILURE_HANG,
		.make = test_make,
		.counts = test_counts,
		.arg = &test,
	};

	if (!violation->has_failed || violation->tested || c->enough)
		return;
	violation->tested = true;
	rfs_harm_test(c, &failure, &violation->harm);
}

void rfs_violations_test(struct rfs_campaign *c)
{
	for (size_t i = 0; i < c->violations->n; i++)
		rfs_violation_test(c, c->violations->list[i]);
}

bool rfs_violation_is_harmful(const struct rfs_predicted_violation *violation)
{
	return rfs_harm_shown(&violation->harm) && violation->harm.failed[0] > violation->harm.failed[1];
}

void rfs_violations_look(struct rfs_campaign *c)
{
	for (size_t i = 0; i < c->violations->n; i++) {
		struct rfs_predicted_violation *violation = c->violations->list[i];

		if (rfs_violation_is_harmful(violation) && violation->violation.first.thread >= 0 &&
		    !violation->stood[0].site.module && !rfs_ending_over(c))
			violations_look(c, violation);
	}
}

void rfs_violation_list_release(struct rfs_violation_list *violations)
{
	for (size_t i = 0; i < violations->n; i++) {
		struct rfs_predicted_violation *violation = violations->list[i];

		rfs_violation_release(&violation->violation);
		rfs_evidence_release(&violation->stood[0]);
		rfs_evidence_release(&violation->stood[1]);
		for (int k = 0; k < RFS_VIOLATION_KINDS; k++)
			free(violation->options[k]);
		free(violation->label);
		free(violation);
	}
	free(violations->list);
	*violations = (struct rfs_violation_list){0};
}
