/* cache.c - entries are JSON. The key of a test is the checksum of its names, words and environment. */
#include "supervisor/cli/suite/cache.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uthash.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/file.h"
#include "supervisor/base/output.h"
#include "supervisor/base/path.h"
#include "supervisor/base/tree.h"
#include "supervisor/cli/suite/suite_tests.h"
#include "supervisor/record/checksum.h"
#include "supervisor/report/machine/json_put.h"

#define SCHEMA 1
/* A journal of more than this is not kept. */
#define JOURNAL_MAX (256ull << 20)

/* The checksum of a file that many tests have, such as the C library. */
struct sum {
	char *path; /* the key */
	char sum[RFS_CHECKSUM_SIZE];
	UT_hash_handle hh;
};

struct rfs_cache {
	char *folder;			   /* absolute */
	char maker[2 * RFS_CHECKSUM_SIZE]; /* this rfsup and its options */
	struct sum *sums;
	bool told; /* the user knows that entries are of another rfsup */
};

/* ---- checksums ---- */

/* The checksum of words, with their ends. */
static void sum_words(char *const *const lists[], size_t n, char out[RFS_CHECKSUM_SIZE])
{
	char *text = NULL;
	size_t size;
	FILE *stream = xopen_memstream(&text, &size);

	for (size_t i = 0; i < n; i++) {
		for (char *const *word = lists[i]; word && *word; word++)
			fwrite(*word, 1, strlen(*word) + 1, stream);
		fputc('\n', stream);
	}
	fclose(stream);
	rfs_checksum(text, size, out);
	free(text);
}

/* The path of a file of the test's entry, such as "KEY.json". Caller frees. */
static char *cache_path(const struct rfs_cache *cache, const struct rfs_suite_test *test, const char *end)
{
	char *const names[] = {test->suite, test->name, test->folder ? test->folder : (char *)"", NULL};
	char *const fails[] = {test->fails ? (char *)"fails" : NULL, NULL};
	char *const *const lists[] = {names,	     test->words,   test->env,	   fails,
				      test->passing, test->failing, test->skipping};
	char key[RFS_CHECKSUM_SIZE];

	sum_words(lists, sizeof(lists) / sizeof(*lists), key);
	return xasprintf("%s/%s%s", cache->folder, key, end);
}

/* The checksum of a file; "" if it cannot be read. Borrowed. */
static const char *sum_of_file(struct rfs_cache *cache, const char *path)
{
	struct sum *sum;

	HASH_FIND_STR(cache->sums, path, sum);
	if (sum)
		return sum->sum;
	sum = xcalloc(1, sizeof(*sum));
	sum->path = xstrdup(path);
	if (rfs_checksum_file(path, sum->sum))
		*sum->sum = '\0';
	HASH_ADD_KEYPTR(hh, cache->sums, sum->path, strlen(sum->path), sum);
	return sum->sum;
}

int rfs_cache_open(const char *folder, char *const *options, struct rfs_cache **out, char *why, size_t n)
{
	char self[RFS_CHECKSUM_SIZE], words[RFS_CHECKSUM_SIZE], *path;
	int error = rfs_tree_make(folder);

	if (!error && access(folder, W_OK | X_OK))
		error = -errno;
	if (error)
		return rfs_why(why, n, error, "--cache: cannot write to '%s': %s", folder, strerror(-error));
	error = rfs_checksum_file("/proc/self/exe", self);
	path = realpath(folder, NULL);
	if (error || !path) {
		free(path);
		return rfs_why(why, n, error ? error : -errno, "--cache: cannot read '%s': %s",
			       error ? "/proc/self/exe" : folder, strerror(error ? -error : errno));
	}
	sum_words(&options, 1, words);
	*out = xcalloc(1, sizeof(**out));
	(*out)->folder = path;
	snprintf((*out)->maker, sizeof((*out)->maker), "%s%s", self, words);
	return 0;
}

void rfs_cache_free(struct rfs_cache *cache)
{
	struct sum *sum, *next;

	if (!cache)
		return;
	HASH_ITER (hh, cache->sums, sum, next) {
		HASH_DEL(cache->sums, sum);
		free(sum->path);
		free(sum);
	}
	free(cache->folder);
	free(cache);
}

/* ---- entries ---- */

/* Whether all files of the entry are the same. */
static bool files_are_same(struct rfs_cache *cache, const json_t *files)
{
	const char *path;
	json_t *sum;

	json_object_foreach((json_t *)files, path, sum)
	{
		const char *now = sum_of_file(cache, path), *then = json_string_value(sum);

		if (!*now || !then || strcmp(now, then) != 0)
			return false;
	}
	return json_object_size(files) > 0;
}

static void cache_take(struct rfs_cache *cache, const struct rfs_suite_test *test, json_t *root, struct rfs_cached *out)
{
	const char *maker = json_string_value(json_object_get(root, "maker")), *path;
	const char *follow = json_string_value(json_object_get(root, "follow"));
	json_t *files = json_object_get(root, "files"), *value;
	char *journal = cache_path(cache, test, ".journal");
	size_t i;

	out->found = json_is_true(json_object_get(root, "found"));
	out->threads = json_is_true(json_object_get(root, "threads"));
	out->explored = json_is_true(json_object_get(root, "explored"));
	out->same = maker && strcmp(maker, cache->maker) == 0 && files_are_same(cache, files);
	if ((!maker || strcmp(maker, cache->maker) != 0) && !cache->told) {
		rfs_warn(
			"--cache: '%s' is of another build of rfsup or has other options; its tests are explored again",
			cache->folder);
		cache->told = true;
	}
	if (follow)
		out->follow = xstrdup(follow);
	json_object_foreach(files, path, value) rfs_words_add(&out->files, path);
	json_array_foreach(json_object_get(root, "records"), i,
			   value) if (json_is_string(value) && !strchr(json_string_value(value), '/'))
	{
		char *record = xasprintf("%s/%s", cache->folder, json_string_value(value));

		rfs_words_add(&out->records, record);
		free(record);
	}
	if (access(journal, R_OK) == 0)
		out->journal = journal;
	else
		free(journal);
}

bool rfs_cache_find(struct rfs_cache *cache, const struct rfs_suite_test *test, struct rfs_cached *out)
{
	char *path = cache_path(cache, test, ".json");
	json_error_t error;
	json_t *root = json_load_file(path, 0, &error);
	const bool exists = access(path, F_OK) == 0;
	const bool usable = json_integer_value(json_object_get(root, "schema")) == SCHEMA;

	*out = (struct rfs_cached){
		.files = xcalloc(1, sizeof(char *)),
		.records = xcalloc(1, sizeof(char *)),
	};
	if (usable)
		cache_take(cache, test, root, out);
	else if (exists)
		rfs_warn("--cache: '%s' cannot be used, so the test '%s' is explored again: %s", path, test->name,
			 root ? "another version of rfsup wrote it" : error.text);
	json_decref(root);
	free(path);
	return usable;
}

void rfs_cached_release(struct rfs_cached *cached)
{
	free(cached->follow);
	rfs_words_free(cached->files);
	free(cached->journal);
	rfs_words_free(cached->records);
	*cached = (struct rfs_cached){0};
}

int rfs_cache_copy(const char *from, const char *to)
{
	char *bytes;
	size_t size;
	int error = rfs_file_read(from, JOURNAL_MAX, &bytes, &size);

	if (error)
		return error;
	error = rfs_file_replace(to, bytes, size, 0600, false);
	free(bytes);
	return error;
}

/* Copies a file of the campaign into the cache. end: of its name there. 0 or -errno. */
static int keep(const struct rfs_cache *cache, const struct rfs_suite_test *test, const char *folder, const char *name,
		const char *end, char **kept)
{
	char *from = xasprintf("%s/%s", folder, name), *to = cache_path(cache, test, end);
	int error = rfs_cache_copy(from, to);

	if (!error && kept)
		*kept = xstrdup(rfs_base_name(to));
	free(from);
	free(to);
	return error;
}

int rfs_cache_put(struct rfs_cache *cache, const struct rfs_suite_test *test, const struct rfs_cache_entry *entry,
		  char *why, size_t n)
{
	json_t *root = json_object(), *files = json_object(), *records = json_array();
	char *path = cache_path(cache, test, ".json"), *journal = cache_path(cache, test, ".journal"), *text;
	int error = 0;

	/* without its entry, a journal is not used: so a suite that is killed here leaves nothing wrong */
	unlink(path);
	for (char *const *file = entry->files; *file; file++)
		rfs_json_put_text(files, *file, sum_of_file(cache, *file));
	if (!entry->folder)
		unlink(journal);
	else
		error = keep(cache, test, entry->folder, "journal", ".journal", NULL);
	for (size_t i = 0; !error && entry->folder && entry->records[i]; i++) {
		char *end = xasprintf("-%zu.record.json", i), *kept = NULL;

		error = keep(cache, test, entry->folder, entry->records[i], end, &kept);
		if (!error)
			rfs_json_append(records, rfs_json_text(kept));
		free(kept);
		free(end);
	}
	rfs_json_put_number(root, "schema", SCHEMA);
	rfs_json_put_text(root, "maker", cache->maker);
	rfs_json_put_text(root, "suite", test->suite);
	rfs_json_put_text(root, "name", test->name);
	rfs_json_put(root, "threads", json_boolean(entry->threads));
	rfs_json_put(root, "found", json_boolean(entry->found));
	rfs_json_put(root, "explored", json_boolean(entry->explored));
	rfs_json_put_text(root, "follow", entry->follow);
	rfs_json_put(root, "files", files);
	rfs_json_put(root, "records", records);
	text = json_dumps(root, JSON_INDENT(2));
	json_decref(root);
	if (!error)
		error = text ? rfs_file_replace(path, text, strlen(text), 0600, false) : -ENOMEM;
	if (error)
		rfs_why(why, n, error, "--cache: cannot write the entry of the test '%s' to '%s': %s", test->name,
			cache->folder, strerror(-error));
	free(text);
	free(journal);
	free(path);
	return error;
}
