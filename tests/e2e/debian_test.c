/*
 * debian_test.c - programs from other authors: Debian's stripped compressors. The input is small enough for a trap at
 * each access. Every execution of a campaign must produce the right output, and accesses must be recorded.
 *
 * Before each execution, --setup appends the output of the previous one to a file. All of these formats may be
 * concatenated, so unpacking that file gives the input once for each execution.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/e2e/harness.h"

TestSuite(debian, .timeout = 1000);

#define INPUT_LINES 400
#define NAME 64
#define ARGS 6

struct compressor {
	char path[NAME], module[NAME]; /* the library that does the work, or "" if there is none */
	char args[ARGS][NAME];
	char suffix[NAME], unpack[NAME];
};

/* Writes the input file `in`. Returns its contents; caller frees. */
static char *make_input(const char *folder)
{
	char *text = malloc(INPUT_LINES * 16), *p = text;

	for (int i = 0; i < INPUT_LINES; i++)
		p += sprintf(p, "%d\n", i * 7919 % 1000);
	spawn_file(folder, "in", text, (unsigned long)(p - text), 0644);
	return text;
}

/* How many times `whole` repeats `text`. 0 if it is anything else. */
static size_t repeated(const char *whole, const char *text)
{
	size_t n = strlen(text), times = 0;

	for (; strncmp(whole, text, n) == 0; whole += n)
		times++;
	return *whole ? 0 : times;
}

/* Unpacks the output of all executions. Caller frees. */
static char *unpack(const struct e2e *e2e, const struct compressor *compressor)
{
	char command[1024], path[512];

	snprintf(command, sizeof(command), "cd '%s' && cat all in.%s | %s -dc >back", e2e->folder, compressor->suffix,
		 compressor->unpack);
	snprintf(path, sizeof(path), "%s/back", e2e->folder);
	return system(command) == 0 ? e2e_text(path) : NULL; // NOLINT(cert-env33-c): no foreign input
}

/* The campaign must be complete and without failures, and must have seen accesses and several threads. */
static void expect_done(struct e2e *e2e)
{
	e2e_expect(e2e, e2e->said.status == 0 || e2e->said.status == 1, "status %d\n%s", e2e->said.status,
		   e2e->said.err);
	e2e_expect(e2e, !json_object_get(e2e->report, "incomplete"), "it is incomplete\n%s", e2e->said.out);
	e2e_expect(e2e, e2e_count(e2e, "failures") == 0 && e2e_count(e2e, "deadlocks") == 0, "it failed\n%s",
		   e2e->said.out);
	e2e_expect(e2e, e2e_stat(e2e, "watched_sites") > 0 && e2e_stat(e2e, "accesses") > 0,
		   "%g sites watched, %g accesses", e2e_stat(e2e, "watched_sites"), e2e_stat(e2e, "accesses"));
	e2e_expect(e2e, e2e_stat(e2e, "threads") > 1, "%g threads", e2e_stat(e2e, "threads"));
}

ParameterizedTestParameters(debian, compressor)
{
	/* first, those of the short check: C and C++ */
	static struct compressor all[] = {
		{"/usr/bin/xz",
		 "liblzma*",
		 {"-T2", "--block-size=1024", "--lzma2=preset=0,dict=4096", "-kf", "in"},
		 "xz",
		 "xz"},
		{"/usr/bin/plzip", "liblz*", {"-n2", "-0", "-B8192", "-kf", "in"}, "lz", "plzip"}, /* C++ */
		{"/usr/bin/pigz", "libz*", {"-p2", "-b32", "-kf", "in"}, "gz", "gzip"},
		{"/usr/bin/pbzip2", "libbz2*", {"-p2", "-b1", "-kf", "in"}, "bz2", "bzip2"},
		{"/usr/bin/zstd", "", {"-T2", "-1", "-qkf", "in"}, "zst", "zstd"},
	};

	return cr_make_param_array(struct compressor, all, e2e_rows(1, sizeof(all) / sizeof(*all)));
}

ParameterizedTest(struct compressor *compressor, debian, compressor)
{
	const char *args[32] = {"--predict-runs=1", "--runs=2", "--explore=2", "--timeout=600", "--stats", "--setup"};
	char setup[256], *input, *back;
	struct e2e e2e;
	size_t n = 6;

	if (access(compressor->path, X_OK) != 0)
		cr_skip_test("%s is not installed", compressor->path);
	e2e_begin(&e2e);
	input = make_input(e2e.folder);
	snprintf(setup, sizeof(setup), "touch in.%s; cat in.%s >>all; rm in.%s", compressor->suffix, compressor->suffix,
		 compressor->suffix);
	args[n++] = setup;
	if (compressor->module[0]) {
		args[n++] = "--module";
		args[n++] = compressor->module;
	}
	args[n++] = compressor->path;
	for (size_t i = 0; i < ARGS && compressor->args[i][0]; i++)
		args[n++] = compressor->args[i];
	e2e_run(&e2e, args);
	expect_done(&e2e);
	back = unpack(&e2e, compressor);
	e2e_expect(&e2e, back && (double)repeated(back, input) >= e2e_stat(&e2e, "runs"),
		   "%g executions, but the unpacked output is the input %zu times", e2e_stat(&e2e, "runs"),
		   back ? repeated(back, input) : 0);
	e2e_end(&e2e);
	free(back);
	free(input);
}

/* qemu is static and stripped, uses threads and signals, and generates code while it runs. It has 130,000 sites. */
Test(debian, static_emulator)
{
	char *guest, *all, path[512];
	struct e2e e2e;

	if (!e2e_full())
		cr_skip_test("only in make check-full: it takes minutes");
	e2e_begin(&e2e);
	guest = e2e_program(&e2e, "guest.c", "-O2 -nostdlib -static");
	e2e_run(&e2e, WORDS("--predict-runs=1", "--runs=1", "--explore=2", "--timeout=600", "--stats",
			    "/usr/bin/qemu-x86_64-static", guest));
	expect_done(&e2e);
	e2e_expect(&e2e, e2e_count(&e2e, "pairs") > 0, "no pair was tried\n%s", e2e.said.out);
	snprintf(path, sizeof(path), "%s/all", e2e.folder);
	all = e2e_text(path);
	e2e_expect(&e2e, all && (double)repeated(all, "hello\n") >= e2e_stat(&e2e, "runs"),
		   "%g executions, but %zu lines", e2e_stat(&e2e, "runs"), all ? repeated(all, "hello\n") : 0);
	e2e_end(&e2e);
	free(all);
	free(guest);
}
