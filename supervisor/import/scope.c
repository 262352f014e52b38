/* scope.c - parses patterns, and compares frames with them. campaign/ decides which frames of a prediction count. */
#include "supervisor/import/scope.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/text/number.h"
#include "supervisor/import/suppressions-priv.h"
#include "supervisor/import/suppressions.h"

static bool scope_parse_number(const char *text, size_t n, unsigned *out)
{
	char *word = xstrndup(text, n);
	uint64_t number;
	const bool right = rfs_number_parse(word, 1, UINT_MAX, &number) == 0;

	free(word);
	if (right)
		*out = (unsigned)number;
	return right;
}

/* "7" or "7-9". False if it is neither; then it belongs to the name, and *out is as before. */
static bool parse_lines(const char *text, struct rfs_scope_pattern *out)
{
	const char *dash = strchr(text, '-');
	unsigned first, last;

	if (!scope_parse_number(text, dash ? (size_t)(dash - text) : strlen(text), &first))
		return false;
	if (!dash)
		last = first;
	else if (!scope_parse_number(dash + 1, strlen(dash + 1), &last))
		return false;
	out->first = first;
	out->last = last;
	return true;
}

static void append(struct rfs_scope_pattern **list, size_t *n, struct rfs_scope_pattern pattern)
{
	*list = xreallocarray(*list, *n + 1, sizeof(**list));
	(*list)[(*n)++] = pattern;
}

static int add_pattern(struct rfs_scope_pattern **list, size_t *n_list, const char *text, char *why, size_t n)
{
	struct rfs_scope_pattern pattern = {.text = xstrdup(text)};
	const char *colon = strrchr(text, ':');
	const bool has_lines = colon && colon != text && parse_lines(colon + 1, &pattern);

	pattern.glob = has_lines ? xstrndup(text, (size_t)(colon - text)) : xstrdup(text);
	append(list, n_list, pattern);
	if (pattern.last < pattern.first)
		return rfs_why(why, n, -EINVAL, "'%s': line %u is before line %u; write FILE:FIRST-LAST", text,
			       pattern.last, pattern.first);
	return 0;
}

int rfs_scope_add_only(struct rfs_scope *scope, const char *pattern, char *why, size_t n)
{
	return add_pattern(&scope->only, &scope->n_only, pattern, why, n);
}

int rfs_scope_add_skip(struct rfs_scope *scope, const char *pattern, char *why, size_t n)
{
	return add_pattern(&scope->skip, &scope->n_skip, pattern, why, n);
}

void rfs_scope_add_lines(struct rfs_scope *scope, const char *file, unsigned first, unsigned last)
{
	scope->n_changed++;
	append(&scope->only, &scope->n_only,
	       (struct rfs_scope_pattern){
		       .glob = xstrdup(file),
		       .text = xasprintf("%s:%u-%u", file, first, last),
		       .first = first,
		       .last = last,
	       });
}

static void release_list(struct rfs_scope_pattern *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(list[i].glob);
		free(list[i].text);
	}
	free(list);
}

void rfs_scope_release(struct rfs_scope *scope)
{
	release_list(scope->only, scope->n_only);
	release_list(scope->skip, scope->n_skip);
	*scope = (struct rfs_scope){0};
}

bool rfs_scope_pattern_names(const struct rfs_scope_pattern *pattern, const char *name)
{
	if (!name)
		return false;
	if (rfs_suppression_glob(pattern->glob, name, true))
		return true;
	/* the last components of a path, each of which begins behind a slash */
	for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/'))
		if (rfs_suppression_glob(pattern->glob, slash + 1, true))
			return true;
	return false;
}

static bool fits_frame(const struct rfs_scope_pattern *pattern, const struct rfs_suppressible_frame *frame)
{
	if (pattern->first)
		return frame->line >= pattern->first && frame->line <= pattern->last &&
		       rfs_scope_pattern_names(pattern, frame->file);
	return rfs_scope_pattern_names(pattern, frame->symbol) || rfs_scope_pattern_names(pattern, frame->function) ||
	       rfs_scope_pattern_names(pattern, frame->bare) || rfs_scope_pattern_names(pattern, frame->file) ||
	       rfs_scope_pattern_names(pattern, frame->module);
}

static bool fits(const struct rfs_scope_pattern *pattern, const struct rfs_suppressible *what)
{
	for (size_t i = 0; i < what->n_stacks; i++)
		for (size_t k = 0; k < what->stacks[i].n; k++)
			if (fits_frame(pattern, &what->stacks[i].frames[k]))
				return true;
	return !pattern->first && rfs_scope_pattern_names(pattern, what->variable);
}

size_t rfs_scope_leaves_out(const struct rfs_scope *scope, const struct rfs_suppressible *what)
{
	bool inside = !scope->n_only;

	for (size_t i = 0; i < scope->n_skip; i++)
		if (fits(&scope->skip[i], what))
			return RFS_SCOPE_ONLY + 1 + i;
	for (size_t i = 0; i < scope->n_only && !inside; i++)
		inside = fits(&scope->only[i], what);
	return inside ? 0 : RFS_SCOPE_ONLY;
}
