/* outside_test.c - --stats has a line for each kind of outside input that a run used, and for no other kind. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "tests/e2e/harness.h"

TestSuite(outside, .timeout = 600);

static const char *const keys[] = {"outside_network",	    "outside_terminal",	 "outside_processes",
				   "outside_shared_memory", "outside_files",	 "outside_clock",
				   "outside_devices",	    "outside_addresses", "outside_kernel"};

#define RUNS 3

/* Only this kind may be counted, in `runs` runs. NULL: no kind. */
static void expect_kind(struct e2e *e2e, const char *key, int runs)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		double wanted = key && strcmp(keys[i], key) == 0 ? runs : -1;

		e2e_expect(e2e, e2e_stat(e2e, keys[i]) == wanted, "%s: %g, not %g", keys[i], e2e_stat(e2e, keys[i]),
			   wanted);
	}
}

Test(outside, is_told_by_kind)
{
	static const struct {
		const char *what, *setup, *key;
		int runs;
	} cases[] = {
		{"file", "--setup=true", NULL, 0},
		{"file", "--setup=date +%N >data", "outside_files", RUNS - 1},
		{"memory", "--setup=true", "outside_shared_memory", RUNS},
		{"child", "--setup=true", "outside_processes", RUNS},
		{"oneself", "--setup=true", NULL, 0},
		{"kernel", "--setup=true", "outside_network", RUNS},
		{"rights", "--setup=true", NULL, 0},
	};
	struct e2e e2e;
	char *program, path[4096];
	FILE *file;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "inputs.c", "-O2 -g");
	snprintf(path, sizeof(path), "%s/data", e2e.folder);
	file = fopen(path, "w");
	cr_assert_not_null(file);
	fputs("data\n", file);
	fclose(file);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		e2e_run(&e2e, WORDS("--policy=random", "--runs=3", cases[i].setup, program, cases[i].what, "data"));
		e2e_expect_silent(&e2e);
		expect_kind(&e2e, cases[i].key, cases[i].runs);
	}
	free(program);
	e2e_end(&e2e);
}

/*
 * Makes a terminal with enough lines for all runs. *held stays open, so that the terminal does not hang up between
 * runs.
 */
static int terminal(char *name, size_t n, int *held)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	cr_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	cr_assert_eq(ptsname_r(master, name, n), 0);
	*held = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	cr_assert(*held >= 0);
	for (int i = 0; i < 100; i++)
		cr_assert_eq(write(master, "hi\n", 3), 3);
	return master;
}

Test(outside, a_terminal)
{
	char *program, name[64], record[4096];
	int held, master = terminal(name, sizeof(name), &held);
	struct e2e e2e;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "inputs.c", "-O2 -g");
	e2e_run(&e2e, WORDS("--policy=random", "--runs=3", program, "terminal", name));
	e2e_expect_silent(&e2e);
	expect_kind(&e2e, "outside_terminal", RUNS);
	/* the record has what was typed, so a replay needs no input */
	e2e_run(&e2e,
		WORDS("--clock=real", "--policy=random", "--runs=1", "--keep-records", program, "terminal", name));
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, e2e_stat(&e2e, "outside_terminal") == 1, "%s", e2e.said.err);
	cr_assert_eq(tcflush(held, TCIFLUSH), 0);
	snprintf(record, sizeof(record), "%s/out/records/sample-seed-1.json", e2e.folder);
	for (int i = 0; i < 3; i++) {
		e2e_say(&e2e, WORDS("--replay", record));
		e2e_expect_status(&e2e, 0);
		e2e_expect(&e2e, strstr(e2e.said.err, "same as the recorded run"), "%s", e2e.said.err);
	}
	close(held);
	close(master);
	free(program);
	e2e_end(&e2e);
}

/* Opening one of these devices must change nothing, and reading from it must not wait. */
Test(outside, a_device)
{
	static const char *const devices[] = {"/dev/fuse", "/dev/net/tun", "/dev/autofs", "/dev/loop-control",
					      "/dev/kvm"};
	const char *device = NULL;
	struct e2e e2e;
	char *program;

	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices) && !device; i++)
		device = access(devices[i], R_OK) == 0 ? devices[i] : NULL;
	if (!device)
		cr_skip_test("no device here can be read from");
	e2e_begin(&e2e);
	program = e2e_program(&e2e, "inputs.c", "-O2 -g");
	e2e_run(&e2e, WORDS("--policy=random", "--runs=3", program, "device", device));
	e2e_expect_silent(&e2e);
	expect_kind(&e2e, "outside_devices", RUNS);
	/* memory devices depend on the seed or give constants, so they are no outside input */
	e2e_run(&e2e, WORDS("--policy=random", "--runs=3", program, "device", "/dev/urandom"));
	e2e_expect_silent(&e2e);
	expect_kind(&e2e, NULL, 0);
	free(program);
	e2e_end(&e2e);
}

/* Current values of the kernel count as outside input. Values about the program are the same in every run. */
Test(outside, the_kernel)
{
	static const struct {
		const char *name, *key;
	} files[] = {
		{"/proc/self/stat", "outside_kernel"}, {"/proc/thread-self/status", "outside_kernel"},
		{"/proc/meminfo", "outside_kernel"},   {"/proc/self/maps", NULL},
		{"/proc/sys/kernel/ostype", NULL},     {"/proc/self/cmdline", NULL},
	};
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "inputs.c", "-O2 -g");
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		e2e_run(&e2e, WORDS("--policy=random", "--runs=3", program, "file", files[i].name));
		e2e_expect_silent(&e2e);
		expect_kind(&e2e, files[i].key, RUNS);
	}
	free(program);
	e2e_end(&e2e);
}

/* A descriptor that the program sends to itself is no input, so nothing has to be recorded. */
Test(outside, a_descriptor_from_the_program_itself_is_no_input)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "inputs.c", "-O2 -g");
	e2e_run(&e2e, WORDS("--clock=real", "--policy=random", "--runs=1", program, "rights"));
	e2e_expect_status(&e2e, 0);
	free(program);
	e2e_end(&e2e);
}
