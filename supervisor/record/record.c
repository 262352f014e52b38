/* Writes records. record_read.c reads them. */
#include "supervisor/record/record.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policy/policy.h"
#include "supervisor/base/address_name.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/output.h"
#include "supervisor/base/siteset.h"
#include "supervisor/base/version.h"
#include "supervisor/record/checksum.h"
#include "supervisor/record/cycle.h"
#include "supervisor/record/record-priv.h"
#include "supervisor/record/run_options.h"
#include "supervisor/record/run_result.h"

const struct rfs_record_resource rfs_record_resources[] = {
	{"as", RLIMIT_AS},	   {"core", RLIMIT_CORE},
	{"cpu", RLIMIT_CPU},	   {"data", RLIMIT_DATA},
	{"fsize", RLIMIT_FSIZE},   {"memlock", RLIMIT_MEMLOCK},
	{"nofile", RLIMIT_NOFILE}, {"nproc", RLIMIT_NPROC},
	{"rtprio", RLIMIT_RTPRIO}, {"sigpending", RLIMIT_SIGPENDING},
	{"stack", RLIMIT_STACK},
};
const size_t rfs_record_n_resources = sizeof(rfs_record_resources) / sizeof(*rfs_record_resources);

const char *rfs_run_end_name(enum rfs_run_end end)
{
	switch (end) {
	case RFS_END_EXIT:
		return "exit";
	case RFS_END_SIGNAL:
		return "signal";
	case RFS_END_DEADLOCK:
		return "deadlock";
	case RFS_END_HANG:
		return "hang";
	case RFS_END_TIMEOUT:
		return "timeout";
	case RFS_END_CANCELLED:
		return "cancelled";
	case RFS_END_RESTART:
		return "restart";
	case RFS_END_DIVERGED:
		return "diverged";
	case RFS_END_STOPPED:
		return "stopped";
	case RFS_END_UNCONTROLLED:
		return "uncontrolled";
	}
	return "?";
}

static json_t *hex(const void *data, size_t n)
{
	const unsigned char *bytes = data;
	char *text = xmalloc(2 * n + 1);
	json_t *json;

	text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
	json = json_string(text);
	free(text);
	return json;
}

static json_t *string(const char *s)
{
	json_t *json = json_string(s);

	return json ? json : json_pack("{s:o}", "hex", hex(s, strlen(s)));
}

static void record_put(json_t *object, const char *key, const char *s)
{
	if (s)
		json_object_set_new(object, key, string(s));
}

static json_t *record_strings(char *const *list)
{
	json_t *array = json_array();

	for (; list && *list; list++)
		json_array_append_new(array, string(*list));
	return array;
}

static json_t *record_sites(const struct rfs_site_ref *list, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, json_pack("[o, I]", string(list[i].module), (json_int_t)list[i].offset));
	return array;
}

/* A lock of a cycle: its class as a string of digits, because readers of JSON may store numbers as doubles. */
static json_t *cycle_lock(const struct rfs_cycle_lock *lock)
{
	char class[17];

	if (!lock->site.module)
		return json_null();
	snprintf(class, sizeof(class), "%llx", (unsigned long long)lock->class);
	return json_pack("[s, o, I]", class, string(lock->site.module), (json_int_t)lock->site.offset);
}

static json_t *cycle_parts(const struct rfs_cycle *cycle)
{
	json_t *array = json_array();

	for (size_t i = 0; i < cycle->n; i++)
		json_array_append_new(array, json_pack("[o, o]", cycle_lock(&cycle->parts[i].held),
						       cycle_lock(&cycle->parts[i].wanted)));
	return array;
}

static json_t *order_places(const struct rfs_order_places *order)
{
	const struct rfs_site_ref *const places[3] = {&order->held, &order->calls[0], &order->calls[1]};
	json_t *array = json_array();

	for (int i = 0; i < 3; i++)
		json_array_append_new(array, places[i]->module ? json_pack("[o, I]", string(places[i]->module),
									   (json_int_t)places[i]->offset)
							       : json_null());
	return array;
}

/* The atomic moves by module, because there may be many. */
static json_t *record_moves(const struct rfs_run_sites *sites)
{
	json_t *array = json_array(), *offsets = NULL;

	for (size_t i = 0; i < sites->n_moves; i++) {
		const struct rfs_site_ref *move = &sites->moves[i];

		if (i == 0 || strcmp(move->module, sites->moves[i - 1].module) != 0) {
			offsets = json_array();
			json_array_append_new(array, json_pack("[o, o]", string(move->module), offsets));
		}
		json_array_append_new(offsets, json_integer((json_int_t)move->offset));
	}
	return array;
}

/* The lessons of the run, as a sorted set, because the order in which they were learnt does not matter. */
static json_t *spin_reads(const struct rfs_run_lessons *lessons)
{
	struct rfs_site_set set = {0};
	json_t *array;

	for (size_t i = 0; i < lessons->n_spin; i++)
		rfs_site_set_add(&set, lessons->spin[i].module, lessons->spin[i].offset);
	if (lessons->traps_rdtsc)
		rfs_site_set_add(&set, RFS_RECORD_TRAPS_RDTSC, 0);
	array = record_sites(set.sites, set.n);
	rfs_site_set_release(&set);
	return array;
}

static json_t *limits(void)
{
	json_t *object = json_object();

	for (size_t i = 0; i < rfs_record_n_resources; i++) {
		struct rlimit limit;

		/* RLIM_INFINITY, which has all bits set, becomes -1 */
		if (getrlimit(rfs_record_resources[i].number, &limit) == 0)
			json_object_set_new(
				object, rfs_record_resources[i].name,
				json_pack("[I, I]", (json_int_t)limit.rlim_cur, (json_int_t)limit.rlim_max));
	}
	return object;
}

/* What happened, for people: a replay follows from the other keys. */
static json_t *faults(const struct rfs_run_result *result)
{
	json_t *array = json_array();

	for (size_t i = 0; i < result->n_faults; i++) {
		const struct rfs_fault_taken *taken = &result->faults[i];

		json_array_append_new(array, json_pack("{s:s, s:i, s:s, s:s, s:o, s:I}", "fault",
						       rfs_fault_words[taken->fault], "thread", taken->thread, "call",
						       taken->call, "effect", taken->effect, "module",
						       string(taken->place.module ? taken->place.module : ""), "offset",
						       (json_int_t)taken->place.offset));
	}
	return array;
}

static json_t *outcome(const struct rfs_run_result *result, const char *trace, const char *input)
{
	json_t *modules = json_array(), *object;
	char hash[33];

	for (size_t i = 0; i < result->n_modules; i++) {
		const struct rfs_run_module *module = &result->modules[i];

		const char *id = module->build_id ? module->build_id : "";
		json_t *entry = json_pack("{s:o, s:s}", "path", string(module->path), "build_id", id);
		char content[RFS_CHECKSUM_SIZE];

		/* a module without build-id is identified by its content */
		if (!*id && module->path[0] == '/' && rfs_checksum_file(module->path, content) == 0)
			json_object_set_new(entry, "content", json_string(content));
		json_array_append_new(modules, entry);
	}
	snprintf(hash, sizeof(hash), "%016llx%016llx", (unsigned long long)result->hash[0],
		 (unsigned long long)result->hash[1]);
	object = json_pack("{s:s, s:i, s:s, s:I, s:I, s:o}", "end", rfs_run_end_name(result->end), "detail",
			   result->detail, "hash", hash, "created", (json_int_t)result->n_created, "steps",
			   (json_int_t)result->counts.steps, "modules", modules);
	json_object_set_new(object, "seconds", json_real(result->costs.wall_seconds));
	if (result->n_faults)
		json_object_set_new(object, "faults", faults(result));
	record_put(object, "message", result->message);
	record_put(object, "trace", trace);
	record_put(object, "input", input);
	return object;
}

/* The words of a set. NULL: none. */
static json_t *record_words_of(const char *const *words, unsigned set)
{
	json_t *array = set ? json_array() : NULL;

	for (unsigned i = 0; set && words[i]; i++)
		if (set >> i & 1)
			json_array_append_new(array, json_string(words[i]));
	return array;
}

/* The value of an option as JSON. NULL: the record does not get this key. */
static json_t *option_value(const struct rfs_option *option, const void *value)
{
	const char *text;

	switch (option->kind) {
	case RFS_OPTION_SWITCH:
	case RFS_OPTION_EITHER:
		return *(const bool *)value ? json_true() : NULL;
	case RFS_OPTION_WORD:
		return json_string(option->words[*(const unsigned *)value]);
	case RFS_OPTION_SET:
		return record_words_of(option->words, *(const unsigned *)value);
	case RFS_OPTION_COUNT:
		return json_integer(*(const unsigned *)value);
	case RFS_OPTION_NUMBER:
	case RFS_OPTION_SIZE:
		return json_integer((json_int_t) * (const uint64_t *)value);
	case RFS_OPTION_DATE:
		return *(const uint64_t *)value ? json_integer((json_int_t) * (const uint64_t *)value) : NULL;
	case RFS_OPTION_SECONDS:
		return json_real(*(const double *)value);
	case RFS_OPTION_NAME:
	case RFS_OPTION_TEXT:
		text = *(const char *const *)value;
		return text ? string(text) : NULL;
	case RFS_OPTION_LIST:
		return record_strings(*(char *const *const *)value);
	}
	return NULL;
}

static void put_options(json_t *object, enum rfs_record_part part, const struct rfs_run_spec *spec)
{
	for (size_t i = 0; i < rfs_n_run_options; i++) {
		const struct rfs_run_option *row = &rfs_run_options[i];
		json_t *value = row->key && row->part == part
					? option_value(&row->option, (const char *)spec + row->option.offset)
					: NULL;

		if (value)
			json_object_set_new(object, row->key, value);
	}
}

/* Hashes are strings, because readers of JSON may store numbers as doubles. */
static json_t *addresses(const struct rfs_run_plan *plan)
{
	json_t *array = json_array();

	for (size_t i = 0; i < plan->n_addresses; i++) {
		const struct rfs_address_name *name = &plan->addresses[i];
		char object[17], offset[17];

		snprintf(object, sizeof(object), "%016" PRIx64, name->object);
		snprintf(offset, sizeof(offset), "%" PRIx64, name->offset);
		json_array_append_new(array, json_pack("[I, s, s]", (json_int_t)name->kind, object, offset));
	}
	return array;
}

static json_t *record(const struct rfs_execution *execution, const struct rfs_run_result *result, const char *trace)
{
	const struct rfs_run_spec *spec = &execution->spec;
	json_t *root = json_object();
	mode_t mask = umask(0);
	char *cwd;

	umask(mask);
	json_object_set_new(root, "rfsup_record", json_integer(RFS_RECORD_SCHEMA));
	record_put(root, "version", rfs_version);
	record_put(root, "path", spec->process.path);
	json_object_set_new(root, "argv", record_strings(spec->process.argv));
	json_object_set_new(root, "envp", record_strings(spec->process.envp));
	cwd = spec->process.cwd && !spec->job.fresh_dir ? xstrdup(spec->process.cwd) : getcwd(NULL, 0);
	record_put(root, "cwd", cwd);
	free(cwd);
	json_object_set_new(root, "umask", json_integer(mask));
	json_object_set_new(root, "limits", limits());
	put_options(root, RFS_RECORD_PROCESS, spec);

	json_object_set_new(root, "seed", json_integer((json_int_t)spec->seed));
	record_put(root, "policy", spec->policy->name);
	record_put(root, "policy_path", execution->policy_path);
	record_put(root, "policy_options", spec->policy_options);
	if (spec->policy_blob)
		json_object_set_new(root, "policy_blob", hex(spec->policy_blob->data, spec->policy_blob->size));
	record_put(root, "detector", spec->detector ? spec->detector->name : NULL);
	put_options(root, RFS_RECORD_POINTS, spec);
	if (spec->plan.pair)
		json_object_set_new(root, "pair",
				    json_pack("[o, o]",
					      record_sites(spec->plan.pair->statement[0].sites,
							   spec->plan.pair->statement[0].n_sites),
					      record_sites(spec->plan.pair->statement[1].sites,
							   spec->plan.pair->statement[1].n_sites)));
	if (spec->plan.cycle)
		json_object_set_new(root, "cycle", cycle_parts(spec->plan.cycle));
	if (spec->plan.order)
		json_object_set_new(root, "order", order_places(spec->plan.order));
	if (spec->plan.order && spec->plan.order->descriptors)
		json_object_set_new(root, "descriptors", json_true());
	if (spec->plan.order && spec->plan.order->stacks)
		json_object_set_new(root, "stacks", json_true());
	if (spec->plan.n_addresses)
		json_object_set_new(root, "addresses", addresses(&spec->plan));
	json_object_set_new(root, "visible", record_sites(spec->sites.visible, spec->sites.n_visible));
	if (spec->sites.object_kinds)
		json_object_set_new(root, "object_kinds", json_integer(spec->sites.object_kinds));
	json_object_set_new(root, "spin", spin_reads(&spec->lessons));
	if (spec->sites.n_moves)
		json_object_set_new(root, "atomic_moves", record_moves(&spec->sites));
	put_options(root, RFS_RECORD_LIMITS, spec);
	if (execution->plain_failure)
		json_object_set_new(root, "plain_failure", json_true());
	if (result)
		json_object_set_new(root, "outcome", outcome(result, trace, execution->input));
	return root;
}

/*
 * Appends the last key, which is the checksum of all bytes before it. With the checksum, the reader detects that
 * somebody edited the record, or that a disk lost a part of it.
 */
static char *with_checksum(char *text)
{
	size_t n = strlen(text);
	char *whole, sum[RFS_CHECKSUM_SIZE];

	text[n - 1] = '\0'; /* removes the closing brace */
	rfs_checksum(text, n - 1, sum);
	whole = xasprintf("%s" RFS_CHECKSUM_KEY "%s\"}\n", text, sum);
	free(text);
	return whole;
}

int rfs_record_write(const char *path, const struct rfs_execution *execution, const struct rfs_run_result *result,
		     const char *trace, char *why, size_t n)
{
	json_t *root = record(execution, result, trace);
	char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(15));
	int error;

	json_decref(root);
	if (!text)
		return rfs_why(why, n, -ENOMEM, "cannot write the record %s: out of memory", path);
	text = with_checksum(text);
	/* One record is written before each run. It must survive a run that kills this process, but not a crash of the
	 * machine, so it is not synced to the disk. */
	error = rfs_file_replace(path, text, strlen(text), 0600, result != NULL);
	free(text);
	return error ? rfs_why(why, n, error, "cannot write the record %s: %s", path, strerror(-error)) : 0;
}
