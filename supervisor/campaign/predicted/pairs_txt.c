#include "supervisor/campaign/predicted/pairs_txt.h"

#include <stdio.h>
#include <stdlib.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/output.h"
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

void rfs_pairs_txt_save(struct rfs_campaign *c)
{
	struct rfs_pairs file = {0};
	char *text = NULL, why[512];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	for (size_t i = 0; i < c->pairs->n; i++) {
		struct rfs_name names[2] = {0};
		char *lines[2], *comment;

		for (int k = 0; k < 2; k++) {
			const struct rfs_place *site = &c->pairs->list[i]->evidence.side[k].site;

			/*
			 * the statement is named by its offset, because a line may have several statements; the line is
			 * written as a comment only
			 */
			names[k] = (struct rfs_name){
				.form = RFS_NAME_OFFSET,
				.name = (char *)rfs_tally_module_name(c->tally, site->module),
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
	rfs_cycle_names_add(c, &file);
	rfs_violation_names_add(c, &file);
	/* borrowed, so it is reset before rfs_pairs_release() could free it */
	file.program = c->options->argv[0] ? c->options->argv : NULL;
	rfs_pairs_write(&file, out);
	file.program = NULL;
	fclose(out);
	if (rfs_output_write(c->settings->output, "pairs.txt", text, size, why, sizeof(why)))
		rfs_warnings_give(c->warnings, why);
	rfs_pairs_release(&file);
	free(text);
}
