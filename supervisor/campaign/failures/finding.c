/* finding.c - finds the finding of a result by its key, or adds one. saved_run.c keeps its runs. */
#include "supervisor/campaign/failures/finding.h"

#include <stdlib.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/campaign/decisions/baseline.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/failures/failure_key.h"
#include "supervisor/campaign/failures/saved_run.h"
#include "supervisor/campaign/settings/samplers.h"
#include "supervisor/record/run_result.h"
#include "supervisor/report/data/report.h"
#include "supervisor/symbols/source_place.h"
#include "supervisor/symbols/symbolize.h"

/* The finding of failures with this key; NULL: there is none yet. */
static struct rfs_finding *finding_find(struct rfs_campaign *c, const struct rfs_failure_key *key)
{
	struct rfs_finding *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < c->findings->n; i++) {
		struct rfs_finding *finding = &c->findings->list[i];

		if (!rfs_failure_key_at(&finding->key, key))
			continue;
		if (rfs_failure_key_equal(&finding->key, key))
			return finding;
		first = first ? first : finding;
		n++;
	}
	return n < RFS_MESSAGES_MAX ? NULL : first;
}

/*
 * The finding of failures with this key, which it takes. If there is no such finding, makes one and sets *is_new; the
 * caller must then set the member `first`.
 */
static struct rfs_finding *finding_enter(struct rfs_campaign *c, const char *phase,
					 const struct rfs_execution *execution, struct rfs_failure_key *key,
					 bool *is_new)
{
	struct rfs_finding *finding = finding_find(c, key);

	*is_new = !finding;
	if (finding) {
		rfs_failure_key_release(key);
		return finding;
	}
	c->findings->list = xreallocarray(c->findings->list, c->findings->n + 1, sizeof(*c->findings->list));
	finding = &c->findings->list[c->findings->n++];
	*finding = (struct rfs_finding){
		.key = *key,
		.phase = phase,
		.policy = execution->spec.policy ? execution->spec.policy->name : RFS_NATIVE,
		.plain = rfs_baseline_always(c->baseline, &key->signature),
	};
	return finding;
}

bool rfs_finding_has(struct rfs_campaign *c, const struct rfs_finding *finding, const struct rfs_run_result *result)
{
	struct rfs_failure_key key;
	bool has;

	if (!rfs_failure_key_init(c, result, &key))
		return false;
	has = finding_find(c, &key) == finding;
	rfs_failure_key_release(&key);
	return has;
}

size_t rfs_finding_number(struct rfs_campaign *c, const struct rfs_run_result *result)
{
	struct rfs_failure_key key;
	const struct rfs_finding *finding;

	if (!rfs_failure_key_init(c, result, &key))
		return 0;
	finding = finding_find(c, &key);
	rfs_failure_key_release(&key);
	return finding ? (size_t)(finding - c->findings->list) + 1 : c->findings->n + 1;
}

/* An uncontrolled run cannot be replayed. */
static bool wants_spare(const struct rfs_finding *finding)
{
	return !finding->plain && !finding->borrowed && finding->first->execution.spec.policy &&
	       (finding->first->replayed == RFS_REPLAY_NOT_YET || finding->first->replayed == RFS_REPLAY_DIFFERENT) &&
	       finding->spare.n < RFS_SPARE_RUNS;
}

bool rfs_finding_keeps(struct rfs_campaign *c, const struct rfs_run_result *result)
{
	const size_t number = rfs_finding_number(c, result);

	return number > c->findings->n || (number && wants_spare(&c->findings->list[number - 1]));
}

bool rfs_finding_note(struct rfs_campaign *c, const char *phase, const struct rfs_execution *execution,
		      struct rfs_run_result *result)
{
	struct rfs_failure_key key;
	struct rfs_finding *finding;
	bool is_new;

	if (!rfs_failure_key_init(c, result, &key))
		return false;
	finding = finding_enter(c, phase, execution, &key, &is_new);
	finding->runs++;
	if (!is_new && wants_spare(finding)) {
		rfs_saved_run_take(&finding->spare.list[finding->spare.n++], execution, result);
		return true;
	}
	if (!is_new)
		return false;
	finding->first = xcalloc(1, sizeof(*finding->first));
	rfs_saved_run_take(finding->first, execution, result);
	finding->first->execution.plain_failure = finding->plain;
	return true;
}

void rfs_finding_adopt(struct rfs_campaign *c, const char *phase, struct rfs_saved_run *kept, uint64_t runs)
{
	struct rfs_failure_key key;
	struct rfs_finding *finding;
	bool is_new;

	if (!rfs_failure_key_init(c, &kept->result, &key))
		return;
	finding = finding_enter(c, phase, &kept->execution, &key, &is_new);
	finding->runs += runs;
	if (is_new) {
		finding->first = kept;
		finding->borrowed = true;
	}
}

void rfs_findings_replay(struct rfs_campaign *c)
{
	for (size_t i = 0; i < c->findings->n; i++)
		rfs_saved_run_replay_any(c, c->findings->list[i].first, &c->findings->list[i].spare);
}

void rfs_findings_release(struct rfs_findings *findings)
{
	for (size_t i = 0; i < findings->n; i++) {
		struct rfs_finding *finding = &findings->list[i];

		rfs_failure_key_release(&finding->key);
		for (size_t k = 0; k < finding->spare.n; k++)
			rfs_saved_run_release(&finding->spare.list[k]);
		if (finding->borrowed)
			continue;
		rfs_saved_run_release(finding->first);
		free(finding->first);
	}
	free(findings->list);
	*findings = (struct rfs_findings){0};
}
