/*
 * Writes the findings as SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format), for code hosts and editors.
 * A group of findings is one result. Files below the working directory are relative to it, because code hosts want
 * paths in the repository.
 */
#include "supervisor/report/machine/report_sarif.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/path.h"
#include "supervisor/base/text/op_text.h"
#include "supervisor/base/text/shell_word.h"
#include "supervisor/base/version.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_groups.h"
#include "supervisor/report/data/report_identity.h"
#include "supervisor/report/data/report_misuse.h"
#include "supervisor/report/machine/json_put.h"
#include "supervisor/report/machine/rules.h"
#include "supervisor/report/text/text_finding.h"
#include "supervisor/report/text/text_put.h"
#include "supervisor/report/text/text_violation.h"
#include "supervisor/symbols/source_place.h"

#define SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
/* Its three, and where the program failed. */
#define VIOLATION_PLACES 4

struct sarif {
	const struct rfs_report *report;
	char *folder; /* the working directory; NULL: unknown */
};

/* ---- places ---- */

char *rfs_sarif_uri(const char *path, bool directory)
{
	char *uri = NULL;
	size_t size;
	FILE *out = xopen_memstream(&uri, &size);

	if (*path == '/')
		fputs("file://", out);
	for (const char *s = path; *s; s++)
		if (isalnum((unsigned char)*s) || strchr("/-._~", *s))
			fputc(*s, out);
		else
			fprintf(out, "%%%02X", (unsigned char)*s);
	if (directory && strcmp(path, "/") != 0)
		fputc('/', out);
	fclose(out);
	return uri;
}

void rfs_sarif_put_base(json_t *run, const char *uri)
{
	json_t *bases = json_object(), *base = json_object();

	rfs_json_put_text(base, "uri", uri);
	rfs_json_put(bases, RFS_SARIF_BASE, base);
	rfs_json_put(run, "originalUriBaseIds", bases);
}

static json_t *artifact_location(const struct sarif *sarif, const char *path)
{
	size_t n = sarif->folder ? strlen(sarif->folder) : 0;
	bool inside = n > 1 && strncmp(path, sarif->folder, n) == 0 && path[n] == '/';
	char *uri = rfs_sarif_uri(inside ? path + n + 1 : path, false);
	json_t *object = json_object();

	rfs_json_put_text(object, "uri", uri);
	if (*uri != 'f' || strncmp(uri, "file://", 7) != 0)
		rfs_json_put_text(object, "uriBaseId", RFS_SARIF_BASE);
	free(uri);
	return object;
}

static json_t *message(const char *text)
{
	json_t *object = json_object();

	rfs_json_put_text(object, "text", text);
	return object;
}

static json_t *physical_location(const struct sarif *sarif, const struct rfs_source_place *place)
{
	json_t *object = json_object(), *part = json_object();

	if (place->file) {
		rfs_json_put(object, "artifactLocation", artifact_location(sarif, place->file));
		if (place->line)
			rfs_json_put_number(part, "startLine", place->line);
		if (place->line && place->column)
			rfs_json_put_number(part, "startColumn", place->column);
		if (place->line)
			rfs_json_put(object, "region", json_incref(part));
	} else {
		if (place->module)
			rfs_json_put(object, "artifactLocation", artifact_location(sarif, place->module));
		rfs_json_put_number(part, place->module ? "relativeAddress" : "absoluteAddress", place->offset);
		rfs_json_put_text(part, "kind", "instruction");
		rfs_json_put(object, "address", json_incref(part));
	}
	json_decref(part);
	return object;
}

/* says: a sentence about the place; NULL: none. */
static json_t *location(const struct sarif *sarif, const struct rfs_source_place *place, const char *says)
{
	json_t *object = json_object();

	rfs_json_put(object, "physicalLocation", physical_location(sarif, place));
	if (place->function || place->near) {
		json_t *names = json_array(), *name = json_object();

		rfs_json_put_text(name, "fullyQualifiedName", place->function ? place->function : place->near);
		rfs_json_put_text(name, "kind", "function");
		rfs_json_append(names, name);
		rfs_json_put(object, "logicalLocations", names);
	}
	if (says)
		rfs_json_put(object, "message", message(says));
	return object;
}

/* ---- what the threads did ---- */

static void append_step(const struct sarif *sarif, json_t *steps, const struct rfs_source_place *place,
			const char *says)
{
	json_t *step = json_object();

	rfs_json_put(step, "location", location(sarif, place, says));
	rfs_json_put_text(step, "importance", says ? "essential" : "unimportant");
	rfs_json_append(steps, step);
}

/* Appends the frames from the outermost to the innermost, which is where what `says` tells happened. */
static void append_stack(const struct sarif *sarif, json_t *steps, const struct rfs_source_stack *stack,
			 const char *says)
{
	for (size_t i = stack->n_frames; i-- > 0;)
		append_step(sarif, steps, &stack->frames[i], i ? NULL : says);
}

/* Appends the flow of a thread, unless it has no steps. Takes over steps. */
static void append_flow(json_t *flows, int thread, json_t *steps)
{
	json_t *flow;
	char name[32];

	if (!json_array_size(steps)) {
		json_decref(steps);
		return;
	}
	flow = json_object();
	snprintf(name, sizeof(name), "thread %d", thread);
	rfs_json_put_text(flow, "id", name);
	rfs_json_put(flow, "locations", steps);
	rfs_json_append(flows, flow);
}

static char *access_text(const struct rfs_report_pair *pair, const struct rfs_report_statement *statement)
{
	return xasprintf("%s %s", rfs_access_text(statement->access, RFS_ACCESS_VERB),
			 pair->variable ? pair->variable : "memory");
}

static char *violation_text(const struct rfs_report_violation *violation,
			    const struct rfs_report_violation_access *access)
{
	const char *verb = access->verb ? access->verb : rfs_access_text(access->access, RFS_ACCESS_VERB);

	if (access == &violation->second && violation->order)
		return xstrdup("acquires the lock here");
	return xasprintf("%s %s", verb, violation->variable ? violation->variable : "memory");
}

/* The two accesses of one thread, and that of the other thread. */
static void append_violation(const struct sarif *sarif, json_t *flows, const struct rfs_report_violation *violation)
{
	const struct rfs_report_violation_access *const accesses[] = {&violation->first, &violation->second,
								      &violation->remote};
	json_t *steps[2] = {json_array(), json_array()};

	for (size_t i = 0; i < 3; i++) {
		char *says = violation_text(violation, accesses[i]);

		if (accesses[i]->place.module)
			append_step(sarif, steps[i == 2], &accesses[i]->place, says);
		free(says);
	}
	append_flow(flows, violation->first.thread, steps[0]);
	append_flow(flows, violation->remote.thread, steps[1]);
}

static void append_waiters(const struct sarif *sarif, json_t *flows, const struct rfs_report_waiter *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		json_t *steps = json_array();
		char *says = list[i].waits_for ? xasprintf("waits for %s", list[i].waits_for) : xstrdup("was here");

		for (size_t k = 0; k < list[i].n_acquired; k++) {
			char *acquired = xasprintf("acquires %s", list[i].acquired[k].lock);

			append_stack(sarif, steps, &list[i].acquired[k].stack, acquired);
			free(acquired);
		}
		append_stack(sarif, steps, &list[i].stack, says);
		append_flow(flows, list[i].thread, steps);
		free(says);
	}
}

/* The flows of all threads of a finding; an array, which may be empty. */
static json_t *thread_flows(const struct sarif *sarif, const struct rfs_report_item *item)
{
	json_t *flows = json_array();

	for (int k = 0; item->pair && k < 2; k++) {
		const struct rfs_report_statement *statement = &item->pair->statement[k];
		json_t *steps = json_array();
		char *says = access_text(item->pair, statement);

		if (statement->stack.n_frames)
			append_stack(sarif, steps, &statement->stack, says);
		else
			append_step(sarif, steps, &statement->place, says);
		append_flow(flows, statement->thread, steps);
		free(says);
	}
	if (item->deadlock)
		append_waiters(sarif, flows, item->deadlock->threads, item->deadlock->n_threads);
	if (item->failure && item->failure->violation)
		append_violation(sarif, flows, item->failure->violation);
	else if (item->failure)
		append_waiters(sarif, flows, item->failure->threads, item->failure->n_threads);
	return flows;
}

/* ---- results ---- */

/* The frame in the user's code; NULL: the stack is not known. */
static const struct rfs_source_place *report_sarif_own_frame(const struct rfs_source_stack *stack)
{
	return stack->n_frames ? &stack->frames[rfs_source_stack_first_own(stack)] : NULL;
}

/* Access number k of a violation; NULL: there are fewer. */
static const struct rfs_report_violation_access *report_sarif_access_of(const struct rfs_report_violation *violation,
									size_t k)
{
	const struct rfs_report_violation_access *const accesses[] = {&violation->first, &violation->remote,
								      &violation->second};

	return k < sizeof(accesses) / sizeof(*accesses) ? accesses[k] : NULL;
}

/* The places of a violation; then where the program failed. */
static const struct rfs_source_place *place_of_violation(const struct rfs_report_failure *failure, size_t k)
{
	const struct rfs_report_violation_access *access = report_sarif_access_of(failure->violation, k);
	const struct rfs_source_place *place =
		access ? &access->place : report_sarif_own_frame(&failure->run.shown.stack);

	return place && place->module ? place : NULL;
}

/* Place number k of a finding in the user's code; NULL: it is not known, or there are fewer places. */
static const struct rfs_source_place *report_sarif_place_of(const struct rfs_report_item *item, size_t k)
{
	if (item->pair)
		return k < 2 ? rfs_report_own_place(&item->pair->statement[k]) : NULL;
	if (item->deadlock)
		return k < item->deadlock->n_threads ? report_sarif_own_frame(&item->deadlock->threads[k].stack) : NULL;
	if (item->failure->violation)
		return place_of_violation(item->failure, k);
	if (k == 0 && item->failure->run.shown.stack.n_frames)
		return report_sarif_own_frame(&item->failure->run.shown.stack);
	return k < item->failure->n_threads ? report_sarif_own_frame(&item->failure->threads[k].stack) : NULL;
}

static size_t n_places(const struct rfs_report_item *item)
{
	if (item->failure && item->failure->violation)
		return VIOLATION_PLACES;
	return item->pair ? 2 : item->deadlock ? item->deadlock->n_threads : 1 + item->failure->n_threads;
}

/* Appends place number k as a related location. Each has its own number, because the schema wants different ones. */
static void append_related(const struct sarif *sarif, json_t *related, const struct rfs_report_item *item, size_t k,
			   const char *says)
{
	const struct rfs_source_place *place = report_sarif_place_of(item, k);
	json_t *object;

	if (!place)
		return;
	object = location(sarif, place, says);
	rfs_json_put_number(object, "id", json_array_size(related) + 1);
	rfs_json_append(related, object);
}

/* What is at place number k. Caller frees. */
static char *report_sarif_place_text(const struct rfs_report_item *item, size_t k)
{
	const struct rfs_report_violation *violation = item->failure ? item->failure->violation : NULL;
	const struct rfs_report_violation_access *access = violation ? report_sarif_access_of(violation, k) : NULL;

	if (item->pair)
		return access_text(item->pair, &item->pair->statement[k]);
	if (item->deadlock)
		return xasprintf("thread %d waits here", item->deadlock->threads[k].thread);
	if (access)
		return violation_text(violation, access);
	return violation ? xasprintf("%s here", violation->detail ? violation->detail : "failure")
			 : rfs_text_head(item);
}

static json_t *related_locations(const struct sarif *sarif, const struct rfs_report_group *group)
{
	json_t *related = json_array();

	for (size_t i = 0; i < group->n; i++) {
		const struct rfs_report_item *item = &group->items[i];

		for (size_t k = i ? 0 : 1; k < n_places(item); k++) {
			char *says = report_sarif_place_text(item, k);

			append_related(sarif, related, item, k, says);
			free(says);
		}
	}
	return related;
}

static json_t *one_location(const struct sarif *sarif, const struct rfs_source_place *place)
{
	json_t *array = json_array(), *object;

	if (place) {
		rfs_json_append(array, location(sarif, place, NULL));
	} else if (sarif->report->program.n_items) {
		/* code hosts refuse results without a place */
		json_t *program = json_object();

		object = json_object();
		rfs_json_put(program, "artifactLocation", artifact_location(sarif, sarif->report->program.items[0]));
		rfs_json_put(object, "physicalLocation", program);
		rfs_json_append(array, object);
	}
	return array;
}

static void append_attachment(const struct sarif *sarif, json_t *list, const char *path, const char *what)
{
	json_t *object;

	if (!path)
		return;
	object = json_object();
	rfs_json_put(object, "artifactLocation", artifact_location(sarif, path));
	rfs_json_put(object, "description", message(what));
	rfs_json_append(list, object);
}

/* SARIF 3.27.23 and 3.35: a result that a file outside of the sources hides. number: 0: none hides it. */
static void put_suppression(json_t *object, const struct rfs_report_suppressions *suppressions, size_t number)
{
	const struct rfs_report_suppression *suppression;
	json_t *list, *part;
	char *says;

	if (!number)
		return;
	suppression = &suppressions->list[number - 1];
	says = suppression->file ? xasprintf("%s:%u: %s", suppression->file, suppression->line, suppression->name)
				 : xstrdup(suppression->name);
	part = json_object();
	rfs_json_put_text(part, "kind", "external");
	rfs_json_put_text(part, "status", "accepted");
	rfs_json_put_text(part, "justification", says);
	free(says);
	list = json_array();
	rfs_json_append(list, part);
	rfs_json_put(object, "suppressions", list);
}

/* The parts of a result that all kinds have. */
static json_t *report_sarif_result_of(const struct sarif *sarif, size_t rule,
				      const struct rfs_report_identity *identity, const char *says)
{
	json_t *object = json_object(), *part;

	rfs_json_put_text(object, "ruleId", rfs_rules[rule].id);
	rfs_json_put_number(object, "ruleIndex", rule);
	rfs_json_put_text(object, "level", rfs_rules[rule].level);
	rfs_json_put(object, "message", message(says));
	part = json_object();
	rfs_json_put_text(part, "rfsupFunctions/v1", identity->fingerprint);
	rfs_json_put(object, "partialFingerprints", part);
	part = json_object();
	rfs_json_put_text(part, "rfsupId/v1", identity->id);
	rfs_json_put(object, "fingerprints", part);
	if (sarif->report->known_in)
		rfs_json_put_text(object, "baselineState", identity->known ? "unchanged" : "new");
	put_suppression(object, &sarif->report->suppressions, identity->suppressed);
	return object;
}

/* "HARMFUL race on z: first() at x.c:1 writes z, and ...". Caller frees. */
static char *sentence(const struct sarif *sarif, const struct rfs_report_item *item)
{
	char *bytes = NULL, *head = rfs_text_head(item), *says;
	size_t size;
	struct rfs_text text = {.out = xopen_memstream(&bytes, &size), .folder = sarif->folder};

	if (item->failure && item->failure->violation)
		rfs_text_put_violation_sentence(&text, item->failure->violation);
	else
		rfs_text_put_sentence(&text, item, sarif->report);
	fclose(text.out);
	bytes[strcspn(bytes, "\n")] = '\0';
	says = xasprintf("%s: %s", head, bytes + strspn(bytes, " "));
	free(head);
	free(bytes);
	return says;
}

static json_t *properties(const struct rfs_report_group *group)
{
	const struct rfs_report_item *item = &group->items[0];
	const char *record = rfs_report_item_record(item);
	const struct rfs_report_shown *shown = rfs_report_item_shown(item);
	json_t *object = json_object(), *ids = json_array();

	for (size_t i = 0; i < group->n; i++)
		rfs_json_append(ids, rfs_json_text(rfs_report_item_identity(&group->items[i])->id));
	rfs_json_put(object, "findings", ids);
	rfs_json_put_text(object, "record", record);
	if (record) {
		char *word = rfs_shell_word(record), *command = xasprintf("rfsup --replay %s", word);

		rfs_json_put_text(object, "replay", command);
		free(word);
		free(command);
	}
	rfs_json_put_text(object, "story", shown->story);
	return object;
}

static json_t *group_result(const struct sarif *sarif, const struct rfs_report_group *group)
{
	const struct rfs_report_item *item = &group->items[0];
	char *says = sentence(sarif, item);
	json_t *object = report_sarif_result_of(sarif, rfs_rule_of(item), rfs_report_item_identity(item), says);
	json_t *flows = thread_flows(sarif, item), *flow, *list;

	free(says);
	rfs_json_put(object, "locations", one_location(sarif, report_sarif_place_of(item, 0)));
	rfs_json_put(object, "relatedLocations", related_locations(sarif, group));
	list = json_array();
	if (json_array_size(flows)) {
		flow = json_object();
		rfs_json_put(flow, "threadFlows", flows);
		rfs_json_append(list, flow);
	} else {
		json_decref(flows);
	}
	rfs_json_put(object, "codeFlows", list);
	list = json_array();
	append_attachment(sarif, list, rfs_report_item_record(item), "The record of the run");
	append_attachment(sarif, list, rfs_report_item_shown(item)->simple, "The record with fewest switches");
	append_attachment(sarif, list, rfs_report_item_shown(item)->page, "The run as a picture");
	rfs_json_put(object, "attachments", list);
	rfs_json_put(object, "properties", properties(group));
	return object;
}

static json_t *misuse_result(const struct sarif *sarif, const struct rfs_report_misuse *misuse)
{
	char *says = xasprintf("thread %d %s", misuse->thread, misuse->what);
	json_t *object = report_sarif_result_of(sarif, rfs_rule_of_misuse(), &misuse->identity, says),
	       *related = json_array();
	const struct rfs_source_place *earlier = report_sarif_own_frame(&misuse->earlier);

	free(says);
	if (sarif->report->misuses.findings)
		rfs_json_put_text(object, "level", "error");
	rfs_json_put(object, "locations", one_location(sarif, report_sarif_own_frame(&misuse->stack)));
	if (earlier) {
		char *did = xasprintf("thread %d %s", misuse->other >= 0 ? misuse->other : misuse->thread,
				      rfs_misuse_earlier_verb(misuse->earlier_is));
		json_t *where = location(sarif, earlier, did);

		free(did);
		rfs_json_put_number(where, "id", 1);
		rfs_json_append(related, where);
	}
	rfs_json_put(object, "relatedLocations", related);
	return object;
}

/* ---- the file ---- */

static json_t *tool(void)
{
	json_t *object = json_object(), *driver = json_object(), *rules = json_array();

	rfs_json_put_text(driver, "name", "rfsup");
	rfs_json_put_text(driver, "version", rfs_version);
	for (const struct rfs_rule *rule = rfs_rules; rule->id; rule++) {
		json_t *descriptor = json_object(), *level = json_object();

		rfs_json_put_text(descriptor, "id", rule->id);
		rfs_json_put(descriptor, "shortDescription", message(rule->summary));
		rfs_json_put(descriptor, "help", message(rule->help));
		rfs_json_put_text(level, "level", rule->level);
		rfs_json_put(descriptor, "defaultConfiguration", level);
		rfs_json_append(rules, descriptor);
	}
	rfs_json_put(driver, "rules", rules);
	rfs_json_put(object, "driver", driver);
	return object;
}

static void append_notification(json_t *list, const char *level, const char *text)
{
	json_t *object;

	if (!text)
		return;
	object = json_object();
	rfs_json_put_text(object, "level", level);
	rfs_json_put(object, "message", message(text));
	rfs_json_append(list, object);
}

static json_t *invocation(const struct sarif *sarif)
{
	const struct rfs_report *report = sarif->report;
	json_t *object = json_object(), *notes = json_array();

	rfs_json_put(object, "executionSuccessful", json_boolean(!report->incomplete && !report->uncontrolled));
	append_notification(notes, "error", report->uncontrolled);
	append_notification(notes, report->own.failed ? "error" : "warning", report->incomplete);
	for (size_t i = 0; i < report->warnings.n_items; i++)
		append_notification(notes, "note", report->warnings.items[i]);
	rfs_json_put(object, "toolExecutionNotifications", notes);
	return object;
}

/* Findings that a suppression hides are in no group; readers of SARIF hide them, too. */
static void append_suppressed(const struct sarif *sarif, json_t *list)
{
	const struct rfs_report *report = sarif->report;

	for (size_t i = 0; i < report->n_pairs; i++) {
		struct rfs_report_item item = {.pair = &report->pairs[i]};
		const struct rfs_report_group group = {.items = &item, .n = 1};

		if (item.pair->identity.suppressed && rfs_verdict_words(item.pair->verdict)->finding)
			rfs_json_append(list, group_result(sarif, &group));
	}
	for (size_t i = 0; i < report->n_deadlocks; i++) {
		struct rfs_report_item item = {.deadlock = &report->deadlocks[i]};
		const struct rfs_report_group group = {.items = &item, .n = 1};

		if (item.deadlock->identity.suppressed && item.deadlock->run.replayed != RFS_REPLAY_DIFFERENT)
			rfs_json_append(list, group_result(sarif, &group));
	}
}

static json_t *report_sarif_run_of(const struct sarif *sarif)
{
	json_t *object = json_object(), *list = json_array();
	struct rfs_report_groups groups;

	rfs_json_put(object, "tool", tool());
	rfs_json_append(list, invocation(sarif));
	rfs_json_put(object, "invocations", list);
	if (sarif->folder) {
		char *uri = rfs_sarif_uri(sarif->folder, true);

		rfs_sarif_put_base(object, uri);
		free(uri);
	}
	list = json_array();
	rfs_report_groups_make(sarif->report, &groups);
	for (size_t i = 0; i < groups.n; i++)
		rfs_json_append(list, group_result(sarif, &groups.list[i]));
	rfs_report_groups_release(&groups);
	append_suppressed(sarif, list);
	for (size_t i = 0; i < sarif->report->misuses.n; i++)
		rfs_json_append(list, misuse_result(sarif, &sarif->report->misuses.list[i]));
	rfs_json_put(object, "results", list);
	return object;
}

void rfs_report_write_sarif(const struct rfs_report *report, bool colour, FILE *out)
{
	struct sarif sarif = {.report = report, .folder = getcwd(NULL, 0)};
	json_t *root = json_object(), *runs = json_array();

	(void)colour;
	rfs_json_put_text(root, "$schema", SCHEMA);
	rfs_json_put_text(root, "version", "2.1.0");
	rfs_json_append(runs, report_sarif_run_of(&sarif));
	rfs_json_put(root, "runs", runs);
	rfs_json_print(root, out);
	free(sarif.folder);
}
