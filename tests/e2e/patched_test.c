/*
 * patched_test.c - programs from other authors, with stubs in all their functions, in all libraries, the C library and
 * the loader. Their output must be the same as without stubs.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/e2e/harness.h"

TestSuite(patched, .timeout = 3600);

#define NAME 320
#define ARGS 8
#define COMMAND 2048

/* A command. Its input is the file `in`. */
struct work {
	char path[NAME];
	char args[ARGS][NAME];
	bool always; /* run in every check; otherwise only in a full check, because large libraries take long */
};

static const struct work works[] = {
	{"/usr/bin/sort", {"--parallel=2", "-n", "in"}, true},
	{"/usr/bin/sed", {"-E", "s/(1)(2)*/[\\2\\1]/g;$p", "in"}, false},
	{"/usr/bin/pigz", {"-p2", "-b32", "-nc", "in"}, false},
	{"/usr/bin/pbzip2", {"-p2", "-b1", "-c", "in"}, false},
	{"/usr/bin/xz", {"-T2", "--block-size=1024", "-0", "-c", "in"}, false},
	{"/usr/bin/zstd", {"-T2", "-1", "-qc", "in"}, false},
	{"/usr/bin/plzip", {"-n2", "-0", "-B8192", "-c", "in"}, false},
	{"/usr/bin/sqlite3",
	 {":memory:", "create table t(a, b);"
		      "with recursive c(x) as (values(1) union all select x + 1 from c where x < 200)"
		      "insert into t select x * 7919 % 100, hex(x) from c;"
		      "select a, count(*), max(b) from t group by a having count(*) > 1 order by 3 desc;"},
	 false},
	{"/usr/bin/sha256sum", {"in"}, false},
	{"/usr/bin/grep", {"-nE", "(7.)+|^1", "in"}, false},
	{"/usr/bin/awk", {"{n[$1]++; s += sqrt($1)} END {printf \"%d %.6f\\n\", length(n), s}", "in"}, false},
	{"/usr/bin/perl", {"-ne", "$n{$_}++; END {print map {\"$n{$_} $_\"} sort keys %n}", "in"}, false},
	{"/bin/bash", {"-c", "while read -r n; do s=$((s * 31 + n)); done <in; echo $s"}, false},
	{"/usr/bin/readelf", {"-aW", "/bin/true"}, false},
	{"/usr/bin/objdump", {"-d", "/bin/true"}, false},
};

static void make_input(const char *folder)
{
	char text[400 * 8], *p = text;

	for (int i = 0; i < 400; i++)
		p += sprintf(p, "%d\n", i * 7919 % 1000);
	spawn_file(folder, "in", text, (unsigned long)(p - text), 0644);
}

/* Runs the command without rfsup. Its output goes to the file "expected". */
static void run_alone(struct e2e *e2e, const struct work *work)
{
	char command[COMMAND];
	int n = snprintf(command, sizeof(command), "cd '%s' && LC_ALL=C '%s'", e2e->folder, work->path);

	for (size_t i = 0; i < ARGS && work->args[i][0]; i++)
		n += snprintf(command + n, sizeof(command) - (size_t)n, " '%s'", work->args[i]);
	n += snprintf(command + n, sizeof(command) - (size_t)n, " >expected </dev/null");
	cr_assert_lt(n, COMMAND);
	cr_assert_eq(system(command), 0); // NOLINT(cert-env33-c): no foreign input
}

static bool same_files(const struct e2e *e2e, const char *one, const char *other)
{
	char command[COMMAND];

	snprintf(command, sizeof(command), "cd '%s' && test -s '%s' && cmp '%s' '%s'", e2e->folder, one, one, other);
	return system(command) == 0; // NOLINT(cert-env33-c): no foreign input
}

ParameterizedTestParameters(patched, same_output)
{
	return cr_make_param_array(struct work, (void *)works, sizeof(works) / sizeof(*works));
}

ParameterizedTest(struct work *work, patched, same_output)
{
	const char *args[32] = {"--policy=random", "--detector=hybrid",	   "--runs=1",	 "--keep-records", "--stats",
				"--timeout=900",   "--hang-factor=100000", "--module=*", "--no-confirm"};
	struct e2e e2e;
	size_t n = 9;

	if (access(work->path, X_OK) != 0)
		cr_skip_test("%s is not installed", work->path);
	if (!work->always && !e2e_full())
		cr_skip_test("only in make check-full");
	setenv("LC_ALL", "C", 1);
	e2e_begin(&e2e);
	make_input(e2e.folder);
	run_alone(&e2e, work);
	args[n++] = "--";
	args[n++] = work->path;
	for (size_t i = 0; i < ARGS && work->args[i][0]; i++)
		args[n++] = work->args[i];
	e2e_run(&e2e, args);
	e2e_expect(&e2e, same_files(&e2e, "expected", "out/runs/sample-seed-1.out"), "%s writes something else",
		   work->path);
	e2e_expect(&e2e, e2e_count(&e2e, "failures") == 0 && e2e_count(&e2e, "deadlocks") == 0, "it failed\n%s",
		   e2e.said.out);
	e2e_expect(&e2e, e2e_stat(&e2e, "stubs_single") + e2e_stat(&e2e, "stubs_grouped") > 10000,
		   "%g and %g stubs: the libraries have none", e2e_stat(&e2e, "stubs_single"),
		   e2e_stat(&e2e, "stubs_grouped"));
	/* both are 0 if the program has one thread */
	e2e_expect(&e2e, e2e_stat(&e2e, "accesses_recorded") >= 0.5 * e2e_stat(&e2e, "accesses"),
		   "%g of %g accesses are recorded", e2e_stat(&e2e, "accesses_recorded"), e2e_stat(&e2e, "accesses"));
	e2e_expect(&e2e, !strstr(e2e.said.err, "breakpoint"), "%s", e2e.said.err);
	e2e_end(&e2e);
}
