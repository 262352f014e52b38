/*
 * Phase 1: a few runs under `random` with a detector (hybrid: O'Callahan & Choi, PPoPP 2003); the pairs of all runs are
 * joined by statement.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/output.h"
#include "supervisor/base/path.h"
#include "supervisor/base/siteset.h"
#include "supervisor/campaign/campaign-priv.h"
#include "supervisor/campaign/verdict.h"
#include "supervisor/cli/options.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/pairs.h"
#include "supervisor/state/run_result.h"
#include "supervisor/state/run_spec.h"
#include "supervisor/symbols/symbolize.h"

static const struct rfs_policy_ops *policy(void)
{
	return rfs_policy_find("random");
}

/* The smaller site first: one pair has one form. */
static void order_sides(struct rfs_race *race)
{
	struct rfs_evidence *a = &race->side[0], *b = &race->side[1], swap;

	if (rfs_site_compare(a->site.module, a->site.offset, b->site.module, b->site.offset) <= 0)
		return;
	swap = *a;
	*a = *b;
	*b = swap;
}

static int compare_races(const struct rfs_race *a, const struct rfs_race *b)
{
	for (int i = 0; i < 2; i++) {
		const struct rfs_place *x = &a->side[i].site, *y = &b->side[i].site;
		int order = rfs_site_compare(x->module, x->offset, y->module, y->offset);

		if (order)
			return order;
	}
	return 0;
}

static struct rfs_pair *find(struct rfs_campaign *c, const struct rfs_race *race)
{
	for (size_t i = 0; i < c->n_pairs; i++)
		if (compare_races(&c->pairs[i].evidence, race) == 0)
			return &c->pairs[i];
	return NULL;
}

void rfs_pairs_join(struct rfs_campaign *c, struct rfs_run_result *result)
{
	for (size_t i = 0; i < result->prediction.n; i++) {
		struct rfs_race *race = &result->prediction.races[i];
		struct rfs_pair *known;

		if (!race->side[0].site.module || !race->side[1].site.module) {
			/* code made at run time: it has no name that would hold in the next run */
			c->n_unnamed_pairs++;
			continue;
		}
		order_sides(race);
		known = find(c, race);
		if (known) {
			known->evidence.atomic_seen |= race->atomic_seen;
			continue;
		}
		if (rfs_pair_is_atomic(c->symbols, race)) {
			c->n_atomic_pairs++;
			continue;
		}
		c->pairs = xreallocarray(c->pairs, c->n_pairs + 1, sizeof(*c->pairs));
		c->pairs[c->n_pairs++] = (struct rfs_pair){.predicted = true, .evidence = *race};
		memset(race, 0, sizeof(*race));
	}
}

static int compare_pairs(const void *a, const void *b)
{
	return compare_races(&((const struct rfs_pair *)a)->evidence, &((const struct rfs_pair *)b)->evidence);
}

/* The statement that is one site. */
static struct rfs_statement statement_of(const struct rfs_place *site)
{
	struct rfs_site_ref *ref = xcalloc(1, sizeof(*ref));

	*ref = (struct rfs_site_ref){.module = xstrdup(site->module), .offset = site->offset};
	return (struct rfs_statement){.sites = ref, .n_sites = 1};
}

void rfs_pairs_settle(struct rfs_campaign *c)
{
	/* the order in which runs found them does not count */
	if (c->n_pairs && c->pairs[0].predicted)
		qsort(c->pairs, c->n_pairs, sizeof(*c->pairs), compare_pairs);
	for (size_t i = 0; i < c->n_pairs; i++) {
		struct rfs_pair *pair = &c->pairs[i];

		if (!pair->label)
			pair->label = xasprintf("pair-%zu", i + 1);
		for (int k = 0; k < 2; k++) {
			struct rfs_statement *statement = &pair->statements.statement[k];

			if (!statement->sites)
				*statement = statement_of(&pair->evidence.side[k].site);
			for (size_t s = 0; s < statement->n_sites; s++)
				rfs_site_set_add(&c->sites, statement->sites[s].module, statement->sites[s].offset);
		}
	}
}

void rfs_pair_release(struct rfs_pair *pair)
{
	for (int k = 0; k < 2; k++) {
		const struct rfs_statement *statement = &pair->statements.statement[k];

		for (size_t s = 0; s < statement->n_sites; s++)
			free((char *)statement->sites[s].module);
		free((struct rfs_site_ref *)statement->sites);
	}
	free(pair->label);
	rfs_race_release(&pair->evidence);
	for (int k = 0; k < 2; k++)
		rfs_evidence_release(&pair->stood[k]);
	if (pair->has_created)
		rfs_saved_run_release(&pair->created);
	for (size_t i = 0; i < pair->n_failures; i++)
		rfs_saved_run_release(&pair->failures[i].first);
	free(pair->failures);
}

/* The base name where it tells the module from all others, else the whole path. */
static const char *name_of(const struct rfs_campaign *c, const char *module)
{
	for (size_t i = 0; i < c->n_modules; i++)
		if (strcmp(c->modules[i].path, module) != 0 &&
		    strcmp(rfs_base_name(c->modules[i].path), rfs_base_name(module)) == 0)
			return module;
	return rfs_base_name(module);
}

void rfs_pairs_save(struct rfs_campaign *c)
{
	struct rfs_pairs file = {0};
	char *text = NULL, why[512];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	for (size_t i = 0; i < c->n_pairs; i++) {
		struct rfs_name names[2] = {0};
		char *lines[2], *comment;

		for (int k = 0; k < 2; k++) {
			const struct rfs_place *site = &c->pairs[i].evidence.side[k].site;

			/* a line may hold several statements, so the offset stands, and the line is a comment */
			names[k] = (struct rfs_name){
				.form = RFS_NAME_OFFSET,
				.name = (char *)name_of(c, site->module),
				.number = site->offset,
			};
			lines[k] = rfs_symbols_text(c->symbols, site, false);
		}
		comment = xasprintf("%s %s", lines[0], lines[1]);
		rfs_pairs_add(&file, names, comment);
		free(comment);
		free(lines[0]);
		free(lines[1]);
	}
	/* borrowed for the time of the writing */
	file.program = c->options->argv[0] ? c->options->argv : NULL;
	rfs_pairs_write(&file, out);
	file.program = NULL;
	fclose(out);
	if (rfs_output_write(c->settings.output, "pairs.txt", text, size, why, sizeof(why)))
		rfs_campaign_warn(c, why);
	rfs_pairs_release(&file);
	free(text);
}

static void make(void *arg, uint64_t i, struct rfs_execution *out)
{
	struct rfs_campaign *c = arg;
	/* the sampling mode's is for the runs that sample */
	bool given = c->options->detector && c->options->mode != RFS_MODE_SAMPLE;
	const char *detector = given ? c->options->detector : "hybrid";

	rfs_campaign_execution(c, "predict", i, policy(), RFS_POINTS_SYNC, out);
	out->spec.detector = rfs_detector_find(detector);
}

static bool done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct rfs_campaign *c = arg;
	struct rfs_signature unused;
	bool failed = rfs_run_failed(result, &unused);

	(void)i;
	rfs_campaign_note(c, execution, result);
	rfs_pairs_join(c, result);
	rfs_campaign_progress(c, failed);
	return rfs_finding_note(c, "predict", execution, result);
}

void rfs_predict(struct rfs_campaign *c)
{
	const struct rfs_batch batch = {.n = c->options->predict_runs, .make = make, .done = done, .arg = c};
	double started = rfs_clock();

	rfs_campaign_phase(c, "predict", batch.n, 0);
	rfs_campaign_batch(c, &batch);
	rfs_pairs_settle(c);
	/* where not even one run could be started, the output folder goes again: it must stay empty */
	if (c->end != RFS_POOL_FAILED || c->n_pairs)
		rfs_pairs_save(c);
	rfs_findings_replay(c);
	c->predict_wall = rfs_clock() - started;
}
