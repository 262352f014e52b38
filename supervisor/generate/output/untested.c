/* untested.c - the reasons come from the roles of functions, and from what happened when they were called. */
#include "supervisor/generate/output/untested.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "supervisor/base/alloc.h"
#include "supervisor/generate/library/library.h"
#include "supervisor/generate/session/session.h"
#include "supervisor/generate/tests/tried_methods.h"

/* At most this many functions are named. */
#define NAMED 3

struct reasons {
	const struct rfs_library *library;
	const struct rfs_tried_methods *tried;
	FILE *out;
	size_t n; /* functions so far */
};

/* What became of the function's calls. */
static void untested_write_calls(struct reasons *r, size_t function, bool makes)
{
	const struct rfs_library_function *f = &r->library->functions[function];
	const struct rfs_tried_methods_calls *calls = &r->tried->calls[function];

	if (r->n++ >= NAMED)
		return;
	fprintf(r->out, "%s%s", r->n > 1 ? "; " : "", f->shown);
	if (f->left_out)
		fprintf(r->out, " %s", f->left_out);
	else if (calls->returned && makes)
		fprintf(r->out, " gave no object in %u calls", calls->returned);
	else if (calls->returned)
		fprintf(r->out, " ended the object or the test in %u calls", calls->returned);
	else if (calls->failed || calls->deaths)
		fprintf(r->out, " did not return in any call");
	else
		fprintf(r->out, " was never called, because an argument could not be made");
}

static void write_functions(struct reasons *r, const struct rfs_library_type *type, bool makes)
{
	for (size_t i = 0; i < type->n_uses; i++)
		if (makes ? type->uses[i].role <= RFS_ROLE_INITIALISES : type->uses[i].role == RFS_ROLE_METHOD)
			untested_write_calls(r, type->uses[i].function, makes);
	if (r->n > NAMED)
		fprintf(r->out, "; and %zu more", r->n - NAMED);
	if (!r->n)
		fprintf(r->out, makes ? "no function of the library makes one" : "it has no methods");
}

char *rfs_untested_why(const struct rfs_library *library, const struct rfs_tried_methods *tried,
		       const struct rfs_type_result *type)
{
	struct reasons r = {library, tried, NULL, 0};
	char *text;
	size_t size;

	if (type->verdict != RFS_TYPE_NOT_MADE && type->verdict != RFS_TYPE_NOT_USED)
		return NULL;
	r.out = xopen_memstream(&text, &size);
	write_functions(&r, type->type, type->verdict == RFS_TYPE_NOT_MADE);
	fclose(r.out);
	return text;
}
