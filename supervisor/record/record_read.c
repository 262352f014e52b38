/* record_read.c - reads and checks records. record.c writes them. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policy/core/cycle_place.h"
#include "supervisor/base/address_name.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/siteset.h"
#include "supervisor/base/text/number.h"
#include "supervisor/record/checksum.h"
#include "supervisor/record/cycle.h"
#include "supervisor/record/record-priv.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_options.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"

/* More bytes than any record has. Its largest part is the blob of a policy. */
#define RECORD_MAX (256l << 20)

/* The state of the reader. Only the first error is kept. A wrong value is read as empty. */
struct reader {
	struct rfs_record *record;
	const char *wrong; /* key of the first error */
};

static void *record_read_own(struct reader *r, void *block)
{
	struct rfs_record *record = r->record;

	record->owned = xreallocarray(record->owned, record->n_owned + 1, sizeof(*record->owned));
	record->owned[record->n_owned++] = block;
	return block;
}

static void *record_read_fail(struct reader *r, const char *key)
{
	if (!r->wrong)
		r->wrong = key;
	return NULL;
}

static int record_read_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes hex digits, and adds a NUL. */
static char *record_read_bytes_of(struct reader *r, const json_t *json, size_t *n, const char *key)
{
	const char *text = json_string_value(json);
	size_t length = text ? strlen(text) : 1;
	char *bytes;

	if (length % 2)
		return record_read_fail(r, key);
	bytes = record_read_own(r, xcalloc(length / 2 + 1, 1));
	for (size_t i = 0; i < length / 2; i++) {
		int high = record_read_digit(text[2 * i]), low = record_read_digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return record_read_fail(r, key);
		bytes[i] = (char)(high << 4 | low);
	}
	*n = length / 2;
	return bytes;
}

static char *record_read_string_of(struct reader *r, const json_t *json, const char *key)
{
	size_t n;

	if (json_is_object(json))
		return record_read_bytes_of(r, json_object_get(json, "hex"), &n, key);
	if (!json_is_string(json))
		return record_read_fail(r, key);
	return record_read_own(r, xstrdup(json_string_value(json)));
}

/* The string at the key. NULL if the key is absent, which is an error if the key is required. */
static char *text(struct reader *r, const json_t *object, const char *key, bool required)
{
	const json_t *json = json_object_get(object, key);

	if (!json)
		return required ? record_read_fail(r, key) : NULL;
	return record_read_string_of(r, json, key);
}

static uint64_t integer(struct reader *r, const json_t *object, const char *key)
{
	const json_t *json = json_object_get(object, key);

	if (!json_is_integer(json)) {
		record_read_fail(r, key);
		return 0;
	}
	return (uint64_t)json_integer_value(json);
}

static double record_read_number(struct reader *r, const json_t *object, const char *key)
{
	const json_t *json = json_object_get(object, key);

	if (!json_is_number(json)) {
		record_read_fail(r, key);
		return 0;
	}
	return json_number_value(json);
}

/* An array of strings that ends with NULL. */
static char **record_read_strings(struct reader *r, const json_t *object, const char *key)
{
	const json_t *array = json_object_get(object, key);
	size_t n = json_array_size(array);
	char **list = record_read_own(r, xcalloc(n + 1, sizeof(*list)));

	if (!json_is_array(array))
		record_read_fail(r, key);
	for (size_t i = 0; i < n; i++)
		list[i] = record_read_string_of(r, json_array_get(array, i), key);
	return list;
}

static const struct rfs_site_ref *record_read_sites(struct reader *r, const json_t *array, size_t *n, const char *key)
{
	size_t size = json_array_size(array);
	struct rfs_site_ref *list = record_read_own(r, xcalloc(size + 1, sizeof(*list)));

	if (!json_is_array(array))
		record_read_fail(r, key);
	for (size_t i = 0; i < size; i++) {
		const json_t *site = json_array_get(array, i), *offset = json_array_get(site, 1);

		if (!json_is_integer(offset))
			return record_read_fail(r, key);
		list[i].module = record_read_string_of(r, json_array_get(site, 0), key);
		if (!list[i].module)
			return NULL;
		list[i].offset = (uint64_t)json_integer_value(offset);
	}
	*n = size;
	return list;
}

/* The atomic moves: an array of [module, offsets]. */
static const struct rfs_site_ref *read_moves(struct reader *r, const json_t *array, size_t *n)
{
	static const char key[] = "atomic_moves";
	struct rfs_site_ref *list;
	size_t total = 0, i, k;
	const json_t *item, *offset;

	*n = 0;
	if (!array)
		return NULL;
	if (!json_is_array(array))
		return record_read_fail(r, key);
	json_array_foreach(array, i, item) total += json_array_size(json_array_get(item, 1));
	list = record_read_own(r, xcalloc(total + 1, sizeof(*list)));
	json_array_foreach(array, i, item)
	{
		const char *module = record_read_string_of(r, json_array_get(item, 0), key);

		if (!module)
			return NULL;
		json_array_foreach(json_array_get(item, 1), k, offset)
		{
			if (!json_is_integer(offset))
				return record_read_fail(r, key);
			list[(*n)++] = (struct rfs_site_ref){module, (uint64_t)json_integer_value(offset)};
		}
	}
	return list;
}

static void read_limits(struct reader *r, const json_t *root)
{
	const json_t *object = json_object_get(root, "limits");
	struct rfs_record *record = r->record;

	record->limits = record_read_own(r, xcalloc(rfs_record_n_resources, sizeof(*record->limits)));
	for (size_t i = 0; i < rfs_record_n_resources; i++) {
		const json_t *limit = json_object_get(object, rfs_record_resources[i].name);

		if (json_array_size(limit) != 2)
			continue;
		record->limits[record->n_limits++] = (struct rfs_record_limit){
			.resource = rfs_record_resources[i].number,
			.limit.rlim_cur = (rlim_t)json_integer_value(json_array_get(limit, 0)),
			.limit.rlim_max = (rlim_t)json_integer_value(json_array_get(limit, 1)),
		};
	}
}

static void read_pair(struct reader *r, const json_t *root)
{
	const json_t *pair = json_object_get(root, "pair");
	struct rfs_record *record = r->record;

	if (!pair)
		return;
	for (int i = 0; i < 2; i++)
		record->pair.statement[i].sites =
			record_read_sites(r, json_array_get(pair, i), &record->pair.statement[i].n_sites, "pair");
	record->execution.spec.plan.pair = &record->pair;
}

static bool read_hash(const json_t *value, uint64_t *out)
{
	const char *text = json_string_value(value);
	char *end;

	if (!text || !*text)
		return false;
	*out = strtoull(text, &end, 16);
	return *end == '\0';
}

static void read_cycle_lock(struct reader *r, const json_t *json, struct rfs_cycle_lock *out)
{
	const json_t *offset = json_array_get(json, 2);

	if (json_is_null(json))
		return;
	if (!read_hash(json_array_get(json, 0), &out->class) || !json_is_integer(offset)) {
		record_read_fail(r, "cycle");
		return;
	}
	out->site = (struct rfs_place){record_read_string_of(r, json_array_get(json, 1), "cycle"),
				       (uint64_t)json_integer_value(offset)};
}

static void read_cycle(struct reader *r, const json_t *root)
{
	const json_t *array = json_object_get(root, "cycle");
	struct rfs_cycle *cycle = &r->record->cycle;

	if (!array)
		return;
	cycle->n = json_array_size(array);
	if (cycle->n < 2 || cycle->n > RFS_CYCLE_PARTS_MAX) {
		record_read_fail(r, "cycle");
		return;
	}
	cycle->parts = record_read_own(r, xcalloc(cycle->n, sizeof(*cycle->parts)));
	for (size_t i = 0; i < cycle->n; i++) {
		read_cycle_lock(r, json_array_get(json_array_get(array, i), 0), &cycle->parts[i].held);
		read_cycle_lock(r, json_array_get(json_array_get(array, i), 1), &cycle->parts[i].wanted);
		if (!cycle->parts[i].wanted.site.module)
			record_read_fail(r, "cycle");
	}
	r->record->execution.spec.plan.cycle = cycle;
}

static void read_order(struct reader *r, const json_t *root)
{
	const json_t *array = json_object_get(root, "order");
	struct rfs_order_places *order = &r->record->order;
	struct rfs_site_ref *const places[3] = {&order->held, &order->calls[0], &order->calls[1]};

	if (!array)
		return;
	if (json_array_size(array) != 3) {
		record_read_fail(r, "order");
		return;
	}
	for (size_t i = 0; i < 3; i++) {
		const json_t *place = json_array_get(array, i), *offset = json_array_get(place, 1);

		if (json_is_null(place))
			continue;
		if (!json_is_integer(offset))
			record_read_fail(r, "order");
		else
			*places[i] = (struct rfs_site_ref){record_read_string_of(r, json_array_get(place, 0), "order"),
							   (uint64_t)json_integer_value(offset)};
	}
	order->descriptors = json_is_true(json_object_get(root, "descriptors"));
	order->stacks = json_is_true(json_object_get(root, "stacks"));
	r->record->execution.spec.plan.order = order;
}

static void read_addresses(struct reader *r, const json_t *root, struct rfs_run_plan *plan)
{
	const json_t *array = json_object_get(root, "addresses");
	struct rfs_address_name *names;
	size_t n = json_array_size(array);

	if (!n)
		return;
	names = record_read_own(r, xcalloc(n, sizeof(*names)));
	for (size_t i = 0; i < n; i++) {
		const json_t *name = json_array_get(array, i);

		names[i].kind = (uint64_t)json_integer_value(json_array_get(name, 0));
		if (!read_hash(json_array_get(name, 1), &names[i].object) ||
		    !read_hash(json_array_get(name, 2), &names[i].offset))
			record_read_fail(r, "addresses");
	}
	plan->addresses = names;
	plan->n_addresses = n;
}

static void read_word(struct reader *r, const json_t *root, const struct rfs_run_option *row, unsigned *out)
{
	const char *word = text(r, root, row->key, true);
	int i = word ? rfs_option_word(row->option.words, word) : 0;

	if (i < 0)
		record_read_fail(r, row->key);
	else
		*out = (unsigned)i;
}

static void read_set(struct reader *r, const json_t *root, const struct rfs_run_option *row, unsigned *out)
{
	const json_t *array = json_object_get(root, row->key);

	if (array && !json_is_array(array))
		record_read_fail(r, row->key);
	for (size_t i = 0; i < json_array_size(array); i++) {
		const char *word = json_string_value(json_array_get(array, i));
		int bit = word ? rfs_option_word(row->option.words, word) : -1;

		if (bit < 0)
			record_read_fail(r, row->key);
		else
			*out |= 1u << bit;
	}
}

static void read_option(struct reader *r, const json_t *root, const struct rfs_run_option *row, void *out)
{
	switch (row->option.kind) {
	case RFS_OPTION_SWITCH:
	case RFS_OPTION_EITHER:
		*(bool *)out = json_is_true(json_object_get(root, row->key));
		break;
	case RFS_OPTION_WORD:
		read_word(r, root, row, out);
		break;
	case RFS_OPTION_SET:
		read_set(r, root, row, out);
		break;
	case RFS_OPTION_COUNT:
		*(unsigned *)out = (unsigned)integer(r, root, row->key);
		break;
	case RFS_OPTION_NUMBER:
	case RFS_OPTION_SIZE:
		if (row->absent && !json_object_get(root, row->key))
			break;
		*(uint64_t *)out = integer(r, root, row->key);
		break;
	case RFS_OPTION_DATE:
		if (json_object_get(root, row->key))
			*(uint64_t *)out = integer(r, root, row->key);
		break;
	case RFS_OPTION_SECONDS:
		*(double *)out = record_read_number(r, root, row->key);
		break;
	case RFS_OPTION_NAME:
	case RFS_OPTION_TEXT:
		*(const char **)out = text(r, root, row->key, false);
		break;
	case RFS_OPTION_LIST:
		if (row->absent && !json_object_get(root, row->key))
			break;
		*(char *const **)out = record_read_strings(r, root, row->key);
		break;
	}
}

static void read_options(struct reader *r, const json_t *root, struct rfs_run_spec *spec)
{
	for (size_t i = 0; i < rfs_n_run_options; i++)
		if (rfs_run_options[i].key)
			read_option(r, root, &rfs_run_options[i], (char *)spec + rfs_run_options[i].option.offset);
	if (spec->job.fresh_dir && !spec->job.fresh_root)
		record_read_fail(r, "fresh_root");
}

static void read_spec(struct reader *r, const json_t *root)
{
	struct rfs_record *record = r->record;
	struct rfs_run_spec *spec = &record->execution.spec;
	const struct rfs_site_ref *spin;
	const json_t *blob = json_object_get(root, "policy_blob");
	size_t n_spin = 0;

	spec->process.path = text(r, root, "path", true);
	spec->process.argv = record_read_strings(r, root, "argv");
	spec->process.envp = record_read_strings(r, root, "envp");
	spec->process.cwd = text(r, root, "cwd", true);
	read_options(r, root, spec);
	spec->seed = integer(r, root, "seed");
	spec->policy_options = text(r, root, "policy_options", false);
	spec->sites.visible = record_read_sites(r, json_object_get(root, "visible"), &spec->sites.n_visible, "visible");
	if (json_object_get(root, "object_kinds"))
		spec->sites.object_kinds = (unsigned)integer(r, root, "object_kinds");
	spec->sites.moves = read_moves(r, json_object_get(root, "atomic_moves"), &spec->sites.n_moves);
	read_pair(r, root);
	read_cycle(r, root);
	read_order(r, root);
	read_addresses(r, root, &spec->plan);
	spin = record_read_sites(r, json_object_get(root, "spin"), &n_spin, "spin");
	for (size_t i = 0; spin && i < n_spin; i++)
		if (strcmp(spin[i].module, RFS_RECORD_TRAPS_RDTSC) == 0)
			record->lessons.traps_rdtsc = true;
		else
			rfs_site_set_add(&record->lessons.spin, spin[i].module, spin[i].offset);
	record->execution.lessons = &record->lessons;
	if (blob) {
		record->blob.data = record_read_bytes_of(r, blob, &record->blob.size, "policy_blob");
		spec->policy_blob = &record->blob;
	}
}

static void read_modules(struct reader *r, const json_t *array)
{
	struct rfs_record *record = r->record;

	if (!json_is_array(array))
		record_read_fail(r, "modules");
	record->n_modules = json_array_size(array);
	record->modules = record_read_own(r, xcalloc(record->n_modules + 1, sizeof(*record->modules)));
	for (size_t i = 0; i < record->n_modules; i++) {
		const json_t *module = json_array_get(array, i);

		record->modules[i].path = text(r, module, "path", true);
		record->modules[i].build_id = text(r, module, "build_id", true);
		record->modules[i].content = text(r, module, "content", false);
	}
}

/*
 * The path of a file that is in the same folder as the record is now. A file name with a slash is rejected, because it
 * may lead to another folder.
 */
static char *beside(struct reader *r, const json_t *object, const char *key, const char *path)
{
	const char *name = text(r, object, key, false), *slash = strrchr(path, '/');

	if (!name)
		return NULL;
	if (strchr(name, '/'))
		return record_read_fail(r, key);
	return record_read_own(r, xasprintf("%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, name));
}

static void read_outcome(struct reader *r, const json_t *outcome, const char *path)
{
	struct rfs_record *record = r->record;
	const char *end = text(r, outcome, "end", true), *hash = text(r, outcome, "hash", true);
	char half[17] = "";

	record->ended = true;
	record->detail = (int)integer(r, outcome, "detail");
	record->created = integer(r, outcome, "created");
	record->seconds = json_number_value(json_object_get(outcome, "seconds"));
	read_modules(r, json_object_get(outcome, "modules"));
	for (record->end = RFS_END_EXIT; end && record->end < RFS_END_UNCONTROLLED; record->end++)
		if (strcmp(end, rfs_run_end_name(record->end)) == 0)
			break;
	if (end && strcmp(end, rfs_run_end_name(record->end)) != 0)
		record_read_fail(r, "end");
	for (size_t i = 0; i < 2 && hash; i++) {
		snprintf(half, sizeof(half), "%.16s", strlen(hash) == 32 ? hash + 16 * i : "");
		if (rfs_hex_parse(half, &record->hash[i]))
			record_read_fail(r, "hash");
	}
	record->trace = beside(r, outcome, "trace", path);
	record->input = beside(r, outcome, "input", path);
}

static void record_read_all(struct reader *r, const json_t *root, const char *path)
{
	struct rfs_record *record = r->record;
	const json_t *outcome = json_object_get(root, "outcome");

	snprintf(record->execution.name, sizeof(record->execution.name), "replay");
	record->policy = text(r, root, "policy", true);
	record->execution.policy_path = text(r, root, "policy_path", false);
	record->execution.plain_failure = json_is_true(json_object_get(root, "plain_failure"));
	record->detector = text(r, root, "detector", false);
	record->mask = (mode_t)integer(r, root, "umask");
	read_limits(r, root);
	read_spec(r, root);
	if (record->execution.spec.process.argv && !record->execution.spec.process.argv[0])
		record_read_fail(r, "argv");
	if (outcome)
		read_outcome(r, outcome, path);
}

/*
 * Reads the whole file, and adds a NUL. Caller frees. *foreign: the file belongs to another user, or others may write
 * to it.
 */
static int read_whole(const char *path, char **out, size_t *size, bool *foreign, char *why, size_t n)
{
	FILE *file = fopen(path, "re");
	struct stat st;
	char *bytes;

	if (!file)
		return rfs_why(why, n, -errno, "%s: %s", path, strerror(errno));
	if (fstat(fileno(file), &st) != 0 || !S_ISREG(st.st_mode)) {
		fclose(file);
		return rfs_why(why, n, -EINVAL, "%s: not a file", path);
	}
	if (st.st_size > RECORD_MAX) {
		fclose(file);
		return rfs_why(why, n, -EINVAL, "%s: too large for a record of rfsup", path);
	}
	*foreign = st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH));
	bytes = xmalloc((size_t)st.st_size + 1);
	*size = fread(bytes, 1, (size_t)st.st_size, file);
	bytes[*size] = '\0';
	fclose(file);
	*out = bytes;
	return 0;
}

/* False if the text does not end with its correct checksum. */
static bool checksum_holds(const char *bytes, size_t size)
{
	static const char end[] = "\"}\n";
	const size_t tail = strlen(RFS_CHECKSUM_KEY) + RFS_CHECKSUM_SIZE - 1 + strlen(end);
	const char *key = bytes + size - tail;
	char sum[RFS_CHECKSUM_SIZE];

	if (size < tail || strncmp(key, RFS_CHECKSUM_KEY, strlen(RFS_CHECKSUM_KEY)) != 0)
		return false;
	rfs_checksum(bytes, size - tail, sum);
	return strncmp(key + strlen(RFS_CHECKSUM_KEY), sum, strlen(sum)) == 0 &&
	       strcmp(bytes + size - strlen(end), end) == 0;
}

static int record_read_refuse(const char *path, const json_t *root, const char *bytes, size_t size, char *why, size_t n)
{
	const json_t *schema = json_object_get(root, "rfsup_record");
	const char *version = json_string_value(json_object_get(root, "version"));
	json_int_t number;

	if (!json_is_integer(schema))
		return rfs_why(why, n, -EINVAL,
			       "%s: not a record of rfsup; records are in the subdirectory \"records\" of the output "
			       "directory",
			       path);
	number = json_integer_value(schema);
	if (number != RFS_RECORD_SCHEMA)
		return rfs_why(why, n, -EINVAL,
			       "%s: record format %lld of rfsup %s, but this rfsup reads format %d; use the version "
			       "that wrote it",
			       path, (long long)number, version ? version : "?", RFS_RECORD_SCHEMA);
	if (!checksum_holds(bytes, size))
		return rfs_why(why, n, -EINVAL, "%s: damaged: its checksum is wrong", path);
	return 0;
}

int rfs_record_read(const char *path, struct rfs_record *out, char *why, size_t n)
{
	struct reader r = {.record = out};
	json_error_t json_error;
	char *bytes = NULL;
	size_t size = 0;
	json_t *root;
	int error;

	memset(out, 0, sizeof(*out));
	error = read_whole(path, &bytes, &size, &out->foreign, why, n);
	if (error)
		return error;
	if (size == 0) {
		free(bytes);
		return rfs_why(why, n, -EINVAL, "%s: damaged: it is empty", path);
	}
	root = json_loadb(bytes, size, 0, &json_error);
	if (!root)
		error = rfs_why(why, n, -EINVAL, "%s:%d: damaged, or not a record of rfsup: %s", path, json_error.line,
				json_error.text);
	else
		error = record_read_refuse(path, root, bytes, size, why, n);
	free(bytes);
	if (!error)
		record_read_all(&r, root, path);
	json_decref(root);
	if (!error && r.wrong)
		error = rfs_why(why, n, -EINVAL, "%s: damaged: \"%s\" is missing or wrong", path, r.wrong);
	if (error)
		rfs_record_release(out);
	return error;
}

void rfs_record_release(struct rfs_record *record)
{
	for (size_t i = 0; i < record->n_owned; i++)
		free(record->owned[i]);
	free(record->owned);
	rfs_site_set_release(&record->lessons.spin);
	memset(record, 0, sizeof(*record));
}
