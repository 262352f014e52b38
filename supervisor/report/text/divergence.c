/* divergence.c - prints the stacks of the two operations and the likely cause, if they are known. */
#include "supervisor/report/text/divergence.h"

#include <stdlib.h>

#include "supervisor/record/run_result.h"
#include "supervisor/report/text/short_name.h"
#include "supervisor/symbols/source_place.h"
#include "supervisor/symbols/symbolize.h"

static void print_stack(struct rfs_symbols *symbols, const struct rfs_place *stack, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++) {
		struct rfs_source_place place = {0};
		char *where = rfs_symbols_text(symbols, &stack[i], i > 0), *name;

		rfs_symbols_place(symbols, &stack[i], i > 0, &place);
		name = rfs_short_place_name(&place);
		fprintf(out, "        #%-2zu %s  %s\n", i, name, where);
		free(name);
		rfs_source_place_release(&place);
		free(where);
	}
}

void rfs_divergence_print(struct rfs_symbols *symbols, const struct rfs_run_result *result, FILE *out)
{
	static const char *const heads[] = {"the recorded run was at", "this run is at"};

	for (int i = 0; i < 2; i++) {
		if (!result->divergence.at[i].n_stack)
			continue;
		fprintf(out, "    %s\n", heads[i]);
		print_stack(symbols, result->divergence.at[i].stack, result->divergence.at[i].n_stack, out);
	}
	if (result->divergence.cause)
		fprintf(out, "    likely cause: %s\n", result->divergence.cause);
}
