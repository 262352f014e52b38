/* rfsup_json.c - reads the pairs and deadlocks of a report.json of rfsup, with jansson. rfsup-report(5) describes its
 * keys. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/import/import-priv.h"

static char *rfsup_json_text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? rfs_import_copy(text, strlen(text)) : NULL;
}

/* The build-id of a module, from the report's list. Caller frees. */
static char *build_id_of(const json_t *root, const char *module)
{
	const json_t *modules = json_object_get(root, "modules");

	for (size_t i = 0; module && i < json_array_size(modules); i++) {
		const json_t *entry = json_array_get(modules, i);
		const char *name = json_string_value(json_object_get(entry, "name"));

		if (name && strcmp(name, module) == 0)
			return rfsup_json_text_of(entry, "build_id");
	}
	return NULL;
}

static void rfsup_json_take_place(const json_t *root, const json_t *place, struct rfs_import_stack *stack)
{
	struct rfs_import_frame *frame = json_is_object(place) ? rfs_import_add_frame(stack) : NULL;
	const json_t *offset = json_object_get(place, "offset"), *line = json_object_get(place, "line");

	if (!frame)
		return;
	frame->module = rfsup_json_text_of(place, "module");
	frame->file = rfsup_json_text_of(place, "file");
	frame->function = rfsup_json_text_of(place, "function");
	frame->build_id = build_id_of(root, frame->module);
	if (json_is_integer(offset) && json_integer_value(offset) >= 0) {
		frame->has_offset = true;
		frame->offset = (uint64_t)json_integer_value(offset);
	}
	if (json_integer_value(line) > 0 && json_integer_value(line) < INT32_MAX)
		frame->line = (unsigned)json_integer_value(line);
}

static void rfsup_json_take_stack(const json_t *root, const json_t *list, struct rfs_import_stack *stack)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		rfsup_json_take_place(root, json_array_get(list, i), stack);
}

static void take_pair(const json_t *root, const json_t *pair, struct rfs_import_builder *builder)
{
	struct rfs_import_report *report = rfs_import_begin(RFS_IMPORT_RFSUP, RFS_IMPORT_RACE, "race", 0);
	const json_t *statements = json_object_get(pair, "statements");

	for (size_t i = 0; i < 2 && i < json_array_size(statements); i++) {
		const json_t *statement = json_array_get(statements, i);
		const char *access = json_string_value(json_object_get(statement, "access"));
		const json_t *size = json_object_get(statement, "size");
		struct rfs_import_access *out = &report->access[report->n_accesses++];

		out->writes = access && (strstr(access, "write") || strstr(access, "free"));
		out->atomic = access && strstr(access, "atomic");
		if (json_integer_value(size) > 0)
			out->size = (uint64_t)json_integer_value(size);
		rfsup_json_take_place(root, statement, &out->stack);
	}
	rfs_import_add(builder, report);
}

static void rfsup_json_take_cycle(const json_t *root, const json_t *cycle, struct rfs_import_builder *builder)
{
	struct rfs_import_report *report;
	const json_t *threads = json_object_get(cycle, "threads");

	/* an inversion by one thread is no deadlock */
	if (json_is_true(json_object_get(cycle, "one_thread")))
		return;
	report = rfs_import_begin(RFS_IMPORT_RFSUP, RFS_IMPORT_DEADLOCK, "deadlock", 0);

	for (size_t i = 0; i < json_array_size(threads); i++) {
		const json_t *thread = json_array_get(threads, i);
		struct rfs_import_part *part = rfs_import_add_part(report);

		if (!part)
			break;
		rfsup_json_take_place(root, json_object_get(thread, "holds"), &part->held);
		rfsup_json_take_place(root, json_object_get(thread, "wants"), &part->wanted);
	}
	rfs_import_add(builder, report);
}

/* A deadlock in which a run ended. It says where each thread waits, and where it acquired what the others want. */
static void take_deadlock(const json_t *root, const json_t *deadlock, struct rfs_import_builder *builder)
{
	struct rfs_import_report *report = rfs_import_begin(RFS_IMPORT_RFSUP, RFS_IMPORT_DEADLOCK, "deadlock", 0);
	const json_t *threads = json_object_get(deadlock, "threads");

	for (size_t i = 0; i < json_array_size(threads); i++) {
		const json_t *thread = json_array_get(threads, i);
		const json_t *acquired = json_object_get(thread, "acquired");
		struct rfs_import_part *part = rfs_import_add_part(report);

		if (!part)
			break;
		rfsup_json_take_stack(root, json_object_get(thread, "stack"), &part->wanted);
		rfsup_json_take_stack(root, json_object_get(json_array_get(acquired, 0), "stack"), &part->held);
	}
	rfs_import_add(builder, report);
}

int rfs_import_json(const char *file, const char *data, size_t n, struct rfs_import_builder *builder, char *why,
		    size_t why_n)
{
	json_error_t problem;
	json_t *root = json_loadb(data, n, 0, &problem);
	const json_t *pairs, *cycles, *deadlocks;

	if (!root)
		return rfs_why(why, why_n, -EINVAL, "%s:%d:%d: the JSON is damaged: %s", file, problem.line,
			       problem.column, problem.text);
	pairs = json_object_get(root, "pairs");
	cycles = json_object_get(root, "predicted_deadlocks");
	deadlocks = json_object_get(root, "deadlocks");
	if (!json_is_array(pairs) || !json_is_integer(json_object_get(root, "schema"))) {
		json_decref(root);
		return rfs_why(why, why_n, -EINVAL, "%s: the JSON is not a report of rfsup", file);
	}
	for (size_t i = 0; i < json_array_size(pairs); i++)
		take_pair(root, json_array_get(pairs, i), builder);
	for (size_t i = 0; i < json_array_size(cycles); i++)
		rfsup_json_take_cycle(root, json_array_get(cycles, i), builder);
	/* a deadlock that was predicted is in both lists */
	for (size_t i = 0; i < json_array_size(deadlocks) && !json_array_size(cycles); i++)
		take_deadlock(root, json_array_get(deadlocks, i), builder);
	json_decref(root);
	return 0;
}
