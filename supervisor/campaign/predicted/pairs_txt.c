/* pairs_txt.c - writes the pairs, predicted deadlocks and violations by name. record/pairs.c has the format. */
#include "supervisor/campaign/predicted/pairs_txt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/output.h"
#include "supervisor/campaign/decisions/arm.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/tally.h"
#include "supervisor/campaign/executions/warnings.h"
#include "supervisor/campaign/predicted/cycle_names.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/campaign/predicted/violation_names.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/settings.h"
#include "supervisor/record/pairs.h"
#include "supervisor/symbols/place.h"
#include "supervisor/symbols/symbolize.h"

/* The statement is named by its offset, because a line may have several statements; the line is written as a comment
 * only. */
static void pairs_txt_add_pair(struct rfs_campaign *c, const struct rfs_pair *pair, struct rfs_pairs *file)
{
	struct rfs_name names[2] = {0};
	char *lines[2], *comment;

	for (int k = 0; k < 2; k++) {
		const struct rfs_place *site = &pair->evidence.side[k].site;

		names[k] = (struct rfs_name){
			.form = RFS_NAME_OFFSET,
			.name = (char *)rfs_tally_module_name(c->tally, site->module),
			.number = site->offset,
		};
		lines[k] = rfs_symbols_text(c->symbols, site, false);
	}
	comment = xasprintf("%s %s", lines[0], lines[1]);
	rfs_pairs_add(file, names, comment);
	file->pairs[file->n_pairs - 1].object_kinds = rfs_pair_object_kinds(pair);
	free(comment);
	free(lines[0]);
	free(lines[1]);
}

/* Writes the file, and empties it. */
static void pairs_txt_write(struct rfs_campaign *c, struct rfs_pairs *file, const char *name)
{
	char *text = NULL, why[512];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	/* borrowed, so it is reset before rfs_pairs_release() could free it */
	file->program = c->options->argv[0] ? c->options->argv : NULL;
	rfs_pairs_write(file, out);
	file->program = NULL;
	fclose(out);
	if (rfs_output_write(c->settings->output, name, text, size, why, sizeof(why)))
		rfs_warnings_give(c->warnings, why);
	rfs_pairs_release(file);
	free(text);
}

void rfs_pairs_txt_save(struct rfs_campaign *c)
{
	struct rfs_pairs file = {0};

	for (size_t i = 0; i < c->pairs->n; i++)
		pairs_txt_add_pair(c, c->pairs->list[i], &file);
	rfs_cycle_names_add(c, false, &file);
	rfs_violation_names_add(c, false, &file);
	pairs_txt_write(c, &file, "pairs.txt");
}

static int pairs_txt_compare(const void *a, const void *b)
{
	const struct rfs_pair *const *x = a, *const *y = b;
	const int order = rfs_arm_compare(&(*x)->arm, &(*y)->arm);

	return order ? order : strcmp((*x)->group ? (*x)->group : "", (*y)->group ? (*y)->group : "");
}

size_t rfs_pairs_txt_save_untried(struct rfs_campaign *c)
{
	struct rfs_pair **pairs = xcalloc(c->pairs->n + 1, sizeof(*pairs));
	struct rfs_pairs file = {0};
	size_t n = 0;

	for (size_t i = 0; i < c->pairs->n; i++) {
		struct rfs_pair *pair = c->pairs->list[i];

		if (pair->predicted && !pair->suppressed && !pair->runs && !pair->timeouts && !pair->tried)
			pairs[n++] = pair;
	}
	qsort(pairs, n, sizeof(struct rfs_pair *), pairs_txt_compare);
	for (size_t i = 0; i < n; i++)
		pairs_txt_add_pair(c, pairs[i], &file);
	free(pairs);
	rfs_cycle_names_add(c, true, &file);
	rfs_violation_names_add(c, true, &file);
	n = file.n_pairs + file.n_cycles + file.n_violations;
	if (n)
		pairs_txt_write(c, &file, RFS_NEXT_TXT);
	return n;
}
