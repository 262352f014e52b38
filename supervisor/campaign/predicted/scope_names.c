/* scope_names.c - looks for each pattern among the functions, files, variables and modules of the program. */
#include "supervisor/campaign/predicted/scope_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/dwarf/dwarf.h"
#include "disasm/elf/elf.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/path.h"
#include "supervisor/base/text/near_word.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/settings/settings.h"
#include "supervisor/import/function_name.h"
#include "supervisor/import/scope.h"
#include "supervisor/record/run_result.h"
#include "supervisor/symbols/symbolize.h"

/* The patterns that have named nothing so far, and for each the nearest name. */
struct search {
	const struct rfs_scope_pattern **patterns; /* NULL: it names something */
	char **near;
	size_t *distance;
	size_t n;
	bool lines; /* a source file: a pattern with lines may name it */
};

/* Whether the pattern is a member of the variable, such as "stats.hits" of "stats". The tables of names have no
 * members. */
static bool is_member(const struct rfs_scope_pattern *pattern, const char *variable)
{
	const size_t n = strlen(variable);

	return n && strncmp(pattern->glob, variable, n) == 0 && (pattern->glob[n] == '.' || pattern->glob[n] == '[');
}

static void compare(struct search *search, const char *name)
{
	for (size_t i = 0; i < search->n; i++) {
		const struct rfs_scope_pattern *pattern = search->patterns[i];

		if (!pattern || (pattern->first && !search->lines))
			continue;
		if (rfs_scope_pattern_names(pattern, name) || is_member(pattern, name)) {
			search->patterns[i] = NULL;
		} else if (rfs_near_word(pattern->glob, rfs_base_name(name), &search->distance[i])) {
			free(search->near[i]);
			search->near[i] = xstrdup(rfs_base_name(name));
		}
	}
}

static void compare_name(void *arg, const char *name)
{
	compare(arg, name);
}

static void compare_file(void *arg, const char *name)
{
	struct search *search = arg;

	search->lines = true;
	compare(search, name);
	search->lines = false;
}

static void compare_symbol(void *arg, const char *name, rfs_addr vaddr, uint64_t size, enum rfs_symbol_type type)
{
	char *demangled, *bare;

	(void)vaddr;
	(void)size;
	(void)type;
	compare(arg, name);
	demangled = rfs_demangle(name);
	if (!demangled)
		return;
	compare(arg, demangled);
	bare = rfs_function_bare_name(demangled);
	compare(arg, bare);
	free(bare);
	free(demangled);
}

static bool names_all(const struct search *search)
{
	for (size_t i = 0; i < search->n; i++)
		if (search->patterns[i])
			return false;
	return true;
}

/* The debug information of a library that is not watched takes long to read, and no prediction is in it. */
static void search_module(struct rfs_campaign *c, struct search *search, const struct rfs_run_module *module)
{
	const struct rfs_elf *elf = rfs_symbols_elf(c->symbols, module->path);
	const struct rfs_dwarf *dwarf = module->watched ? rfs_symbols_dwarf(c->symbols, module->path) : NULL;

	compare(search, module->path);
	if (elf)
		rfs_elf_each_symbol(elf, compare_symbol, search);
	if (!dwarf)
		return;
	rfs_dwarf_each_name(dwarf, compare_name, search);
	rfs_dwarf_each_file(dwarf, compare_file, search);
}

static void search_add(struct search *search, const struct rfs_scope_pattern *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		search->patterns[search->n] = &list[i];
		search->distance[search->n++] = RFS_NEAR_NONE;
	}
}

static int refuse(const struct search *search, size_t i, char *why, size_t n)
{
	static const char nothing[] = "no function, source file, variable or module of the program is named";

	if (search->near[i])
		return rfs_why(why, n, -ENOENT, "%s '%s'; did you mean '%s'?", nothing, search->patterns[i]->text,
			       search->near[i]);
	return rfs_why(why, n, -ENOENT, "%s '%s'; write a name from a report, or a glob such as '*%s*'", nothing,
		       search->patterns[i]->text, search->patterns[i]->glob);
}

int rfs_scope_names_check(struct rfs_campaign *c, const struct rfs_run_result *result, char *why, size_t n)
{
	const struct rfs_scope *scope = c->settings->scope;
	const size_t most = scope ? scope->n_only + scope->n_skip : 0;
	struct search search = {.patterns = xcalloc(most + 1, sizeof(*search.patterns)),
				.near = xcalloc(most + 1, sizeof(*search.near)),
				.distance = xcalloc(most + 1, sizeof(*search.distance))};
	int error = 0;

	if (scope) {
		search_add(&search, scope->only + scope->n_changed, scope->n_only - scope->n_changed);
		search_add(&search, scope->skip, scope->n_skip);
	}
	for (size_t i = 0; i < result->n_modules && !names_all(&search); i++)
		search_module(c, &search, &result->modules[i]);
	/* a run that could not be made shows no module; the campaign says why */
	for (size_t i = 0; i < search.n && !error && result->n_modules; i++)
		if (search.patterns[i])
			error = refuse(&search, i, why, n);
	for (size_t i = 0; i < search.n; i++)
		free(search.near[i]);
	free(search.near);
	free(search.patterns);
	free(search.distance);
	return error;
}
