/* pair_groups.c - gives each pair the key of its group, and numbers the groups. */
#include "supervisor/campaign/predicted/pair_groups.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/campaign/decisions/arm.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/symbols/place.h"
#include "supervisor/symbols/source_place.h"
#include "supervisor/symbols/symbolize.h"

/* The function of the statement. Caller frees. */
static char *pair_groups_function_of(struct rfs_symbols *symbols, const struct rfs_place *site)
{
	struct rfs_source_place place;
	const char *name;
	char *text;

	rfs_symbols_place(symbols, site, false, &place);
	name = place.function ? place.function : place.near;
	text = name ? xstrdup(name) : xasprintf("%s+0x%" PRIx64, site->module, site->offset);
	/* "near deflate+0x1a0" */
	if (name && !place.function)
		text[strcspn(text, "+")] = '\0';
	rfs_source_place_release(&place);
	return text;
}

/* The variable or block, without the member, index or offset in it; otherwise the kind of memory. Caller frees. */
static char *memory_of(struct rfs_symbols *symbols, const struct rfs_object *object)
{
	char *name;

	if (object->kind == RFS_MEMORY_HEAP && object->n_stack)
		return xasprintf("block %s+0x%" PRIx64, object->stack[0].module, object->stack[0].offset);
	name = object->kind == RFS_MEMORY_STATIC ? rfs_symbols_object(symbols, object, NULL) : NULL;
	if (name && !strstr(name, "+0x")) {
		name[strcspn(name, ".[ ")] = '\0';
		return name;
	}
	free(name);
	return xasprintf("kind %d", (int)object->kind);
}

/* Equal for pairs of one group. Caller frees. */
static char *key_of(struct rfs_symbols *symbols, const struct rfs_pair *pair)
{
	const struct rfs_evidence *side = pair->evidence.side;
	char *functions[2], *memory = memory_of(symbols, &side[0].object), *key;
	int first;

	for (int k = 0; k < 2; k++)
		functions[k] = pair_groups_function_of(symbols, &side[k].site);
	first = strcmp(functions[0], functions[1]) > 0;
	key = xasprintf("%s\n%s\n%s", functions[first], functions[1 - first], memory);
	for (int k = 0; k < 2; k++)
		free(functions[k]);
	free(memory);
	return key;
}

/* A pair that had a turn keeps its number. */
static bool goes_before(const struct rfs_pair *a, const struct rfs_pair *b)
{
	if (a->begun != b->begun)
		return a->begun;
	if (a->begun || a->arm.late != b->arm.late)
		return !a->begun && b->arm.late;
	return a->arm.rank < b->arm.rank;
}

/* How many pairs of the group of this pair go before it. */
static unsigned number_of(const struct rfs_pair_list *pairs, size_t at)
{
	const struct rfs_pair *pair = pairs->list[at];
	unsigned n = 0;

	for (size_t i = 0; i < pairs->n; i++) {
		const struct rfs_pair *other = pairs->list[i];

		if (i != at && other->group && strcmp(other->group, pair->group) == 0)
			n += goes_before(other, pair) || (i < at && !goes_before(pair, other));
	}
	return n;
}

void rfs_pair_groups_make(struct rfs_pair_list *pairs, struct rfs_symbols *symbols)
{
	for (size_t i = 0; i < pairs->n; i++)
		if (pairs->list[i]->predicted && !pairs->list[i]->group)
			pairs->list[i]->group = key_of(symbols, pairs->list[i]);
	for (size_t i = 0; i < pairs->n; i++)
		if (pairs->list[i]->group && !pairs->list[i]->begun)
			pairs->list[i]->arm.member = number_of(pairs, i);
}
