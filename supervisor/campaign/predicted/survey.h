/*
 * survey.h - what a few runs with a detector show of reported accesses, before any of them is tried. One such run says
 * something about all reports.
 *
 * The detector hybrid reports each pair of statements whose accesses may race in its run (policy/shadow/history.h has
 * the proof). So if it knew all accesses of two statements and did not report them, nothing allowed both at once: they
 * were ordered, under one lock, both atomic, both reads, or of different memory. If one of them never ran, the program
 * does not get there with this input.
 *
 * Only runs that ended by themselves count. Pure; the campaign makes the runs (triage_survey.c).
 */
#ifndef RFS_SURVEY_H
#define RFS_SURVEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/base/siteset.h"
#include "supervisor/record/run_spec.h"

struct rfs_blob;
struct rfs_prediction;
struct rfs_met;

enum rfs_survey_kind {
	RFS_SURVEY_UNKNOWN, /* no run knew all accesses of the statements */
	RFS_SURVEY_MET,	    /* the detector has reported them */
	RFS_SURVEY_NEVER,   /* a statement never ran */
	RFS_SURVEY_APART,   /* they ran, and the detector has not reported them */
};

struct rfs_surveyed {
	enum rfs_survey_kind kind;
	uint64_t runs; /* NEVER, APART: so many runs knew all accesses */
	bool never[2]; /* NEVER: which statement */
};
/* Whether the runs say that the race could not be seen. */
bool rfs_surveyed_settles(const struct rfs_surveyed *surveyed);
/* What to tell the user, in one line; NULL if it is not settled. lone: only the first access is known. Caller frees. */
char *rfs_surveyed_text(const struct rfs_surveyed *surveyed, bool lone);

/* Zeroed: no runs. Free with rfs_survey_release(). */
struct rfs_survey {
	struct rfs_site_set asked;
	uint8_t **covered; /* of each run: as rfs_run_result.covered, with asked.n bytes */
	size_t n_runs;
	struct rfs_met *met; /* the pairs of sites that were reported */
};
void rfs_survey_release(struct rfs_survey *survey);

/* Adds what the detector reported in a run. */
void rfs_survey_predicted(struct rfs_survey *survey, const struct rfs_prediction *prediction);
/* Adds which sites a run covered, unless it does not say so. */
void rfs_survey_add(struct rfs_survey *survey, const struct rfs_blob *covered);
/* What is known of a pair of statements. n_sites 0: any statement, so that it is never met. */
struct rfs_surveyed rfs_survey_of(const struct rfs_survey *survey, const struct rfs_statement_pair *pair);

#endif
