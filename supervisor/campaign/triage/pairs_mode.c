/* pairs_mode.c - makes the two runs, and resolves the names of the file with what they have shown. */
#include "supervisor/campaign/triage/pairs_mode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/access/calls/range_call.h"
#include "supervisor/access/code_cache.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/path.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/executions/progress.h"
#include "supervisor/campaign/executions/tally.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/predicted/cycle_names.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/campaign/predicted/resolve.h"
#include "supervisor/campaign/predicted/violation_names.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/settings.h"
#include "supervisor/campaign/triage/triage.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/pairs.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/symbols/symbolize.h"

struct lesson {
	struct rfs_campaign *c;
	const char *label;
	bool predicts; /* a detector shows what the reports of another tool lack, or where the accesses of pairs meet */
};

static void pairs_mode_make(void *arg, uint64_t i, struct rfs_execution *out)
{
	const struct lesson *lesson = arg;

	rfs_campaign_execution(lesson->c, lesson->label, i, rfs_policy_find("random"), RFS_POINTS_RACES, out);
	out->spec.sites.visible = rfs_pair_list_sites(lesson->c->pairs)->sites;
	out->spec.sites.n_visible = rfs_pair_list_sites(lesson->c->pairs)->n;
	out->spec.sites.object_kinds =
		rfs_pair_list_object_kinds(lesson->c->pairs, rfs_pair_list_sites(lesson->c->pairs));
	if (!lesson->predicts)
		return;
	out->spec.detector = rfs_detector_find("hybrid");
	/* only such runs tell the detector of system calls */
	out->spec.predicts_violations = out->spec.sites.object_kinds != 0;
}

static bool pairs_mode_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	const struct lesson *lesson = arg;

	(void)i;
	rfs_campaign_note(lesson->c, execution, result);
	if (lesson->predicts && lesson->c->triage)
		rfs_triage_learn(lesson->c->triage, result);
	else if (lesson->predicts)
		rfs_pair_list_meet(lesson->c->pairs, lesson->c->symbols, result);
	rfs_campaign_progress(lesson->c, rfs_campaign_failed(lesson->c, result));
	return rfs_finding_note(lesson->c, lesson->label, execution, result);
}

static void pairs_mode_learn(struct rfs_campaign *c, const char *label, bool predicts)
{
	struct lesson lesson = {.c = c, .label = label, .predicts = predicts};
	const struct rfs_batch batch = {.n = 1, .make = pairs_mode_make, .done = pairs_mode_done, .arg = &lesson};

	rfs_campaign_batch(c, &batch);
}

static bool names_module(const struct rfs_name *name, const char *module)
{
	return name->name && name->form == RFS_NAME_OFFSET &&
	       strcmp(rfs_base_name(name->name), rfs_base_name(module)) == 0;
}

static bool pairs_mode_is_named(const struct rfs_pairs *pairs, const char *module)
{
	for (size_t i = 0; i < pairs->n_pairs; i++)
		for (int k = 0; k < 2; k++)
			if (names_module(&pairs->pairs[i].statement[k], module))
				return true;
	for (size_t i = 0; i < pairs->n_violations; i++)
		for (int k = 0; k < 3; k++)
			if (names_module(&pairs->violations[i].statement[k], module))
				return true;
	return false;
}

/* The modules in which statements are searched: watched modules, and modules that a statement names. Caller frees. */
static struct rfs_resolve_module *pairs_mode_list_modules(struct rfs_campaign *c, size_t *n)
{
	struct rfs_resolve_module *list = xcalloc(c->tally->n_modules + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; i < c->tally->n_modules; i++) {
		const char *path = c->tally->modules[i].path;
		const struct rfs_elf *elf = rfs_symbols_elf(c->symbols, path);
		struct rfs_resolve_module module = {.path = path, .elf = elf};

		if (!elf || (!c->tally->modules[i].watched && !pairs_mode_is_named(c->settings->pairs, path)))
			continue;
		module.dwarf = rfs_symbols_dwarf(c->symbols, path);
		module.code = rfs_code_cache_get(elf);
		if (module.code)
			list[(*n)++] = module;
	}
	return list;
}

/*
 * Turns a resolved statement into a statement that owns its strings. In a resolved statement, the strings are borrowed
 * from the modules.
 */
static struct rfs_statement pairs_mode_own(struct rfs_statement *resolved)
{
	struct rfs_site_ref *sites = xcalloc(resolved->n_sites + 1, sizeof(*sites));
	struct rfs_statement copy = {.sites = sites, .n_sites = resolved->n_sites};

	for (size_t i = 0; i < resolved->n_sites; i++)
		sites[i] = (struct rfs_site_ref){
			.module = xstrdup(resolved->sites[i].module),
			.offset = resolved->sites[i].offset,
		};
	rfs_resolve_release(resolved);
	return copy;
}

static int resolve_name(struct rfs_campaign *c, const struct rfs_name *name, const struct rfs_resolve_module *modules,
			size_t n_modules, struct rfs_pair *pair, int k, char *why, size_t n)
{
	struct rfs_statement resolved;
	char line[768];
	int error = -ENOENT;

	if (pair->named_kinds)
		error = rfs_resolve_call(name, modules, n_modules, &resolved);
	if (error)
		error = rfs_resolve(name, modules, n_modules, rfs_range_call_known, &resolved, line, sizeof(line));
	if (error)
		return rfs_why(why, n, error, "%s:%u:%u: %s", c->options->pairs, name->line, name->column, line);
	pair->statements.statement[k] = pairs_mode_own(&resolved);
	return 0;
}

static int resolve_all(struct rfs_campaign *c, char *why, size_t n)
{
	const struct rfs_pairs *pairs = c->settings->pairs;
	size_t n_modules;
	struct rfs_resolve_module *modules = pairs_mode_list_modules(c, &n_modules);
	int error = 0;

	for (size_t i = 0; i < pairs->n_pairs && !error; i++) {
		struct rfs_pair *pair = rfs_pair_list_add(c->pairs);

		pair->named_kinds = pairs->pairs[i].object_kinds;
		for (int k = 0; k < 2 && !error; k++)
			error = resolve_name(c, &pairs->pairs[i].statement[k], modules, n_modules, pair, k, why, n);
	}
	if (!error)
		error = rfs_violation_names_resolve(c, pairs, modules, n_modules, why, n);
	free(modules);
	return error;
}

int rfs_pairs_mode(struct rfs_campaign *c, char *why, size_t n)
{
	const bool predicts = c->triage && rfs_triage_needs_prediction(c->triage);
	int error = 0;

	const uint64_t runs = 2 + (c->triage ? rfs_triage_survey_runs(c) : c->settings->pairs->n_pairs > 0);

	rfs_campaign_phase(c, "learn", runs);
	rfs_progress_phase(c->progress, "learn", runs);
	pairs_mode_learn(c, "learn", predicts);
	if (c->end != RFS_POOL_DONE)
		return 0;
	if (c->triage) {
		rfs_triage_match(c);
		rfs_triage_survey(c);
		rfs_triage_pair(c);
	} else {
		error = resolve_all(c, why, n);
		if (!error)
			error = rfs_cycle_names_resolve(c, c->settings->pairs, why, n);
	}
	if (error) {
		/* not all names were found; pairs that were resolved so far must not be reported */
		rfs_pair_list_release(c->pairs);
		return error;
	}
	rfs_pair_list_settle(c->pairs);
	if (!c->triage && c->pairs->n)
		pairs_mode_learn(c, "meet", true);
	pairs_mode_learn(c, "measure", false);
	rfs_findings_replay(c);
	return 0;
}
