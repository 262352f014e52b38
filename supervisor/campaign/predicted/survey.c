/* survey.c - makes the runs, keeps what each covered, and answers for two statements. */
#include "supervisor/campaign/predicted/survey.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/text/plural.h"
#include "supervisor/record/run_result.h"

/* A pair of sites that a detector has reported. */
struct rfs_met {
	char *text; /* key: survey_text_of() */
	UT_hash_handle hh;
};

void rfs_survey_release(struct rfs_survey *survey)
{
	struct rfs_met *met, *next;

	rfs_site_set_release(&survey->asked);
	for (size_t i = 0; i < survey->n_runs; i++)
		free(survey->covered[i]);
	free(survey->covered);
	HASH_ITER (hh, survey->met, met, next) {
		HASH_DEL(survey->met, met);
		free(met->text);
		free(met);
	}
	*survey = (struct rfs_survey){0};
}

/* The same for both orders. Caller frees. */
static char *survey_text_of(const char *module_a, uint64_t a, const char *module_b, uint64_t b)
{
	const bool swap = rfs_site_compare(module_a, a, module_b, b) > 0;

	return xasprintf("%s+%" PRIx64 "\n%s+%" PRIx64, swap ? module_b : module_a, swap ? b : a,
			 swap ? module_a : module_b, swap ? a : b);
}

static struct rfs_met *find_met(const struct rfs_survey *survey, const char *text)
{
	struct rfs_met *met;

	HASH_FIND_STR(survey->met, text, met);
	return met;
}

void rfs_survey_predicted(struct rfs_survey *survey, const struct rfs_prediction *prediction)
{
	for (size_t i = 0; i < prediction->n; i++) {
		const struct rfs_place *a = &prediction->races[i].side[0].site, *b = &prediction->races[i].side[1].site;
		struct rfs_met *met;
		char *text;

		if (!a->module || !b->module)
			continue;
		text = survey_text_of(a->module, a->offset, b->module, b->offset);
		if (find_met(survey, text)) {
			free(text);
			continue;
		}
		met = xcalloc(1, sizeof(*met));
		met->text = text;
		HASH_ADD_KEYPTR(hh, survey->met, met->text, strlen(met->text), met);
	}
}

void rfs_survey_add(struct rfs_survey *survey, const struct rfs_blob *covered)
{
	uint8_t *copy;

	if (!covered->size || covered->size != survey->asked.n)
		return;
	copy = xcalloc(covered->size, 1);
	memcpy(copy, covered->data, covered->size);
	survey->covered = xreallocarray(survey->covered, survey->n_runs + 1, sizeof(*survey->covered));
	survey->covered[survey->n_runs++] = copy;
}

static int survey_compare_sites(const void *a, const void *b)
{
	const struct rfs_site_ref *x = a, *y = b;

	return rfs_site_compare(x->module, x->offset, y->module, y->offset);
}

/* What the run says of a statement: unknown if it does not know one of its sites. */
static enum rfs_covered covered_in(const struct rfs_survey *survey, size_t run, const struct rfs_statement *statement)
{
	enum rfs_covered covered = RFS_COVERED_NEVER;

	for (size_t i = 0; i < statement->n_sites; i++) {
		const struct rfs_site_ref *found =
			survey->asked.n ? bsearch(&statement->sites[i], survey->asked.sites, survey->asked.n,
						  sizeof(*survey->asked.sites), survey_compare_sites)
					: NULL;
		const uint8_t state = found ? survey->covered[run][found - survey->asked.sites] : RFS_COVERED_UNKNOWN;

		if (state == RFS_COVERED_UNKNOWN)
			return RFS_COVERED_UNKNOWN;
		if (state == RFS_COVERED_RAN)
			covered = RFS_COVERED_RAN;
	}
	return covered;
}

static bool have_met(const struct rfs_survey *survey, const struct rfs_statement_pair *pair)
{
	bool met = false;

	for (size_t i = 0; i < pair->statement[0].n_sites && !met; i++)
		for (size_t k = 0; k < pair->statement[1].n_sites && !met; k++) {
			const struct rfs_site_ref *a = &pair->statement[0].sites[i], *b = &pair->statement[1].sites[k];
			char *text = survey_text_of(a->module, a->offset, b->module, b->offset);

			met = find_met(survey, text) != NULL;
			free(text);
		}
	return met;
}

struct rfs_surveyed rfs_survey_of(const struct rfs_survey *survey, const struct rfs_statement_pair *pair)
{
	struct rfs_surveyed surveyed = {.kind = RFS_SURVEY_UNKNOWN};
	bool ran[2] = {!pair->statement[0].n_sites, !pair->statement[1].n_sites};

	if (have_met(survey, pair))
		return (struct rfs_surveyed){.kind = RFS_SURVEY_MET};
	for (size_t i = 0; i < survey->n_runs; i++) {
		const enum rfs_covered state[2] = {covered_in(survey, i, &pair->statement[0]),
						   covered_in(survey, i, &pair->statement[1])};

		if (state[0] == RFS_COVERED_UNKNOWN || state[1] == RFS_COVERED_UNKNOWN)
			continue;
		surveyed.runs++;
		for (int k = 0; k < 2; k++)
			ran[k] |= state[k] == RFS_COVERED_RAN;
	}
	if (!surveyed.runs)
		return surveyed;
	for (int k = 0; k < 2; k++)
		surveyed.never[k] = !ran[k];
	surveyed.kind = ran[0] && ran[1] ? RFS_SURVEY_APART : RFS_SURVEY_NEVER;
	return surveyed;
}

bool rfs_surveyed_settles(const struct rfs_surveyed *surveyed)
{
	return surveyed->kind == RFS_SURVEY_NEVER || surveyed->kind == RFS_SURVEY_APART;
}

char *rfs_surveyed_text(const struct rfs_surveyed *surveyed, bool lone)
{
	const char *plural = rfs_plural(surveyed->runs);

	if (surveyed->kind == RFS_SURVEY_APART && lone)
		return xasprintf("no other thread had a conflicting access at the same time in %" PRIu64
				 " run%s with a detector",
				 surveyed->runs, plural);
	if (surveyed->kind == RFS_SURVEY_APART)
		return xasprintf("the accesses were ordered, under one lock, atomic or of different memory in %" PRIu64
				 " run%s with a detector",
				 surveyed->runs, plural);
	if (surveyed->kind == RFS_SURVEY_NEVER)
		return xasprintf("%s never ran in %" PRIu64 " run%s with a detector",
				 lone					    ? "the access"
				 : surveyed->never[0] && surveyed->never[1] ? "both accesses"
				 : surveyed->never[0]			    ? "the first access"
									    : "the second access",
				 surveyed->runs, plural);
	return NULL;
}
