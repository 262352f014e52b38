/* pair_list.c - joins the pairs that runs report, gives each its sites, and finds pairs by them. */
#include "supervisor/campaign/predicted/pair_list.h"

#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/address_name.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/object_kind.h"
#include "supervisor/base/path.h"
#include "supervisor/base/siteset.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/failures/saved_run.h"
#include "supervisor/record/run_result.h"
#include "supervisor/symbols/place.h"
#include "supervisor/symbols/symbolize.h"

/* More pairs of instructions of one pair are not tried. */
#define NARROW_MAX 64

/* Puts the smaller site first, so that equal pairs have equal sides. */
static void order_sides(struct rfs_race *race)
{
	struct rfs_evidence *a = &race->side[0], *b = &race->side[1], swap;

	if (rfs_site_compare(a->site.module, a->site.offset, b->site.module, b->site.offset) <= 0)
		return;
	swap = *a;
	*a = *b;
	*b = swap;
}

static int pair_list_compare_races(const struct rfs_race *a, const struct rfs_race *b)
{
	for (int i = 0; i < 2; i++) {
		const struct rfs_place *x = &a->side[i].site, *y = &b->side[i].site;
		int order = rfs_site_compare(x->module, x->offset, y->module, y->offset);

		if (order)
			return order;
	}
	return 0;
}

static struct rfs_pair *pair_list_find(struct rfs_pair_list *pairs, const struct rfs_race *race)
{
	for (size_t i = 0; i < pairs->n; i++)
		if (pair_list_compare_races(&pairs->list[i]->evidence, race) == 0)
			return pairs->list[i];
	return NULL;
}

static void add_meeting(struct rfs_meetings *met, const struct rfs_address_name *name)
{
	if (name->kind == RFS_ADDRESS_NONE || met->n == RFS_PAIR_ADDRESSES)
		return;
	for (size_t i = 0; i < met->n; i++)
		if (memcmp(&met->names[i], name, sizeof(*name)) == 0)
			return;
	met->names[met->n++] = *name;
}

static void add_address(struct rfs_pair *pair, const struct rfs_address_name *name)
{
	if (!pair->begun)
		add_meeting(&pair->met, name);
}

struct rfs_pair *rfs_pair_list_add(struct rfs_pair_list *pairs)
{
	struct rfs_pair *pair = xcalloc(1, sizeof(*pair));

	pairs->list = xreallocarray(pairs->list, pairs->n + 1, sizeof(*pairs->list));
	pairs->list[pairs->n++] = pair;
	return pair;
}

size_t rfs_pair_list_join(struct rfs_pair_list *pairs, struct rfs_symbols *symbols, struct rfs_run_result *result)
{
	size_t before = pairs->n;

	for (size_t i = 0; i < result->prediction.n; i++) {
		struct rfs_race *race = &result->prediction.races[i];
		struct rfs_pair *known, *added;

		if (!race->side[0].site.module || !race->side[1].site.module) {
			/* code that the target made at run time has no name that is the same in the next run */
			pairs->n_unnamed++;
			continue;
		}
		order_sides(race);
		known = pair_list_find(pairs, race);
		if (known) {
			known->evidence.atomic_seen |= race->atomic_seen;
			known->evidence.ordered &= race->ordered;
			add_address(known, &race->address);
			continue;
		}
		if (rfs_pair_is_atomic(symbols, race)) {
			pairs->n_atomic++;
			continue;
		}
		added = rfs_pair_list_add(pairs);
		added->predicted = true;
		added->evidence = *race;
		add_address(added, &race->address);
		memset(race, 0, sizeof(*race));
	}
	return pairs->n - before;
}

static int pair_list_compare_pairs(const void *a, const void *b)
{
	const struct rfs_pair *const *x = a, *const *y = b;

	return pair_list_compare_races(&(*x)->evidence, &(*y)->evidence);
}

/* Makes a statement that consists of one site. The statement owns its strings. */
static struct rfs_statement statement_of(const struct rfs_place *site)
{
	struct rfs_site_ref *ref = xcalloc(1, sizeof(*ref));

	*ref = (struct rfs_site_ref){.module = xstrdup(site->module), .offset = site->offset};
	return (struct rfs_statement){.sites = ref, .n_sites = 1};
}

const struct rfs_site_set *rfs_pair_list_sites(const struct rfs_pair_list *pairs)
{
	static const struct rfs_site_set none;

	return pairs->n_sites ? pairs->sites[pairs->n_sites - 1] : &none;
}

unsigned rfs_pair_object_kinds(const struct rfs_pair *pair)
{
	const struct rfs_evidence *side = pair->evidence.side;

	if (!((side[0].access | side[1].access) & RFS_ACCESS_CALL))
		return pair->named_kinds;
	/* a call may also meet an ordinary access, at the memory that it unmaps */
	return 1u << (side[0].object.kind == RFS_MEMORY_KERNEL ? side[0].object.offset : RFS_OBJECT_MEMORY);
}

unsigned rfs_pair_list_object_kinds(const struct rfs_pair_list *pairs, const struct rfs_site_set *sites)
{
	for (size_t i = pairs->n_sites; i-- > 0;)
		if (pairs->sites[i] == sites)
			return pairs->object_kinds[i];
	return 0;
}

/* Gives the pair its label and statements, and adds their sites. */
static void settle_pair(struct rfs_pair *pair, size_t number, struct rfs_site_set *sites)
{
	pair->label = xasprintf("pair-%zu", number);
	for (int k = 0; k < 2; k++) {
		struct rfs_statement *statement = &pair->statements.statement[k];

		if (!statement->sites)
			*statement = statement_of(&pair->evidence.side[k].site);
		for (size_t s = 0; s < statement->n_sites; s++)
			rfs_site_set_add(sites, statement->sites[s].module, statement->sites[s].offset);
	}
}

void rfs_pair_list_settle(struct rfs_pair_list *pairs)
{
	size_t first = pairs->n_settled;
	struct rfs_site_set *sites;
	unsigned object_kinds;

	if (first == pairs->n)
		return;
	/* sorted, because the order in which runs found the pairs must not matter */
	if (pairs->list[first]->predicted)
		qsort(pairs->list + first, pairs->n - first, sizeof(*pairs->list), pair_list_compare_pairs);
	sites = xcalloc(1, sizeof(*sites));
	rfs_site_set_join(sites, rfs_pair_list_sites(pairs));
	object_kinds = rfs_pair_list_object_kinds(pairs, rfs_pair_list_sites(pairs));
	for (size_t i = first; i < pairs->n; i++) {
		settle_pair(pairs->list[i], i + 1, sites);
		object_kinds |= rfs_pair_object_kinds(pairs->list[i]);
	}
	pairs->n_settled = pairs->n;
	pairs->sites = xreallocarray(pairs->sites, pairs->n_sites + 1, sizeof(*pairs->sites));
	pairs->object_kinds = xreallocarray(pairs->object_kinds, pairs->n_sites + 1, sizeof(*pairs->object_kinds));
	pairs->object_kinds[pairs->n_sites] = object_kinds;
	pairs->sites[pairs->n_sites++] = sites;
}

/* The site of the statement that is this place; NULL: none. */
static const struct rfs_site_ref *site_at(const struct rfs_statement *statement, const struct rfs_place *place)
{
	for (size_t i = 0; i < statement->n_sites; i++)
		if (rfs_site_compare(statement->sites[i].module, statement->sites[i].offset, place->module,
				     place->offset) == 0)
			return &statement->sites[i];
	return NULL;
}

static void add_narrow(struct rfs_pair *pair, const struct rfs_site_ref *a, const struct rfs_site_ref *b,
		       const struct rfs_address_name *name)
{
	struct rfs_narrow *narrow = NULL;

	for (size_t i = 0; i < pair->n_narrow && !narrow; i++)
		if (pair->narrow[i]->sites[0].offset == a->offset && pair->narrow[i]->sites[0].module == a->module &&
		    pair->narrow[i]->sites[1].offset == b->offset && pair->narrow[i]->sites[1].module == b->module)
			narrow = pair->narrow[i];
	if (!narrow && pair->n_narrow == NARROW_MAX)
		return;
	if (!narrow) {
		narrow = xcalloc(1, sizeof(*narrow));
		narrow->sites[0] = *a;
		narrow->sites[1] = *b;
		for (int k = 0; k < 2; k++)
			narrow->statements.statement[k] = (struct rfs_statement){&narrow->sites[k], 1};
		pair->narrow = xreallocarray(pair->narrow, pair->n_narrow + 1, sizeof(struct rfs_narrow *));
		pair->narrow[pair->n_narrow++] = narrow;
	}
	add_meeting(&narrow->met, name);
}

static void pair_list_meet(struct rfs_pair *pair, const struct rfs_race *race)
{
	const struct rfs_statement *statement = pair->statements.statement;

	for (int first = 0; first < 2; first++) {
		const struct rfs_site_ref *a = site_at(&statement[0], &race->side[first].site),
					  *b = site_at(&statement[1], &race->side[1 - first].site);

		if (!a || !b)
			continue;
		add_address(pair, &race->address);
		if (statement[0].n_sites > 1 || statement[1].n_sites > 1)
			add_narrow(pair, a, b, &race->address);
		return;
	}
}

void rfs_pair_list_meet(struct rfs_pair_list *pairs, struct rfs_symbols *symbols, const struct rfs_run_result *result)
{
	for (size_t i = 0; i < result->prediction.n; i++) {
		const struct rfs_race *race = &result->prediction.races[i];

		if (!race->side[0].site.module || !race->side[1].site.module || rfs_pair_is_atomic(symbols, race))
			continue;
		for (size_t k = 0; k < pairs->n_settled; k++)
			pair_list_meet(pairs->list[k], race);
	}
}

bool rfs_pair_has(const struct rfs_pair *pair, const struct rfs_statement_pair *statements)
{
	for (size_t i = 0; i < pair->n_narrow; i++)
		if (statements == &pair->narrow[i]->statements)
			return true;
	return statements == &pair->statements;
}

static void release_race(struct rfs_race *race)
{
	/* no function releases a single race, so the race is put into a result, and the result is released */
	struct rfs_run_result owner = {.prediction.n = 1, .prediction.races = xcalloc(1, sizeof(*race))};

	*owner.prediction.races = *race;
	rfs_run_result_release(&owner);
	memset(race, 0, sizeof(*race));
}

static void order_output_release(struct rfs_order_output *output)
{
	free(output->line[0]);
	free(output->line[1]);
	*output = (struct rfs_order_output){0};
}

static void pair_list_release_pair(struct rfs_pair *pair)
{
	for (int k = 0; k < 2; k++) {
		const struct rfs_statement *statement = &pair->statements.statement[k];

		for (size_t s = 0; s < statement->n_sites; s++)
			free((char *)statement->sites[s].module);
		free((struct rfs_site_ref *)statement->sites);
	}
	for (size_t i = 0; i < pair->n_narrow; i++)
		free(pair->narrow[i]);
	free(pair->narrow);
	free(pair->label);
	free(pair->group);
	release_race(&pair->evidence);
	for (int k = 0; k < 2; k++)
		rfs_evidence_release(&pair->stood[k]);
	if (pair->has_created)
		rfs_saved_run_release(&pair->created);
	for (size_t i = 0; i < pair->n_failures; i++) {
		rfs_saved_run_release(&pair->failures[i].first);
		rfs_failure_key_release(&pair->failures[i].key);
		free(pair->failures[i].options);
	}
	free(pair->failures);
	order_output_release(&pair->output);
}

const struct rfs_saved_run *rfs_pair_use_after_free(const struct rfs_pair *pair)
{
	for (size_t i = 0; i < pair->n_failures; i++) {
		const struct rfs_saved_run *run = &pair->failures[i].first;

		if (run->replayed != RFS_REPLAY_DIFFERENT && rfs_race_is_use_after_free(&run->result.created))
			return run;
	}
	return pair->has_created && rfs_race_is_use_after_free(&pair->created.result.created) ? &pair->created : NULL;
}

void rfs_pair_list_release(struct rfs_pair_list *pairs)
{
	for (size_t i = 0; i < pairs->n; i++) {
		pair_list_release_pair(pairs->list[i]);
		free(pairs->list[i]);
	}
	free(pairs->list);
	for (size_t i = 0; i < pairs->n_sites; i++) {
		rfs_site_set_release(pairs->sites[i]);
		free(pairs->sites[i]);
	}
	free(pairs->sites);
	free(pairs->object_kinds);
	*pairs = (struct rfs_pair_list){0};
}

static bool same_stack(const struct rfs_run_result *a, const struct rfs_run_result *b)
{
	bool same = a->n_fault == b->n_fault;

	for (size_t i = 0; same && i < a->n_fault; i++)
		same = a->fault[i].offset == b->fault[i].offset &&
		       strcmp(rfs_base_name(a->fault[i].module), rfs_base_name(b->fault[i].module)) == 0;
	return same;
}

size_t rfs_pair_list_explains(const struct rfs_campaign *c, const struct rfs_finding *finding)
{
	if (rfs_failure_shows_threads(finding->key.signature.kind) || finding->first->replayed != RFS_REPLAY_SAME)
		return 0;
	for (size_t i = 0; i < c->pairs->n; i++) {
		const struct rfs_pair *pair = c->pairs->list[i];

		for (size_t k = 0; k < pair->n_failures && pair->verdict == RFS_VERDICT_HARMFUL; k++)
			if (pair->failures[k].attributed &&
			    rfs_signature_equal(&pair->failures[k].key.signature, &finding->key.signature) &&
			    rfs_failure_key_says(&pair->failures[k].key, &finding->key) &&
			    same_stack(&pair->failures[k].first.result, &finding->first->result))
				return i + 1;
	}
	return 0;
}
