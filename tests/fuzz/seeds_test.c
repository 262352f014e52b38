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

/* The readers, and their folders of seeds. */
static const struct {
	const char *folder;
	rfs_fuzz_fn *read;
} readers[] = {
	{"record", rfs_fuzz_record},	 {"pairs", rfs_fuzz_pairs}, {"trace", rfs_fuzz_trace},
	{"input", rfs_fuzz_input},	 {"hints", rfs_fuzz_hints}, {"reports", rfs_fuzz_reports},
	{"xml", rfs_fuzz_xml},		 {"json", rfs_fuzz_json},   {"suppressions", rfs_fuzz_suppressions},
	{"journal", rfs_fuzz_journal},	 {"part", rfs_fuzz_part},   {"pack", rfs_fuzz_pack},
	{"baseline", rfs_fuzz_baseline},
};
#define N_READERS (sizeof(readers) / sizeof(*readers))

static void run_file(const char *path)
{
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
	for (size_t i = 0; i < N_READERS; i++)
		for (unsigned part = 1; part <= 8; part++) {
			size_t length = n * part / 8;
			uint8_t *copy = malloc(length ? length : 1);

			cr_assert_not_null(copy);
			for (size_t k = 0; k < length; k++)
				copy[k] = data[k];
			cr_expect_eq(readers[i].read(copy, length), 0, "%s", path);
			free(copy);
		}
	free(data);
}

Test(fuzz, seeds)
{
	for (size_t i = 0; i < N_READERS; i++) {
		char path[PATH_MAX];
		struct dirent *entry;
		size_t seen = 0;
		DIR *folder;

		snprintf(path, sizeof(path), SEEDS "%s", readers[i].folder);
		folder = opendir(path);
		cr_assert_not_null(folder, "%s", path);
		while ((entry = readdir(folder))) {
			if (entry->d_name[0] == '.')
				continue;
			snprintf(path, sizeof(path), SEEDS "%s/%s", readers[i].folder, entry->d_name);
			run_file(path);
			seen++;
		}
		closedir(folder);
		cr_expect_gt(seen, 0, "%s", readers[i].folder);
	}
}
