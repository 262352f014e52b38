/* list.c - the output of --list. */
#include "supervisor/generate/output/list.h"

#include <stdbool.h>
#include <string.h>

#include "supervisor/generate/library/library.h"
#include "supervisor/generate/library/shim.h"

#define WIDTH 100

/* Writes names with commas, in lines of at most WIDTH columns. */
struct column {
	FILE *out;
	size_t at;
	bool first;
};

static void put_word(struct column *column, const char *word)
{
	size_t n = strlen(word);

	if (!column->first)
		column->at += (size_t)fprintf(column->out, ",");
	if (column->at + n + 1 > WIDTH)
		column->at = (size_t)fprintf(column->out, "\n                ") - 1;
	column->at += (size_t)fprintf(column->out, " %s", word);
	column->first = false;
}

static void put_role(const struct rfs_library *library, const struct rfs_library_type *type, const char *title,
		     unsigned roles, FILE *out)
{
	struct column column = {out, 0, true};
	bool any = false;

	for (unsigned role = 0; role < RFS_N_ROLES; role++)
		any |= (roles & 1u << role) && type->n[role];
	if (!any)
		return;
	column.at = (size_t)fprintf(out, "  %-14s", title);
	for (size_t i = 0; i < type->n_uses; i++)
		if (roles & 1u << type->uses[i].role)
			put_word(&column, library->functions[type->uses[i].function].shown);
	fprintf(out, "\n");
}

static void put_type(const struct rfs_library *library, const struct rfs_library_type *type, FILE *out)
{
	static const char *const claims[] = {
		[RFS_CLAIM_NONE] = "",
		[RFS_CLAIM_SAFE] = " (safe, as the hints say)",
		[RFS_CLAIM_UNSAFE] = " (unsafe, as the hints say)",
	};

	fprintf(out, "\n%s%s%s\n", type->name, claims[type->claim],
		rfs_library_type_is_made(library, type) ? ""
							: ": no constructor; objects come only from other functions");
	put_role(library, type, "constructors",
		 1u << RFS_ROLE_RETURNS | 1u << RFS_ROLE_FILLS | 1u << RFS_ROLE_INITIALISES, out);
	put_role(library, type, "methods", 1u << RFS_ROLE_METHOD, out);
	put_role(library, type, "destructors", 1u << RFS_ROLE_DESTRUCTOR, out);
}

void rfs_library_list(const struct rfs_library *library, const struct rfs_shim *shim, FILE *out)
{
	const struct rfs_declarations *declarations = &shim->declarations;
	size_t made = 0;

	for (size_t i = 0; i < library->n_types; i++)
		made += rfs_library_type_is_made(library, &library->types[i]);
	fprintf(out, "%zu functions, %zu of them can be called\n", library->n_functions,
		library->n_functions - library->n_left_out);
	fprintf(out, "%zu types, %zu of them can be made\n", library->n_types, made);
	for (size_t i = 0; i < library->n_types; i++)
		put_type(library, &library->types[i], out);
	fprintf(out, "\nleft out\n");
	for (size_t i = 0; i < library->n_functions; i++)
		if (library->functions[i].left_out)
			fprintf(out, "  %s: %s\n", library->functions[i].shown, library->functions[i].left_out);
	if (shim->n_refused)
		fprintf(out, "  %zu functions that the compiler does not accept\n", shim->n_refused);
	if (declarations->n_not_exported)
		fprintf(out, "  %zu functions that the headers declare and the library does not export\n",
			declarations->n_not_exported);
}
