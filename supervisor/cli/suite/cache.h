/*
 * cache.h - what is known of the tests from earlier suites, in a folder that CI keeps between runs.
 *
 * Each test has an entry, KEY.json, which is used only if rfsup, its options, and all files of the test are the same:
 * programs, libraries, and arguments that are files. A test with threads also has the journal of its campaign
 * (pool/journal.h), from which the campaign continues without the executions that were made, and the records of its
 * findings. An entry that cannot be used is replaced at the end.
 */
#ifndef RFS_SUITE_CACHE_H
#define RFS_SUITE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_cache;
struct rfs_suite_test;

/* An entry. All is owned. */
struct rfs_cached {
	bool same;	/* everything is as it was when the entry was written; otherwise only `found` counts */
	bool threads;	/* the test has threads */
	bool found;	/* something was found */
	bool explored;	/* nothing that was planned is left */
	char *follow;	/* of struct rfs_watch */
	char **files;	/* of struct rfs_watch; ends with NULL */
	char *journal;	/* the path of the journal; NULL: there is none */
	char **records; /* paths; ends with NULL */
};

/* What an entry is made of. Borrowed. */
struct rfs_cache_entry {
	bool threads, found, explored;
	const char *follow;
	char *const *files;
	const char *folder;   /* of the campaign: its journal and records are copied; NULL: there is none */
	char *const *records; /* names in that folder */
};

/*
 * Opens the folder, and makes it if it does not exist. options: the words of the command line that change campaigns.
 * 0 and *out (rfs_cache_free()), or -errno and a line in why.
 */
int rfs_cache_open(const char *folder, char *const *options, struct rfs_cache **out, char *why, size_t n)
	__attribute__((warn_unused_result));
/* The entry of the test. False: there is none. A damaged one is a warning. Free with rfs_cached_release(). */
bool rfs_cache_find(struct rfs_cache *cache, const struct rfs_suite_test *test, struct rfs_cached *out);
void rfs_cached_release(struct rfs_cached *cached);
/* Replaces the entry of the test. 0, or -errno and a line in why. */
int rfs_cache_put(struct rfs_cache *cache, const struct rfs_suite_test *test, const struct rfs_cache_entry *entry,
		  char *why, size_t n) __attribute__((warn_unused_result));
void rfs_cache_free(struct rfs_cache *cache);

/* Copies a file. 0 or -errno. */
int rfs_cache_copy(const char *from, const char *to) __attribute__((warn_unused_result));

#endif
