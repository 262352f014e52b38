/* predict.c - makes the predicting runs, and joins what they predict. Nothing is confirmed here. */
#include "supervisor/campaign/phases/predict.h"

#include <stdlib.h>

#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/siteset.h"
#include "supervisor/campaign/decisions/arm.h"
#include "supervisor/campaign/decisions/window.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/executions/progress.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/predicted/cycles.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/campaign/predicted/pairs_txt.h"
#include "supervisor/campaign/predicted/violations.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/run_spec.h"

/*
 * The policies of the first runs; later runs have the last one. Under rff, threads take turns, and its second run
 * already tries what the first one did not have. sweep continues from the measured run, in which the oldest thread went
 * first, and now tries that run with one preemption. If it cannot continue, its run is unlike a run on a real machine,
 * so it often fails at once: the newest thread goes first. The samplers of phase explore with these policies continue
 * from these runs.
 */
static const struct kind {
	const char *policy, *options;
} kinds[RFS_PREDICT_KINDS] = {
	{"rff", NULL},
	{"sweep", "base=2"},
	{"rff", NULL},
	{"random", NULL},
};

/*
 * If a run has many operations, all predicting runs have policy random. A drawn thread then stays for several
 * operations, which leaves a thousand to ten thousand draws. What is predicted hardly depends on more switches than
 * that, but each switch costs stops, while most calls of locks within a stay cost none.
 */
static const struct {
	uint64_t operations;
	const char *options;
} stays[] = {{1000000, "stay=1000"}, {100000, "stay=100"}, {10000, "stay=10"}};

struct prediction {
	struct rfs_campaign *c;
	double deadline;		  /* of all runs together; 0: none */
	uint64_t first;			  /* number of the batch's first run */
	const struct rfs_site_set *sites; /* switch points; NULL: no pair is known yet */
	uint64_t
		seen; /* after how many operations the first run was cut; 0: it was not. Then later ones have windows */
};

bool rfs_predict_was_cut(const struct rfs_campaign *c)
{
	const struct rfs_phase *phase = &c->phases->list[0];

	return phase->cut > 0 || (c->options->budget > 0 && phase->runs < phase->planned);
}

/* Under a budget, each run gets its part of the time that is left. A run that needs more is cut, and what it saw until
 * then is used. */
static void limit_run(const struct prediction *prediction, uint64_t i)
{
	struct rfs_campaign *c = prediction->c;

	if (prediction->deadline > 0)
		c->run_seconds = rfs_budget_predicting_run(prediction->deadline - rfs_clock(),
							   c->options->predict_runs - i - 1, c->slow);
}

const struct rfs_policy_ops *rfs_predict_policy(uint64_t measured, uint64_t number, const char **options)
{
	const struct kind *kind = &kinds[number < RFS_PREDICT_KINDS ? number : RFS_PREDICT_KINDS - 1];

	for (size_t i = 0; i < sizeof(stays) / sizeof(*stays); i++)
		if (measured >= stays[i].operations) {
			*options = stays[i].options;
			return rfs_policy_find("random");
		}
	*options = kind->options;
	return rfs_policy_find(kind->policy);
}

struct rfs_blob *rfs_predict_saved(struct rfs_campaign *c, const struct rfs_policy_ops *policy)
{
	for (size_t i = 0; i < RFS_PREDICT_KINDS; i++)
		if (policy == rfs_policy_find(kinds[i].policy))
			return &c->predict_saved[i];
	return NULL;
}

void rfs_predict_keep(struct rfs_campaign *c, const struct rfs_policy_ops *policy, struct rfs_blob blob)
{
	struct rfs_blob *saved = rfs_predict_saved(c, policy);

	free(saved->data);
	*saved = blob;
}

static void predict_make(void *arg, uint64_t i, struct rfs_execution *out)
{
	const struct prediction *prediction = arg;
	const struct rfs_site_set *sites = prediction->sites;
	uint64_t number = prediction->first + i;
	const char *policy_options;
	const struct rfs_policy_ops *policy = rfs_predict_policy(prediction->c->measured, number, &policy_options);
	const struct rfs_blob *saved;

	limit_run(prediction, number);
	rfs_campaign_execution(prediction->c, "predict", number, policy, sites ? RFS_POINTS_RACES : RFS_POINTS_SYNC,
			       out);
	out->spec.policy_options = policy_options;
	saved = rfs_predict_saved(prediction->c, policy);
	if (saved->data)
		out->spec.policy_blob = saved;
	out->spec.detector = rfs_campaign_detector(prediction->c);
	out->spec.predicts_violations = prediction->c->options->mode != RFS_MODE_SAMPLE;
	if (prediction->seen)
		out->spec.window = rfs_decide_window(out->spec.seed, prediction->seen, prediction->c->measured,
						     number + 1 == prediction->c->options->predict_runs);
	if (sites) {
		out->spec.sites.visible = sites->sites;
		out->spec.sites.n_visible = sites->n;
		out->spec.sites.object_kinds = rfs_pair_list_object_kinds(prediction->c->pairs, sites);
		/* the limit comes from a run that did not stop at these statements; the limit of CPU time is enough */
		out->spec.limits.steps = 0;
	}
}

static bool predict_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct prediction *prediction = arg;
	struct rfs_campaign *c = prediction->c;
	const struct rfs_blob new = result->blob;
	bool kept;

	(void)i;
	result->blob = (struct rfs_blob){0};
	rfs_campaign_note(c, execution, result);
	if (execution->spec.window.until && c->windows->n++ < RFS_REPORT_PARTS)
		c->windows->list[c->windows->n - 1] = execution->spec.window;
	if (c->options->budget > 0 && result->end == RFS_END_TIMEOUT && !prediction->first)
		prediction->seen = result->counts.steps;
	c->placed.runs += execution->spec.sites.n_visible > 0;
	c->placed.steps += execution->spec.sites.n_visible ? result->counts.steps : 0;
	rfs_pair_list_join(c->pairs, c->symbols, result);
	rfs_cycle_list_join(c->cycles, result);
	rfs_violation_list_join(c->violations, result);
	rfs_campaign_progress(c, rfs_campaign_failed(c, result));
	/* this copies the blob that the execution started from */
	kept = rfs_finding_note(c, "predict", execution, result);
	if (new.data)
		rfs_predict_keep(c, execution->spec.policy, new);
	return kept;
}

static void predict_batch(struct prediction *prediction, uint64_t n)
{
	struct rfs_campaign *c = prediction->c;
	struct rfs_batch batch = {.n = n, .make = predict_make, .done = predict_done, .arg = prediction};

	if (!n)
		return;
	/* the runs end by themselves at their limits; this is for one that does not answer in time */
	if (prediction->deadline > 0)
		batch.deadline = prediction->deadline + rfs_budget_run(c->options->budget, false);
	rfs_campaign_batch(c, &batch);
	prediction->first += n;
}

/* sweep remembers places by their number in a run. So it begins anew if later runs stop at other places: at the
 * statements of new pairs, or in libraries that runs so far did not watch, or the reverse. */
static void forget_places(struct rfs_campaign *c)
{
	rfs_predict_keep(c, rfs_policy_find("sweep"), (struct rfs_blob){0});
}

void rfs_predict(struct rfs_campaign *c)
{
	struct prediction prediction = {.c = c};
	uint64_t n = c->options->predict_runs;
	size_t n_sites;

	if (c->options->budget > 0)
		prediction.deadline = rfs_clock() + rfs_budget_predict(c->options->budget);
	rfs_campaign_phase(c, "predict", n);
	rfs_progress_phase(c->progress, "predict", n);
	/* the other runs also switch threads at the pairs that the first one has predicted */
	predict_batch(&prediction, n > 1 ? 1 : n);
	rfs_pair_list_settle(c->pairs);
	if (c->pairs->n)
		prediction.sites = rfs_pair_list_sites(c->pairs);
	/* the window is a part of the measured run, which has no stops at statements */
	if (prediction.seen)
		prediction.sites = NULL;
	/* a short run has time for the program's own code only; runs of phase explore watch the libraries again */
	c->program_only = c->phases->list[0].cut > 0;
	n_sites = rfs_pair_list_sites(c->pairs)->n;
	if (n_sites > 0 || c->program_only)
		forget_places(c);
	predict_batch(&prediction, n - prediction.first);
	c->run_seconds = 0;
	rfs_pair_list_settle(c->pairs);
	if (rfs_pair_list_sites(c->pairs)->n > n_sites || c->program_only)
		forget_places(c);
	c->program_only = false;
	rfs_cycle_list_settle(c->cycles);
	rfs_violation_list_settle(c->violations);
	c->n_predicted = c->pairs->n;
	/* if no run could be started, the campaign removes the output folder, which must be empty for that */
	if (c->end != RFS_POOL_FAILED || c->pairs->n)
		rfs_pairs_txt_save(c);
	/* under a budget, replays wait until all phases had their share */
	if (c->options->budget <= 0)
		rfs_findings_replay(c);
}
