/* saved_run_report.c - reads the files of a saved run for the report. It makes no run. */
#include "supervisor/campaign/failures/saved_run_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "supervisor/base/alloc.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/failures/sanitizer_report.h"
#include "supervisor/campaign/failures/saved_run.h"
#include "supervisor/record/run_result.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/text/excerpt.h"
#include "supervisor/symbols/symbolize.h"

/* How many of the last bytes of an output file are read. */
#define TAIL 16384

/* An excerpt of a file in the folder of the runs' output. Caller frees; NULL: there is no text. */
static char *file_excerpt(const struct rfs_campaign *c, const char *name, const char *suffix)
{
	char *path = rfs_campaign_output(c, name, suffix), *bytes = xmalloc(TAIL), *text = NULL;
	FILE *in = fopen(path, "re");

	if (in) {
		if (fseek(in, -TAIL, SEEK_END) != 0)
			rewind(in);
		text = rfs_excerpt(bytes, fread(bytes, 1, TAIL, in));
		fclose(in);
	}
	free(bytes);
	free(path);
	return text;
}

char *rfs_saved_run_report_faults(struct rfs_campaign *c, const struct rfs_run_result *result)
{
	char *lines = NULL;

	for (size_t i = 0; i < result->n_faults; i++) {
		const struct rfs_fault_taken *taken = &result->faults[i];
		char *place = rfs_symbols_text(c->symbols, &taken->place, true);
		char *longer = xasprintf("%s%s%s at %s %s", lines ? lines : "", lines ? "\n" : "", taken->call,
					 place ? place : "an unknown place", taken->effect);

		free(place);
		free(lines);
		lines = longer;
	}
	return lines;
}

/* NULL: there is none; the caller frees the text. */
static char *bad_block(struct rfs_campaign *c, const struct rfs_bad_block *block)
{
	char *at[2], *text;

	if (!block->found)
		return NULL;
	for (int i = 0; i < 2; i++)
		at[i] = block->at[i].module ? rfs_symbols_text(c->symbols, &block->at[i], false)
					    : xstrdup("an unknown place");
	text = block->freed ? xasprintf("use after free of a block of %" PRIu64 " bytes, allocated at %s, freed at %s",
					block->size, at[0], at[1])
			    : xasprintf("access behind the end of a block of %" PRIu64 " bytes, allocated at %s",
					block->size, at[0]);
	free(at[0]);
	free(at[1]);
	return text;
}

void rfs_saved_run_report_fill(struct rfs_campaign *c, const struct rfs_saved_run *kept, struct rfs_report_shown *out)
{
	const struct rfs_run_result *result = &kept->result;
	struct rfs_signature signature;

	if (!rfs_run_failed(result, &signature))
		return;
	/* what the program wrote to a test driver is in no file; what its children wrote is only in the files */
	out->output = rfs_excerpt(result->said.data, result->said.size);
	if (!out->output)
		out->output = file_excerpt(c, kept->execution.name, "err");
	if (!out->output)
		out->output = file_excerpt(c, kept->execution.name, "out");
	rfs_symbols_stack(c->symbols, result->fault, result->n_fault, &out->stack);
	out->faults = rfs_saved_run_report_faults(c, result);
	out->block = bad_block(c, &result->bad_block);
}

void rfs_report_objects(struct rfs_campaign *c, const struct rfs_object *objects, size_t n,
			struct rfs_report_strings *out)
{
	for (size_t i = 0; i < n; i++) {
		char *name = rfs_symbols_lock(c->symbols, &objects[i]);

		rfs_report_add_string(out, name ? name : "a lock");
		free(name);
	}
}

char *rfs_report_hang(const struct rfs_run_result *result)
{
	return xstrdup(result->detail ? "far more scheduling steps than other runs"
				      : "far more CPU time than other runs");
}

void rfs_report_said(struct rfs_campaign *c, const struct rfs_saved_run *run, struct rfs_report_strings *out)
{
	char *path = rfs_campaign_output(c, run->execution.name, "err");

	rfs_sanitizer_report(path, out);
	free(path);
}
