/* violation_names.c - names of accesses and calls in both directions, and the rows of the report. */
#include "supervisor/campaign/predicted/violation_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "policy/detect/atomicity.h"
#include "supervisor/access/calls/range_call.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/tally.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/campaign/predicted/cycle_names.h"
#include "supervisor/campaign/predicted/goes_along.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/campaign/predicted/resolve.h"
#include "supervisor/campaign/predicted/violations.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/record/pairs.h"
#include "supervisor/record/violation.h"
#include "supervisor/report/data/failure.h"
#include "supervisor/report/data/report_violation.h"
#include "supervisor/symbols/source_place.h"
#include "supervisor/symbols/symbolize.h"

/* ---- pairs files ---- */

static struct rfs_name violation_names_name_of(struct rfs_campaign *c, const struct rfs_violation_access *access)
{
	if (!access->site.module)
		return (struct rfs_name){0};
	return (struct rfs_name){
		.form = RFS_NAME_OFFSET,
		.name = (char *)rfs_tally_module_name(c->tally, access->site.module),
		.number = access->site.offset,
	};
}

static void violation_names_add_violation(struct rfs_campaign *c, const struct rfs_violation *v, struct rfs_pairs *file)
{
	const bool order = rfs_atomicity_is_order(v->pattern);
	char *first = rfs_symbols_text(c->symbols, &v->first.site, rfs_violation_is_call(v->pattern, 0)),
	     *remote = rfs_symbols_text(c->symbols, &v->remote.site, rfs_violation_is_call(v->pattern, 1)),
	     *second = v->second.site.module ? rfs_symbols_text(c->symbols, &v->second.site, order) : NULL;
	struct rfs_named_violation named = {
		.pattern = v->pattern,
		.statement = {violation_names_name_of(c, &v->first), violation_names_name_of(c, &v->remote),
			      violation_names_name_of(c, &v->second)},
		.remote = (uint64_t)(v->remote.thread + 1),
		.comment = xasprintf("%s: %s, %s%s%s", rfs_atomicity_pattern_name(v->pattern), first, remote,
				     second ? ", " : "", second ? second : ""),
	};

	rfs_pairs_add_violation(file, &named);
	free(named.comment);
	free(first);
	free(remote);
	free(second);
}

void rfs_violation_names_add(struct rfs_campaign *c, bool untried, struct rfs_pairs *file)
{
	/* a line of the file has no place for the fourth access, and --pairs finds no system calls */
	for (size_t i = 0; i < c->violations->n_settled; i++)
		if (!rfs_atomicity_is_double(c->violations->list[i]->violation.pattern) &&
		    c->violations->list[i]->violation.data.kind != RFS_MEMORY_KERNEL &&
		    !(untried && (c->violations->list[i]->arm.done || c->violations->list[i]->suppressed)))
			violation_names_add_violation(c, &c->violations->list[i]->violation, file);
}

static int resolve_access(struct rfs_campaign *c, const struct rfs_name *name, const struct rfs_resolve_module *modules,
			  size_t n_modules, struct rfs_violation_access *out, char *why, size_t n)
{
	struct rfs_statement found;
	char line[768];
	int error = rfs_resolve(name, modules, n_modules, rfs_range_call_known, &found, line, sizeof(line));

	if (error)
		return rfs_why(why, n, error, "%s:%u:%u: %s", c->options->pairs, name->line, name->column, line);
	if (found.n_sites > 1)
		error = rfs_why(why, n, -EEXIST,
				"%s:%u:%u: line %" PRIu64 " of '%s' has %zu accesses; write %s+0x%" PRIx64
				" or another one",
				c->options->pairs, name->line, name->column, name->number, name->name, found.n_sites,
				rfs_tally_module_name(c->tally, found.sites[0].module), found.sites[0].offset);
	else
		out->site = (struct rfs_place){xstrdup(found.sites[0].module), found.sites[0].offset};
	rfs_resolve_release(&found);
	return error;
}

/* A call in an order violation is named by its return address. */
static int resolve_call(struct rfs_campaign *c, const struct rfs_name *name, const struct rfs_resolve_module *modules,
			size_t n_modules, struct rfs_violation_access *out, char *why, size_t n)
{
	struct rfs_resolve_module *anywhere;
	struct rfs_statement found;
	char line[768];
	int error;

	if (name->form == RFS_NAME_LINE)
		return rfs_why(why, n, -EINVAL,
			       "%s:%u:%u: a call of an order violation must be named by its return address, as in "
			       "pairs.txt; write FUNCTION+0xOFF or MODULE+0xOFF",
			       c->options->pairs, name->line, name->column);
	anywhere = xcalloc(n_modules + 1, sizeof(*anywhere));
	for (size_t i = 0; i < n_modules; i++) {
		anywhere[i] = modules[i];
		anywhere[i].code = NULL; /* an offset may be any address */
	}
	error = rfs_resolve_lock(name, anywhere, n_modules, rfs_acquires_lock, &found, line, sizeof(line));
	free(anywhere);
	if (error)
		return rfs_why(why, n, error, "%s:%u:%u: %s", c->options->pairs, name->line, name->column, line);
	out->site = (struct rfs_place){xstrdup(found.sites[0].module), found.sites[0].offset};
	rfs_resolve_release(&found);
	return 0;
}

static int resolve_violation(struct rfs_campaign *c, const struct rfs_named_violation *named,
			     const struct rfs_resolve_module *modules, size_t n_modules, char *why, size_t n)
{
	const bool order = rfs_atomicity_is_order(named->pattern);
	struct rfs_violation violation = {.pattern = named->pattern,
					  .first.thread = -1,
					  .remote.thread = (int)named->remote - 1,
					  .second.thread = -1};
	struct rfs_violation_access *const accesses[3] = {&violation.first, &violation.remote, &violation.second};
	int error = 0;

	for (int i = 0; i < 3 && !error; i++) {
		const bool call = order && (i == 2 || rfs_violation_is_call(named->pattern, i));

		if (!named->statement[i].name)
			continue;
		error = (call ? resolve_call : resolve_access)(c, &named->statement[i], modules, n_modules, accesses[i],
							       why, n);
	}
	if (error)
		rfs_violation_release(&violation);
	else
		rfs_violation_list_add(c->violations, &violation);
	return error;
}

int rfs_violation_names_resolve(struct rfs_campaign *c, const struct rfs_pairs *file,
				const struct rfs_resolve_module *modules, size_t n_modules, char *why, size_t n)
{
	int error = 0;

	for (size_t i = 0; i < file->n_violations && !error; i++)
		error = resolve_violation(c, &file->violations[i], modules, n_modules, why, n);
	if (error)
		rfs_violation_list_release(c->violations);
	return error;
}

/* ---- the report ---- */

/* What a call does. which: as for rfs_violation_is_call(). NULL: it is an access. */
static const char *verb_of(enum rfs_atomicity_pattern pattern, int which)
{
	if (!rfs_violation_is_call(pattern, which))
		return NULL;
	if (which && pattern == RFS_ORDER_USE_CLOSE)
		return "closes";
	if (which && pattern == RFS_ORDER_USE_EXIT)
		return "ends with";
	if (which)
		return pattern == RFS_ORDER_WAIT_SIGNAL ? "signals" : "destroys";
	return pattern == RFS_ORDER_WAIT_SIGNAL ? "waits for" : "uses";
}

/* stood: the thread at this operation; NULL: not known. */
static void fill_access(struct rfs_campaign *c, const struct rfs_violation_access *access, bool call,
			const struct rfs_evidence *stood, struct rfs_report_violation_access *out)
{
	out->thread = access->thread;
	out->access = access->access;
	if (!access->site.module)
		return;
	if (stood && stood->n_stack && rfs_place_is_same(&stood->site, &access->site))
		rfs_symbols_caller(c->symbols, &access->site, call, stood->stack + 1, stood->n_stack - 1, &out->place);
	else
		rfs_symbols_place(c->symbols, &access->site, call, &out->place);
}

/* Whether it is in a frame whose function is known, so that the variable has a name. */
static bool violation_names_has_frame(const struct rfs_object *object)
{
	return object->kind == RFS_MEMORY_STACK && object->place.module;
}

/*
 * The object as it was described while the violation took place, if that tells more: at the end of a run, when
 * violations are predicted, the frames of the stacks are gone. A block has the stack of its allocation only there.
 */
static const struct rfs_object *violation_names_object(const struct rfs_predicted_violation *from,
						       const struct rfs_object *object)
{
	for (int k = 0; k < 2; k++) {
		const struct rfs_evidence *stood = &from->stood[k];

		if (object->kind == RFS_MEMORY_HEAP && stood->object.kind == RFS_MEMORY_HEAP &&
		    stood->object.size == object->size && stood->object.n_stack > object->n_stack &&
		    rfs_place_is_same(&stood->object.stack[0], &object->stack[0]))
			return &stood->object;
		if (object->kind != RFS_MEMORY_STACK)
			continue;
		if (stood->object.address == object->address && violation_names_has_frame(&stood->object))
			return &stood->object;
		for (size_t i = 0; i < stood->n_locks; i++)
			if (stood->locks[i].address == object->address && violation_names_has_frame(&stood->locks[i]))
				return &stood->locks[i];
	}
	return object;
}

static void fill_violation(struct rfs_campaign *c, const struct rfs_predicted_violation *from,
			   struct rfs_report_violation *out)
{
	const struct rfs_violation *violation = &from->violation;
	const bool predicted = violation->first.thread >= 0;

	out->order = rfs_atomicity_is_order(violation->pattern);
	fill_access(c, &violation->first, rfs_violation_is_call(violation->pattern, 0), &from->stood[0], &out->first);
	fill_access(c, &violation->remote, rfs_violation_is_call(violation->pattern, 1), &from->stood[1], &out->remote);
	out->first.verb = verb_of(violation->pattern, 0);
	out->remote.verb = verb_of(violation->pattern, 1);
	out->remote.ends = violation->pattern == RFS_ORDER_USE_EXIT;
	fill_access(c, &violation->second, out->order, NULL, &out->second);
	if (predicted || out->order)
		out->pattern = rfs_atomicity_pattern_name(violation->pattern);
	if (predicted) {
		struct rfs_object shown = *violation_names_object(from, &violation->data);

		if (shown.kind == RFS_MEMORY_HEAP)
			shown.offset = violation->data.offset;
		out->variable = rfs_symbols_object(c->symbols, &shown, NULL);
		out->is_double = rfs_atomicity_is_double(violation->pattern);
	}
	if (out->is_double) {
		out->beside = rfs_symbols_object(c->symbols, &violation->beside, NULL);
		fill_access(c, &violation->also, false, NULL, &out->also);
	}
	if (violation->locked) {
		out->lock = rfs_symbols_lock(c->symbols, violation_names_object(from, &violation->lock));
		if (!out->lock)
			out->lock = xstrdup("a lock");
	}
	out->planned = from->arm.planned;
	out->runs = from->runs;
	out->timeouts = from->timeouts;
	out->created = from->created;
	out->failed = from->failed;
	out->suppressed = from->suppressed;
	if (!from->has_failed)
		return;
	out->finding = from->finding;
	out->pair = from->finding ? rfs_pair_list_explains(c, &c->findings->list[from->finding - 1]) : 0;
	out->detail = rfs_signature_detail(&from->signature);
	if (!out->detail)
		out->detail = xstrdup(rfs_failure_name(from->signature.kind));
	out->goes_along = rfs_violation_is_harmful(from) && rfs_violation_goes_along(c, from);
	out->harmful = rfs_violation_is_harmful(from) && !out->goes_along;
	out->orders = (struct rfs_report_orders){
		.tests = from->harm.tests,
		.race = 1,
		.runs = {from->harm.runs[0], from->harm.runs[1]},
		.failed = {from->harm.failed[0], from->harm.failed[1]},
		.p = from->harm.p,
		.corrected = from->harm.corrected,
	};
}

void rfs_violations_report(struct rfs_campaign *c, struct rfs_report_violations *out)
{
	out->cut = c->violations->cut;
	for (size_t i = 0; i < c->violations->n; i++)
		fill_violation(c, c->violations->list[i], rfs_report_add_violation(out));
	rfs_report_violations_join(out);
}
