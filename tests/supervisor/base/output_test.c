/* output_test.c - the output folder is never shared, and its files are complete or missing. */
#include "supervisor/base/output.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/supervisor/scratch.h"

TestSuite(output, .timeout = 20);

static char *const command[] = {(char[]){"rfsup"}, (char[]){"./a"}, NULL};

/* The number of entries in the folder, including its mark (see supervisor/base/output.h). */
static int entries(const char *path)
{
	DIR *dir = opendir(path);
	int n = -2; /* do not count . and .. */

	cr_assert_not_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

Test(output, takes_the_next_free_number)
{
	char *scratch = scratch_enter(), why[512] = "", *text;
	struct rfs_output one, two, three;

	cr_assert_eq(mkdir("rfsup.out.2", 0777), 0);
	cr_assert_eq(rfs_output_open(NULL, command, &one, why, sizeof(why)), 0, "%s", why);
	cr_assert_str_eq(one.path, "rfsup.out.1");
	cr_assert_eq(rfs_output_open(NULL, command, &two, why, sizeof(why)), 0, "%s", why);
	cr_assert_str_eq(two.path, "rfsup.out.3");
	text = scratch_read("rfsup.out.1/" RFS_OUTPUT_MARK);
	cr_assert_str_eq(text, "rfsup ./a\n");
	free(text);
	rfs_output_close(&one);
	rfs_output_discard(&two);
	cr_assert_eq(rfs_output_open(NULL, command, &three, why, sizeof(why)), 0, "%s", why);
	cr_assert_str_eq(three.path, "rfsup.out.3", "a discarded folder is free again");
	rfs_output_close(&three);
	scratch_leave(scratch);
}

Test(output, is_never_shared)
{
	char *scratch = scratch_enter(), why[512] = "", *file;
	struct rfs_output one, two;

	cr_assert_eq(mkdir("there", 0777), 0);
	cr_assert_eq(rfs_output_open("there", command, &one, why, sizeof(why)), 0, "an empty folder may be used: %s",
		     why);
	cr_assert_eq(rfs_output_open("there", command, &two, why, sizeof(why)), -EEXIST);
	cr_assert_not_null(strstr(why, "'there' already holds a run"), "%s", why);
	file = rfs_output_file(&one, "x");
	cr_assert_str_eq(file, "there/x");
	free(file);
	rfs_output_close(&one);
	scratch_leave(scratch);
}

Test(output, cannot_be_made)
{
	const struct {
		const char *dir;
		int error;
	} cases[] = {{"no/such/parent", -ENOENT},
		     {"file", -ENOTDIR},
		     {"file/x", -ENOTDIR},
		     {"/proc/x", -ENOENT},
		     {"/proc", -ENOENT}};
	char *scratch = scratch_enter();

	scratch_file("file", "", 0, 0600);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_output out;
		char why[512] = "";

		cr_expect_lt(rfs_output_open(cases[i].dir, command, &out, why, sizeof(why)), 0, "%s", cases[i].dir);
		cr_expect_not_null(strstr(why, "output directory"), "%s: %s", cases[i].dir, why);
		cr_expect_null(out.path);
	}
	scratch_leave(scratch);
}

Test(output, writes_whole_files)
{
	char *scratch = scratch_enter(), why[512] = "", *text;
	struct rfs_output out;

	cr_assert_eq(rfs_output_open("d", command, &out, why, sizeof(why)), 0, "%s", why);
	cr_assert_eq(rfs_output_write(&out, "a", "one", 3, why, sizeof(why)), 0, "%s", why);
	cr_assert_eq(rfs_output_write(&out, "a", "second", 6, why, sizeof(why)), 0, "%s", why);
	text = scratch_read("d/a");
	cr_assert_str_eq(text, "second");
	free(text);
	cr_assert_lt(rfs_output_write(&out, "none/a", "x", 1, why, sizeof(why)), 0);
	cr_assert_not_null(strstr(why, "cannot write 'd/none/a'"), "%s", why);
	cr_assert_eq(entries("d"), 2, "no temporary file stays");
	rfs_output_close(&out);
	scratch_leave(scratch);
}

/* A limit on the size of files simulates a full disk: write() ends early and then fails. */
Test(output, a_full_disk_leaves_nothing_half_written)
{
	char *scratch = scratch_enter(), why[512] = "", *text, *big = calloc(1, 1 << 16);
	struct rlimit old, limit;
	struct rfs_output out;
	int error;

	cr_assert_eq(rfs_output_open("d", command, &out, why, sizeof(why)), 0, "%s", why);
	cr_assert_eq(rfs_output_write(&out, "report", "old", 3, why, sizeof(why)), 0, "%s", why);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = 4096;
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	error = rfs_output_write(&out, "report", big, 1 << 16, why, sizeof(why));
	setrlimit(RLIMIT_FSIZE, &old);
	cr_assert_eq(error, -EFBIG);
	cr_assert_not_null(strstr(why, "cannot write 'd/report': "), "%s", why);
	cr_assert_eq(entries("d"), 2);
	text = scratch_read("d/report");
	cr_assert_str_eq(text, "old");
	free(text);
	free(big);
	rfs_output_close(&out);
	scratch_leave(scratch);
}

Test(output, a_full_device_is_said)
{
	FILE *full = fopen("/dev/full", "we");
	char why[512] = "";

	cr_assert_not_null(full);
	cr_assert_eq(rfs_output_print(full, "standard output", "x", 1, why, sizeof(why)), -ENOSPC);
	cr_assert_str_eq(why, "cannot write to standard output: No space left on device");
	fclose(full);
}

/* Several processes ask for a folder at the same time. Each gets a different one. */
Test(output, parallel_runs_get_folders_of_their_own)
{
	enum { RUNS = 16 };
	char *scratch = scratch_enter();
	int status;

	for (int i = 0; i < RUNS; i++) {
		pid_t child = fork();

		cr_assert_geq(child, 0);
		if (child == 0) {
			struct rfs_output out;
			char why[512];

			_exit(rfs_output_open(NULL, command, &out, why, sizeof(why)) == 0 ? 0 : 1);
		}
	}
	for (int i = 0; i < RUNS; i++) {
		cr_assert_gt(wait(&status), 0);
		cr_assert_eq(status, 0);
	}
	cr_assert_eq(entries("."), RUNS);
	scratch_leave(scratch);
}
