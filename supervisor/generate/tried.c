#include "supervisor/generate/tried.h"

#include <stdlib.h>

#include "supervisor/base/alloc.h"
#include "supervisor/generate/library.h"
#include "supervisor/generate/sequence.h"
#include "supervisor/generate/trial.h"

void rfs_tried_init(const struct rfs_library *library, struct rfs_tried *out)
{
	*out = (struct rfs_tried){
		.library = library,
		.tried = xcalloc(library->n_functions + 1, sizeof(bool)),
		.returned = xcalloc(library->n_functions + 1, sizeof(bool)),
	};
}

void rfs_tried_release(struct rfs_tried *tried)
{
	free(tried->tried);
	free(tried->returned);
	*tried = (struct rfs_tried){0};
}

void rfs_tried_note(struct rfs_tried *tried, const struct rfs_sequence *sequence, const struct rfs_trial *trial)
{
	size_t number = 0;

	if (trial->end == RFS_TRIAL_BAD)
		return; /* the driver has executed nothing */
	for (int section = 0; section < RFS_N_SECTIONS; section++)
		for (size_t i = 0; i < sequence->n[section] && number <= trial->n; i++, number++) {
			const size_t function = sequence->calls[section][i].function;

			if (function == RFS_CALL_MEMORY)
				continue;
			tried->tried[function] = true;
			tried->returned[function] |= number < trial->n;
		}
}

static bool is_method(const struct rfs_library *library, size_t function)
{
	for (size_t i = 0; i < library->n_types; i++)
		for (size_t k = 0; k < library->types[i].n_uses; k++)
			if (library->types[i].uses[k].function == function &&
			    library->types[i].uses[k].role == RFS_ROLE_METHOD)
				return true;
	return false;
}

size_t rfs_tried_methods(const struct rfs_tried *tried, size_t *returned)
{
	size_t n = 0;

	*returned = 0;
	for (size_t i = 0; i < tried->library->n_functions; i++)
		if (tried->tried[i] && is_method(tried->library, i)) {
			n++;
			*returned += tried->returned[i];
		}
	return n;
}

bool rfs_tried_in_vain(const struct rfs_tried *tried, size_t function)
{
	return tried->tried[function] && !tried->returned[function] && is_method(tried->library, function);
}
