#include "supervisor/campaign/finding.h"

#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/path.h"
#include "supervisor/campaign/baseline.h"
#include "supervisor/campaign/campaign-priv.h"
#include "supervisor/campaign/fault_place.h"
#include "supervisor/campaign/pair_list.h"
#include "supervisor/campaign/samplers.h"
#include "supervisor/campaign/saved_run.h"
#include "supervisor/campaign/verdict.h"
#include "supervisor/record/run_result.h"
#include "supervisor/report/report.h"
#include "supervisor/symbols/source_place.h"
#include "supervisor/symbols/symbolize.h"

static char *stack_text(const struct rfs_place *stack, size_t n)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < n; i++) {
		char *longer = xasprintf("%s%s+%llx;", text, rfs_base_name(stack[i].module),
					 (unsigned long long)stack[i].offset);

		free(text);
		text = longer;
	}
	return text;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* One thread as text. Threads that a lost signal has left are the same, whichever they are and wherever they wait. */
static char *waiter_text(struct rfs_campaign *c, const struct rfs_waiter *waiter)
{
	/* a block of the heap has a name only in runs that track it */
	const bool named = waiter->operation == RFS_OP_COND_WAKE && waiter->waits_for.kind == RFS_MEMORY_STATIC;
	char *object = named ? rfs_symbols_object(c->symbols, &waiter->waits_for, NULL) : NULL;
	char *text = object ? xasprintf("a signal of %s", object) : stack_text(waiter->stack, waiter->n_stack);

	free(object);
	return text;
}

/*
 * The blocked threads as text. In a cycle each thread counts. Otherwise those do that wait for no other thread of the
 * deadlock, each kind once: who waits for their end, and how many they are, is chance. The texts are sorted, so that
 * the whole does not depend on thread numbers.
 */
static char *deadlock_text(struct rfs_campaign *c, const struct rfs_run_result *result)
{
	const struct rfs_waiters *deadlock = &result->deadlock;
	char **texts = xcalloc(deadlock->n + 1, sizeof(*texts)), *text = xstrdup("");
	bool cycle = true;
	size_t n = 0;

	for (size_t i = 0; i < deadlock->n; i++)
		cycle &= rfs_waits_for_another(deadlock, &deadlock->list[i]);
	for (size_t i = 0; i < deadlock->n; i++)
		if (cycle)
			texts[n++] = stack_text(deadlock->list[i].stack, deadlock->list[i].n_stack);
		else if (!rfs_waits_for_another(deadlock, &deadlock->list[i]))
			texts[n++] = waiter_text(c, &deadlock->list[i]);
	if (n)
		qsort(texts, n, sizeof(*texts), compare_texts);
	for (size_t i = 0; i < n; i++) {
		char *longer = xasprintf("%s%s|", text, texts[i]);

		if (!cycle && i && strcmp(texts[i], texts[i - 1]) == 0) {
			free(longer);
			continue;
		}
		free(text);
		text = longer;
	}
	for (size_t i = 0; i < n; i++)
		free(texts[i]);
	free(texts);
	return text;
}

static char *where_of(struct rfs_campaign *c, const struct rfs_run_result *result)
{
	if (result->end == RFS_END_DEADLOCK)
		return deadlock_text(c, result);
	return result->end == RFS_END_SIGNAL ? rfs_fault_place(c, result) : NULL;
}

static struct rfs_finding *finding_find(struct rfs_campaign *c, const struct rfs_signature *signature,
					const char *where)
{
	for (size_t i = 0; i < c->findings.n; i++) {
		struct rfs_finding *finding = &c->findings.list[i];

		if (rfs_signature_equal(&finding->signature, signature) &&
		    strcmp(finding->where ? finding->where : "", where ? where : "") == 0)
			return finding;
	}
	return NULL;
}

/*
 * The finding to which a failed run belongs. If there is no such finding, makes one and sets *is_new; the caller must
 * then set the member `first`.
 */
static struct rfs_finding *enter(struct rfs_campaign *c, const char *phase, const struct rfs_execution *execution,
				 const struct rfs_run_result *result, const struct rfs_signature *signature,
				 bool *is_new)
{
	char *where = where_of(c, result);
	struct rfs_finding *finding = finding_find(c, signature, where);

	*is_new = !finding;
	if (finding) {
		free(where);
		return finding;
	}
	c->findings.list = xreallocarray(c->findings.list, c->findings.n + 1, sizeof(*c->findings.list));
	finding = &c->findings.list[c->findings.n++];
	*finding = (struct rfs_finding){
		.signature = *signature,
		.where = where,
		.phase = phase,
		.policy = execution->spec.policy ? execution->spec.policy->name : RFS_NATIVE,
		.plain = rfs_baseline_always(&c->baseline, signature),
	};
	return finding;
}

bool rfs_finding_has(struct rfs_campaign *c, const struct rfs_finding *finding, const struct rfs_run_result *result)
{
	struct rfs_signature signature;
	bool same;
	char *where;

	if (!rfs_run_failed(result, &signature) || !rfs_signature_equal(&signature, &finding->signature))
		return false;
	where = where_of(c, result);
	same = strcmp(where ? where : "", finding->where ? finding->where : "") == 0;
	free(where);
	return same;
}

size_t rfs_finding_number(struct rfs_campaign *c, const struct rfs_run_result *result)
{
	struct rfs_signature signature;
	const struct rfs_finding *finding;
	char *where;

	if (!rfs_run_failed(result, &signature))
		return 0;
	where = where_of(c, result);
	finding = finding_find(c, &signature, where);
	free(where);
	return finding ? (size_t)(finding - c->findings.list) + 1 : c->findings.n + 1;
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

	return number > c->findings.n || (number && wants_spare(&c->findings.list[number - 1]));
}

bool rfs_finding_note(struct rfs_campaign *c, const char *phase, const struct rfs_execution *execution,
		      struct rfs_run_result *result)
{
	struct rfs_signature signature;
	struct rfs_finding *finding;
	bool is_new;

	if (!rfs_run_failed(result, &signature))
		return false;
	finding = enter(c, phase, execution, result, &signature, &is_new);
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
	struct rfs_signature signature;
	struct rfs_finding *finding;
	bool is_new;

	if (!rfs_run_failed(&kept->result, &signature))
		return;
	finding = enter(c, phase, &kept->execution, &kept->result, &signature, &is_new);
	finding->runs += runs;
	if (is_new) {
		finding->first = kept;
		finding->borrowed = true;
	}
}

static bool same_stack(const struct rfs_run_result *a, const struct rfs_run_result *b)
{
	char *x = stack_text(a->fault, a->n_fault), *y = stack_text(b->fault, b->n_fault);
	bool same = strcmp(x, y) == 0;

	free(x);
	free(y);
	return same;
}

size_t rfs_finding_explained(const struct rfs_campaign *c, const struct rfs_finding *finding)
{
	if (rfs_failure_shows_threads(finding->signature.kind) || finding->first->replayed != RFS_REPLAY_SAME)
		return 0;
	for (size_t i = 0; i < c->pairs.n; i++) {
		const struct rfs_pair *pair = c->pairs.list[i];

		for (size_t k = 0; k < pair->n_failures && pair->verdict == RFS_VERDICT_HARMFUL; k++)
			if (pair->failures[k].attributed &&
			    rfs_signature_equal(&pair->failures[k].signature, &finding->signature) &&
			    same_stack(&pair->failures[k].first.result, &finding->first->result))
				return i + 1;
	}
	return 0;
}

void rfs_findings_replay(struct rfs_campaign *c)
{
	for (size_t i = 0; i < c->findings.n; i++)
		rfs_saved_run_replay_any(c, c->findings.list[i].first, &c->findings.list[i].spare);
}

void rfs_findings_release(struct rfs_findings *findings)
{
	for (size_t i = 0; i < findings->n; i++) {
		struct rfs_finding *finding = &findings->list[i];

		free(finding->where);
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
