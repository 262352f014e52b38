/* cache_test.c - entries of --cache: what makes them unusable, and files that are damaged. */
#include "supervisor/cli/suite/cache.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/cli/suite/suite_tests.h"
#include "tests/supervisor/scratch.h"

TestSuite(cache, .timeout = 20);

static char *no_options[] = {NULL};

static struct rfs_cache *opened(char *const *options)
{
	struct rfs_cache *cache;
	char why[256];

	cr_assert_eq(rfs_cache_open("cache", options, &cache, why, sizeof(why)), 0, "%s", why);
	return cache;
}

static void put(char *const *options, const struct rfs_suite_test *test, bool found)
{
	char *files[] = {(char *)"program", NULL}, *records[] = {(char *)"records/a.json", NULL}, why[256];
	struct rfs_cache *cache = opened(options);
	const struct rfs_cache_entry entry = {
		.threads = true,
		.found = found,
		.explored = true,
		.files = files,
		.folder = "out",
		.records = records,
	};

	cr_assert_eq(rfs_cache_put(cache, test, &entry, why, sizeof(why)), 0, "%s", why);
	rfs_cache_free(cache);
}

/* Whether the entry exists, and whether everything is the same. */
static bool finds(char *const *options, const struct rfs_suite_test *test, bool *same)
{
	struct rfs_cache *cache = opened(options);
	struct rfs_cached cached;
	bool found = rfs_cache_find(cache, test, &cached);

	*same = found && cached.same;
	if (*same) {
		char *record = scratch_read(cached.records[0]), *journal = scratch_read(cached.journal);

		cr_expect_str_eq(record, "record");
		cr_expect_str_eq(journal, "journal");
		free(record);
		free(journal);
	}
	rfs_cached_release(&cached);
	rfs_cache_free(cache);
	return found;
}

Test(cache, an_entry_is_used_only_if_nothing_has_changed)
{
	char *folder = scratch_enter(), *other[] = {(char *)"--memory-model=tso", NULL};
	struct rfs_suite_tests tests = {0};
	struct rfs_suite_test *test = rfs_suite_tests_add(&tests, "ctest", "one");
	bool same;
	glob_t entries;

	rfs_log_set_level(RFS_LOG_QUIET);
	rfs_words_add(&test->words, "program");
	scratch_file("program", "code", 4, 0700);
	mkdir("out", 0700);
	mkdir("out/records", 0700);
	scratch_file("out/journal", "journal", 7, 0600);
	scratch_file("out/records/a.json", "record", 6, 0600);
	cr_expect(!finds(no_options, test, &same), "there is no entry yet");
	put(no_options, test, true);
	cr_expect(finds(no_options, test, &same) && same);
	cr_expect(finds(other, test, &same) && !same, "other options");
	rfs_words_add(&test->words, "argument");
	cr_expect(!finds(no_options, test, &same), "other words are another test");
	free(test->words[1]);
	test->words[1] = NULL;
	scratch_file("program", "edoc", 4, 0700);
	cr_expect(finds(no_options, test, &same) && !same, "another program");
	unlink("program");
	cr_expect(finds(no_options, test, &same) && !same, "no program");

	cr_assert_eq(glob("cache/*.json", 0, NULL, &entries), 0);
	for (size_t i = 0; i < entries.gl_pathc; i++)
		if (!strstr(entries.gl_pathv[i], ".record.json"))
			scratch_file(entries.gl_pathv[i], "{\"schema\": 1, \"files\"", 21, 0600);
	cr_expect(!finds(no_options, test, &same), "a damaged entry");
	globfree(&entries);
	rfs_suite_tests_release(&tests);
	scratch_leave(folder);
}

Test(cache, a_folder_that_cannot_be_used_is_refused)
{
	char *folder = scratch_enter(), why[256];
	struct rfs_cache *cache;

	scratch_file("cache", "", 0, 0600);
	cr_expect_lt(rfs_cache_open("cache", no_options, &cache, why, sizeof(why)), 0);
	cr_expect(strstr(why, "--cache: cannot write to 'cache': "), "%s", why);
	scratch_leave(folder);
}
