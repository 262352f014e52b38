/* seeds_test.c - gives every seed file of the fuzzer to every reader. The seeds include inputs that once failed. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/readers.h"

TestSuite(fuzz, .timeout = 60);

#define SEEDS "tests/fuzz/seeds/"
#define SEED_MAX (1u << 20)

static void run_file(const char *path)
{
	static rfs_fuzz_fn *const readers[] = {rfs_fuzz_record, rfs_fuzz_pairs, rfs_fuzz_trace,
					       rfs_fuzz_input,	rfs_fuzz_hints, rfs_fuzz_reports,
					       rfs_fuzz_xml,	rfs_fuzz_json,	rfs_fuzz_suppressions};
	FILE *file = fopen(path, "rb");
	uint8_t *data = malloc(SEED_MAX);
	size_t n;

	cr_assert(file && data, "%s", path);
	n = fread(data, 1, SEED_MAX, file);
	fclose(file);
	/*
	 * the whole file and shorter parts of it; each in memory of exactly its size, so that a sanitizer sees a read
	 * beyond it
	 */
	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++)
		for (unsigned part = 1; part <= 8; part++) {
			size_t length = n * part / 8;
			uint8_t *copy = malloc(length ? length : 1);

			cr_assert_not_null(copy);
			for (size_t k = 0; k < length; k++)
				copy[k] = data[k];
			cr_expect_eq(readers[i](copy, length), 0, "%s", path);
			free(copy);
		}
	free(data);
}

Test(fuzz, seeds)
{
	static const char *const folders[] = {"record", "pairs", "trace",	 "input",   "hints", "reports",
					      "xml",	"json",	 "suppressions", "journal", "pack",  "baseline"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		char path[PATH_MAX];
		struct dirent *entry;
		size_t seen = 0;
		DIR *folder;

		snprintf(path, sizeof(path), SEEDS "%s", folders[i]);
		folder = opendir(path);
		cr_assert_not_null(folder, "%s", path);
		while ((entry = readdir(folder))) {
			if (entry->d_name[0] == '.')
				continue;
			snprintf(path, sizeof(path), SEEDS "%s/%s", folders[i], entry->d_name);
			run_file(path);
			seen++;
		}
		closedir(folder);
		cr_expect_gt(seen, 0, "%s", folders[i]);
	}
}
