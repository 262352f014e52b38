/*
 * object_calls_test.c - races of system calls on objects of the kernel, and races on memory that has two addresses, are
 * predicted, created and judged. Their failing runs are replayed exactly. In the fixed twins nothing is found.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(object_calls, .timeout = 900);

struct target {
	char name[40];
	char heading[80]; /* of the harmful race */
	char calls[2][16];
};

ParameterizedTestParameters(object_calls, race_is_created)
{
	/* one of each sort first, for the short check */
	static struct target targets[] = {
		{"file_checked_then_used", "race on file settings", {"unlink(2)", "openat(2)"}},
		{"listed_while_read",
		 "ATOMICITY VIOLATION W-w-R on the position of descriptor",
		 {"lseek(2)", "read(2)"}},
		{"page_unmapped_in_use", "use after unmap: ", {"munmap(2)", "reads it"}},
		{"shared_page_twice", "race on 0x", {"writes it", "reads 0x"}},
		{"seek_then_write", "race on the position of descriptor", {"lseek(2)", "write(2)"}},
		{"exists_then_created", "ATOMICITY VIOLATION R-w-R on file journal", {"access(2)", "openat(2)"}},
		{"append_after_seek", "race on the end of file log", {"lseek(2)", "write(2)"}},
		{"folder_changed", "race on the working folder", {"chdir(2)", "openat(2)"}},
		{"page_moved_in_use", "use after unmap: ", {"mremap(2)", "reads it"}},
		{"page_emptied_in_use", "use after unmap: ", {"madvise(2)", "reads it"}},
		{"heap_end_lowered", "use after unmap: ", {"brk(2)", "reads it"}},
	};

	return cr_make_param_array(struct target, targets, e2e_rows(4, sizeof(targets) / sizeof(*targets)));
}

ParameterizedTest(struct target *target, object_calls, race_is_created)
{
	char *program = e2e_target("O2g", target->name);
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=20", "--explore=0", program));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, strstr(e2e.said.out, "HARMFUL race on"), "%s", e2e.said.out);
	e2e_expect(&e2e, strstr(e2e.said.out, target->heading), "%s", e2e.said.out);
	for (int i = 0; i < 2; i++)
		e2e_expect(&e2e, strstr(e2e.said.out, target->calls[i]), "no %s\n%s", target->calls[i], e2e.said.out);
	free(e2e_expect_failing_replay(&e2e));
	e2e_end(&e2e);
	free(program);
}

/* pairs.txt names the calls of a pair, so that it can be tried alone. */
Test(object_calls, is_created_from_a_pairs_file)
{
	char *program = e2e_target("O2g", "file_checked_then_used"), path[PATH_MAX], *pairs;
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=1", "--explore=0", program));
	snprintf(path, sizeof(path), "%s/out/pairs.txt", e2e.folder);
	pairs = e2e_text(path);
	cr_assert_not_null(pairs);
	spawn_file(e2e.folder, "pairs", pairs, strlen(pairs), 0644);
	e2e_run(&e2e, WORDS("--pairs=pairs", "--runs=10", program));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, strstr(e2e.said.out, "HARMFUL race on file settings"), "%s", e2e.said.out);
	free(pairs);
	e2e_end(&e2e);
	free(program);
}

struct control {
	char name[40];
};

ParameterizedTestParameters(object_calls, nothing_is_found_in_the_twin)
{
	static struct control controls[] = {
		{"file_checked_then_used_fixed"}, {"listed_while_read_fixed"}, {"page_unmapped_in_use_fixed"},
		{"shared_page_twice_fixed"},	  {"seek_then_write_fixed"},   {"append_after_seek_fixed"},
		{"exists_then_created_fixed"},	  {"folder_changed_fixed"},    {"page_moved_in_use_fixed"},
		{"page_emptied_in_use_fixed"},	  {"heap_end_lowered_fixed"},
	};

	return cr_make_param_array(struct control, controls, e2e_rows(6, sizeof(controls) / sizeof(*controls)));
}

ParameterizedTest(struct control *control, object_calls, nothing_is_found_in_the_twin)
{
	char *program = e2e_target("O2g", control->name);
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--runs=20", "--explore=20", program));
	e2e_expect_status(&e2e, 0);
	e2e_end(&e2e);
	free(program);
}

/* Functions of the C library that are not thread-safe, and a stream that is closed while another thread writes to it.
 */
Test(object_calls, data_of_the_library)
{
	static const struct {
		const char *way, *heading;
	} ways[] = {
		{"tokens", "HARMFUL race on the data of strtok()"},
		{"stream", "HARMFUL race on heap block of "},
		/* the short check ends here */
		{"date", "REAL race on the data of localtime()"},
		{"environment", "REAL race on the environment"},
		{"folder", "REAL race on heap block of "},
	};
	struct e2e e2e;

	e2e_begin(&e2e);
	for (size_t i = 0; i < 2 * e2e_rows(2, sizeof(ways) / sizeof(*ways)); i++) {
		char *program = e2e_target("O2g", i % 2 ? "library_data_fixed" : "library_data");
		const char *heading = ways[i / 2].heading;

		e2e_run(&e2e, WORDS("--runs=20", "--explore=20", program, ways[i / 2].way));
		e2e_expect_status(&e2e, i % 2 ? 0 : 1);
		e2e_expect(&e2e, !strstr(e2e.said.out, heading) == (i % 2 == 1), "%s: %s", heading, e2e.said.out);
		e2e_expect(&e2e, !strstr(e2e.said.out, "; the C library does not protect it") == (i % 2 == 1), "%s",
			   e2e.said.out);
		free(program);
	}
	e2e_end(&e2e);
}
