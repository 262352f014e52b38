/* next.c - writes the options that differ from the presets, as a shell reads them. */
#include "supervisor/campaign/output/next.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/text/date.h"
#include "supervisor/base/text/shell_word.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/output/reasons.h"
#include "supervisor/campaign/predicted/pairs_txt.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/program.h"
#include "supervisor/campaign/settings/settings.h"
#include "supervisor/record/run_options.h"
#include "supervisor/report/data/report.h"

/* The next seeds: far from those of this campaign. */
#define APART 1000000

static void put_word(FILE *out, const char *word)
{
	char *quoted = rfs_shell_word(word);

	fprintf(out, " %s", quoted);
	free(quoted);
}

static void put_option(FILE *out, const char *name, const char *value)
{
	fprintf(out, " --%s", name);
	put_word(out, value);
}

static void put_set(FILE *out, const struct rfs_option *option, unsigned set)
{
	bool first = true;

	fprintf(out, " --%s ", option->name);
	for (unsigned i = 0; option->words[i]; i++)
		if (set >> i & 1) {
			fprintf(out, "%s%s", first ? "" : ",", option->words[i]);
			first = false;
		}
}

/* Writes an option of each execution, unless it has its default. */
static void put_run_option(FILE *out, const struct rfs_option *option, const struct rfs_run_spec *spec)
{
	const char *at = (const char *)spec + option->offset;
	char *const *list, date[RFS_DATE_SIZE];

	switch (option->kind) {
	case RFS_OPTION_SWITCH:
		if (*(const bool *)at)
			fprintf(out, " --%s", option->name);
		break;
	case RFS_OPTION_EITHER:
		if (*(const bool *)at)
			put_option(out, option->name, option->words[1]);
		break;
	case RFS_OPTION_WORD:
		if (*(const unsigned *)at)
			put_option(out, option->name, option->words[*(const unsigned *)at]);
		break;
	case RFS_OPTION_SET:
		if (*(const unsigned *)at)
			put_set(out, option, *(const unsigned *)at);
		break;
	case RFS_OPTION_COUNT:
		if ((double)*(const unsigned *)at != option->preset)
			fprintf(out, " --%s %u", option->name, *(const unsigned *)at);
		break;
	case RFS_OPTION_NUMBER:
	case RFS_OPTION_SIZE:
		if ((double)*(const uint64_t *)at != option->preset)
			fprintf(out, " --%s %" PRIu64, option->name, *(const uint64_t *)at);
		break;
	case RFS_OPTION_DATE:
		if (*(const uint64_t *)at) {
			rfs_date_text(*(const uint64_t *)at, date);
			put_option(out, option->name, date);
		}
		break;
	case RFS_OPTION_SECONDS:
		if (*(const double *)at != option->preset)
			fprintf(out, " --%s %.15g", option->name, *(const double *)at);
		break;
	case RFS_OPTION_NAME:
	case RFS_OPTION_TEXT:
		if (*(const char *const *)at)
			put_option(out, option->name, *(const char *const *)at);
		break;
	case RFS_OPTION_LIST:
		for (list = *(char *const *const *)at; list && *list; list++)
			put_option(out, option->name, *list);
		break;
	}
}

/* Whether an option, which has a value in any case, was not given. */
static bool has_default(const struct rfs_options *options, const char *name)
{
	/* the default of this one depends on the machine, and few runs need it */
	if (strcmp(name, "memory") == 0)
		return true;
	return (strcmp(name, "points") == 0 && !options->points_given) ||
	       (strcmp(name, "stops-per-run") == 0 && !options->stops_given) ||
	       (strcmp(name, "timeout") == 0 && !options->timeout_given);
}

/* Options that the next campaign shares with this one. */
static void put_options(FILE *out, const struct rfs_options *options, double budget)
{
	if (budget > 0)
		fprintf(out, " --budget %.15g", budget);
	if (options->jobs > 1)
		fprintf(out, " --jobs %u", options->jobs);
	if (options->guard_heap)
		fputs(" --guard-heap", out);
	for (char *const *set = options->env; *set; set++)
		put_option(out, "env", *set);
	for (size_t i = 0; i < rfs_n_run_options; i++) {
		const struct rfs_option *option = &rfs_run_options[i].option;

		if (option->name && !has_default(options, option->name))
			put_run_option(out, option, &options->run);
	}
}

static bool cuts(const struct rfs_campaign *c)
{
	for (size_t i = 0; i < c->phases->n; i++)
		if (c->phases->list[i].cut)
			return true;
	return false;
}

static char *next_of(struct rfs_campaign *c, const struct rfs_report *report)
{
	const struct rfs_options *options = c->options;
	double budget = c->settings->options->budget;
	size_t untried, size;
	char *text;
	FILE *out;

	/* a test of GoogleTest has another command line than the user's, and a plan has parts */
	if (options->gtest || options->mode == RFS_MODE_SAMPLE || c->settings->plan || !report->directory ||
	    !options->argv[0])
		return NULL;
	/* the command that continues an interrupted campaign is printed elsewhere */
	if (!rfs_reasons_was_cut(c))
		return NULL;
	untried = rfs_pairs_txt_save_untried(c);
	if (!untried && options->mode == RFS_MODE_PAIRS)
		return NULL;
	out = xopen_memstream(&text, &size);
	fputs("rfsup", out);
	if (untried) {
		char *file = xasprintf("%s/" RFS_NEXT_TXT, report->directory);

		put_option(out, "pairs", file);
		free(file);
		put_options(out, options, budget);
	} else {
		/* a run that does not fit into its part of the budget does not with other seeds */
		if (cuts(c))
			budget *= 2;
		else
			fprintf(out, " --seed %" PRIu64, options->seed + APART);
		put_options(out, options, budget);
		fputs(" --", out);
		for (char *const *word = options->argv; *word; word++)
			put_word(out, *word);
	}
	fclose(out);
	return text;
}

void rfs_next_add(struct rfs_campaign *c, struct rfs_report *report)
{
	if (report->incomplete)
		report->next = next_of(c, report);
}
