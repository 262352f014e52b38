/* survey_test.c - what runs with a detector say of a pair of statements. */
#include "supervisor/campaign/predicted/survey.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/record/run_result.h"

TestSuite(survey, .timeout = 10);

enum { U = RFS_COVERED_UNKNOWN, N = RFS_COVERED_NEVER, R = RFS_COVERED_RAN };

/* Sites 0 to 2 of the module m. */
static struct rfs_site_ref sites[] = {{"m", 0}, {"m", 1}, {"m", 2}, {"other", 0}};

static struct rfs_statement_pair pair(size_t a, size_t n_a, size_t b, size_t n_b)
{
	return (struct rfs_statement_pair){{{&sites[a], n_a}, {&sites[b], n_b}}};
}

static void add(struct rfs_survey *survey, uint8_t a, uint8_t b, uint8_t c)
{
	uint8_t bytes[3] = {a, b, c};
	const struct rfs_blob covered = {bytes, sizeof(bytes)};

	rfs_survey_add(survey, &covered);
}

static struct rfs_survey asked(void)
{
	struct rfs_survey survey = {0};

	for (size_t i = 0; i < 3; i++)
		rfs_site_set_add(&survey.asked, sites[i].module, sites[i].offset);
	return survey;
}

static void expect_of(const struct rfs_survey *survey, struct rfs_statement_pair of, enum rfs_survey_kind kind,
		      uint64_t runs, const char *text)
{
	const struct rfs_surveyed surveyed = rfs_survey_of(survey, &of);
	char *says = rfs_surveyed_text(&surveyed, !of.statement[1].n_sites);

	cr_expect_eq(surveyed.kind, kind, "%d", (int)surveyed.kind);
	cr_expect_eq(surveyed.runs, runs, "%llu", (unsigned long long)surveyed.runs);
	cr_expect_eq(rfs_surveyed_settles(&surveyed), text != NULL);
	cr_expect((says != NULL) == (text != NULL) && (!says || strncmp(says, text, strlen(text)) == 0), "%s", says);
	free(says);
}

Test(survey, statements)
{
	struct rfs_survey survey = asked();

	expect_of(&survey, pair(0, 1, 1, 1), RFS_SURVEY_UNKNOWN, 0, NULL);
	add(&survey, R, R, N);
	expect_of(&survey, pair(0, 1, 1, 1), RFS_SURVEY_APART, 1, "the accesses were ordered, under one lock, ");
	expect_of(&survey, pair(0, 1, 2, 1), RFS_SURVEY_NEVER, 1, "the second access never ran in 1 run with ");
	expect_of(&survey, pair(2, 1, 2, 1), RFS_SURVEY_NEVER, 1, "both accesses never ran in 1 run with ");
	/* one site of the statement is enough */
	expect_of(&survey, pair(1, 2, 0, 1), RFS_SURVEY_APART, 1, "the accesses were");
	/* a run that does not know all of its sites does not count */
	add(&survey, U, R, R);
	expect_of(&survey, pair(0, 1, 2, 1), RFS_SURVEY_NEVER, 1, "the second access never ran in 1 run");
	expect_of(&survey, pair(2, 1, 1, 1), RFS_SURVEY_APART, 2, "the accesses were ordered");
	expect_of(&survey, pair(3, 1, 1, 1), RFS_SURVEY_UNKNOWN, 0, NULL);
	/* the report names one access only */
	expect_of(&survey, pair(0, 1, 0, 0), RFS_SURVEY_APART, 1, "no other thread had a conflicting access");
	add(&survey, N, N, N);
	expect_of(&survey, pair(0, 1, 0, 0), RFS_SURVEY_APART, 2, "no other thread had a conflicting access");
	rfs_survey_release(&survey);
}

/* What the detector reports is open, whatever else is known; in any order of both sites. */
Test(survey, predicted)
{
	struct rfs_survey survey = asked();
	struct rfs_race races[3] = {0};
	const struct rfs_prediction prediction = {races, 3};

	races[0].side[0].site = races[1].side[1].site = (struct rfs_place){(char *)"m", 2};
	races[0].side[1].site = races[1].side[0].site = (struct rfs_place){(char *)"m", 0};
	add(&survey, R, R, R);
	rfs_survey_predicted(&survey, &prediction);
	expect_of(&survey, pair(0, 1, 2, 1), RFS_SURVEY_MET, 0, NULL);
	expect_of(&survey, pair(2, 1, 0, 1), RFS_SURVEY_MET, 0, NULL);
	expect_of(&survey, pair(0, 2, 1, 2), RFS_SURVEY_MET, 0, NULL);
	expect_of(&survey, pair(0, 1, 1, 1), RFS_SURVEY_APART, 1, "the accesses were");
	rfs_survey_release(&survey);
}

/* A run without a detector, or of other sites, says nothing. */
Test(survey, runs_that_do_not_count)
{
	struct rfs_survey survey = asked();
	uint8_t bytes[2] = {R, R};
	const struct rfs_blob none = {0}, other = {bytes, sizeof(bytes)};

	rfs_survey_add(&survey, &none);
	rfs_survey_add(&survey, &other);
	cr_expect_eq(survey.n_runs, 0);
	rfs_survey_release(&survey);
}
