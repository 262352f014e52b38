/*
 * stubs_test.c - compares accesses that stubs record with the same accesses at breakpoints. Schedule, pairs and
 * behaviour of the target must be the same. Also runs code whose instructions are hard to move.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "tests/e2e/answers.h"
#include "tests/e2e/builds.h"
#include "tests/e2e/harness.h"

TestSuite(stubs, .timeout = 1000);

#define WORDS_MAX 32

/* Runs two seeds under `random` with a detector. A trap at each access takes long, so the limits for hangs are high. */
static void sample(struct e2e *e2e, const char *accesses, const char *const *more, const char *const *program)
{
	static const char *const common[] = {
		"--policy",	"random",    "--detector", "hybrid",	     "--runs",	      "2",
		"--stats",	"--timeout", "600",	   "--keep-records", "--hang-factor", "100000",
		"--no-confirm", "--accesses"};
	const char *args[WORDS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < sizeof(common) / sizeof(*common); i++)
		args[n++] = common[i];
	args[n++] = accesses;
	for (; more && *more; more++)
		args[n++] = *more;
	args[n++] = "--";
	for (; *program; program++)
		args[n++] = *program;
	args[n] = NULL;
	e2e_run(e2e, args);
}

/* The size and a hash of a file, as a string. */
static json_t *checksum(const char *path)
{
	XXH3_state_t *state = XXH3_createState();
	FILE *file = fopen(path, "r");
	char piece[4096];
	size_t n, size = 0;
	json_t *sum;

	XXH3_64bits_reset(state);
	while (file && (n = fread(piece, 1, sizeof(piece), file)) > 0) {
		XXH3_64bits_update(state, piece, n);
		size += n;
	}
	sum = json_sprintf("%zu %016llx", size, (unsigned long long)XXH3_64bits_digest(state));
	if (file)
		fclose(file);
	XXH3_freeState(state);
	return file ? sum : (json_decref(sum), json_null());
}

/* Adds how each run ended, the hash of its trace, and checksums of the target's output. */
static void add_runs(struct e2e *e2e, json_t *all)
{
	static const char *const keys[] = {"end", "detail", "hash", "steps"}, *const streams[] = {"out", "err"};
	char path[512], name[32];

	for (int seed = 1; seed <= 2; seed++) {
		json_t *record, *run = json_object();

		snprintf(path, sizeof(path), "%s/out/records/sample-seed-%d.json", e2e->folder, seed);
		record = json_load_file(path, 0, NULL);
		e2e_expect(e2e, json_object_get(json_object_get(record, "outcome"), "hash"), "run %d has no trace hash",
			   seed);
		for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
			json_object_set(run, keys[i], json_object_get(json_object_get(record, "outcome"), keys[i]));
		json_decref(record);
		snprintf(name, sizeof(name), "run %d", seed);
		json_object_set_new(all, name, run);
		for (size_t i = 0; i < sizeof(streams) / sizeof(*streams); i++) {
			snprintf(path, sizeof(path), "%s/out/runs/sample-seed-%d.%s", e2e->folder, seed, streams[i]);
			snprintf(name, sizeof(name), "%s %d", streams[i], seed);
			json_object_set_new(all, name, checksum(path));
		}
	}
}

/* Whether the only complaint is that uncontrolled runs failed. It is chance if they do. */
static bool only_plain_runs_failed(const struct e2e *e2e)
{
	const char *incomplete = json_string_value(json_object_get(e2e->report, "incomplete"));

	return incomplete && strstr(incomplete, "uncontrolled runs failed");
}

/* What must not depend on how accesses are recorded. Caller releases. */
static json_t *essence(struct e2e *e2e)
{
	static const char *const keys[] = {"pairs", "deadlocks", "failures", "sampling", "incomplete"};
	static const char *const paths[] = {"record", "page", "simple"};
	json_t *all = json_object();

	json_object_set_new(all, "status", json_integer(only_plain_runs_failed(e2e) ? 0 : e2e->said.status));
	json_object_set_new(all, "accesses", json_real(e2e_stat(e2e, "accesses")));
	json_object_set_new(all, "steps", json_real(e2e_stat(e2e, "steps")));
	add_runs(e2e, all);
	/* paths contain the folder's name */
	for (size_t k = 0; k < sizeof(paths) / sizeof(*paths); k++) {
		for (size_t i = 0; i < e2e_count(e2e, "failures"); i++)
			json_object_del(e2e_item(e2e, "failures", i), paths[k]);
		for (size_t i = 0; i < e2e_count(e2e, "deadlocks"); i++)
			json_object_del(e2e_item(e2e, "deadlocks", i), paths[k]);
	}
	for (size_t i = 0; i < e2e_count(e2e, "pairs"); i++) {
		const char *variable = json_string_value(json_object_get(e2e_item(e2e, "pairs", i), "variable"));

		if (variable && strstr(variable, e2e->folder))
			json_object_del(e2e_item(e2e, "pairs", i), "variable");
	}
	for (size_t i = 0; e2e->report && i < sizeof(keys) / sizeof(*keys); i++)
		json_object_set(all, keys[i], json_object_get(e2e->report, keys[i]));
	if (only_plain_runs_failed(e2e))
		json_object_del(all, "incomplete");
	return all;
}

/* Compares traps with stubs. Returns the share of accesses that did not stop. */
static double compare(const char *const *more, const char *const *program)
{
	struct e2e traps, stubs;
	json_t *expected, *got;
	double share;

	e2e_begin(&traps);
	e2e_begin(&stubs);
	sample(&traps, "traps", more, program);
	sample(&stubs, "stubs", more, program);
	expected = essence(&traps);
	got = essence(&stubs);
	if (!json_equal(expected, got)) {
		char *with_stubs = json_dumps(got, JSON_SORT_KEYS), *with_traps = json_dumps(expected, JSON_SORT_KEYS);

		e2e_expect(&stubs, false, "%s: with stubs:\n%s\nwith traps:\n%s", *program, with_stubs, with_traps);
		free(with_stubs);
		free(with_traps);
	}
	e2e_expect(&traps, e2e_stat(&traps, "accesses_recorded") == 0, "%s: recorded with traps", *program);
	share = e2e_stat(&stubs, "accesses") > 0 ? e2e_stat(&stubs, "accesses_recorded") / e2e_stat(&stubs, "accesses")
						 : 0;
	json_decref(expected);
	json_decref(got);
	e2e_end(&traps);
	e2e_end(&stubs);
	return share;
}

/*
 * Not comparable: a schedule that depends on outside input; a target that would take minutes with traps; and a loop
 * that waits with two reads, of which traps may find one and stubs both, and each of them is then a visible operation.
 */
static bool is_comparable(const char *name)
{
	return strcmp(name, "prints_outside") != 0 && strcmp(name, "compute") != 0 &&
	       strncmp(name, "tso_dekker", strlen("tso_dekker")) != 0;
}

struct build {
	char variant[ANSWER_NAME], name[ANSWER_NAME], words[ANSWER_WORDS][ANSWER_NAME];
};

static void release(struct criterion_test_params *params)
{
	cr_free(params->params);
}

/*
 * A few targets of each kind. In a full check, each target with its twin in O2g, and in every other one of the further
 * builds. With RFSUP_VARIANTS, in each of these.
 */
ParameterizedTestParameters(stubs, same_as_traps)
{
	static const char *const few[] = {"figure1",	"torn_struct",	  "spin_flag_atomic", "cxx_shared_ptr",
					  "cancel",	"fork_threads",	  "vfork_exec",	      "exec_thread",
					  "dlopen_lib", "signal_handler", "static_prog"};
	static struct answer answers[ANSWERS_MAX];
	const size_t n_few = sizeof(few) / sizeof(*few);
	size_t n_answers = e2e_full() ? answers_read(answers, ANSWERS_MAX) : 0, n = 0;
	struct build *all = cr_malloc((n_few + 2 * n_answers * BUILDS) * sizeof(*all));

	for (size_t i = 0; !n_answers && i < n_few; i++) {
		all[n] = (struct build){.variant = "O2g"};
		strcpy(all[n++].name, few[i]);
	}
	for (size_t v = 0; v < BUILDS; v++) {
		if (!builds_has(builds[v]))
			continue;
		for (size_t i = 0; i < 2 * n_answers; i++) {
			const struct answer *answer = &answers[i / 2];
			const char *name = i % 2 ? answer->twin : answer->name;

			/* twins have the code of their targets */
			if (strcmp(builds[v], "O2g") != 0 && (i % 2 || (!builds_given() && (i / 2 + v) % 2)))
				continue;
			if (!name[0] || !is_comparable(name))
				continue;
			strcpy(all[n].variant, builds[v]);
			strcpy(all[n].name, name);
			memset(all[n].words, 0, sizeof(all[n].words));
			memcpy(all[n++].words, answer->words, answer->n_words * sizeof(*answer->words));
		}
	}
	return cr_make_param_array(struct build, all, n, release);
}

ParameterizedTest(struct build *build, stubs, same_as_traps)
{
	char *program = e2e_target(build->variant, build->name);
	const char *command[ANSWER_WORDS + 2] = {program};

	for (size_t i = 0; i < ANSWER_WORDS && build->words[i][0]; i++)
		command[i + 1] = build->words[i];
	/* a target that seldom hangs may hang in a baseline run, so do not wait long */
	compare(WORDS("--timeout=60"), command);
	free(program);
}

/* If a policy gives hints, stubs record operations too. The result must be the same as with stops. */
ParameterizedTestParameters(stubs, operations_same_as_stops)
{
	static const char *const few[] = {"figure1",	   "lock_pairs",     "lock_overwritten", "philosophers",
					  "timed_waits",   "cancel",	     "fork_threads",	 "exec_thread",
					  "pi_robust",	   "signal_handler", "pipes_threads",	 "recursive_ok",
					  "errorcheck_ok", "sleepers",	     "static_prog",	 "spin_trylock"};
	static struct answer answers[ANSWERS_MAX];
	const size_t n_answers = answers_read(answers, ANSWERS_MAX);
	struct build *all = cr_malloc(2 * n_answers * sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < 2 * n_answers; i++) {
		const struct answer *answer = &answers[i / 2];
		const char *name = i % 2 ? answer->twin : answer->name;
		bool wanted = e2e_full();

		for (size_t k = 0; k < sizeof(few) / sizeof(*few) && !wanted; k++)
			wanted = strcmp(name, few[k]) == 0;
		if (!wanted || !name[0] || !is_comparable(name))
			continue;
		all[n] = (struct build){.variant = "O2g"};
		strcpy(all[n].name, name);
		memcpy(all[n++].words, answer->words, answer->n_words * sizeof(*answer->words));
	}
	return cr_make_param_array(struct build, all, n, release);
}

ParameterizedTest(struct build *build, stubs, operations_same_as_stops)
{
	char *program = e2e_target(build->variant, build->name);
	const char *command[ANSWER_WORDS + 2] = {program};

	for (size_t i = 0; i < ANSWER_WORDS && build->words[i][0]; i++)
		command[i + 1] = build->words[i];
	compare(WORDS("--policy=pct", "--detector=none", "--timeout=60"), command);
	if (e2e_full())
		compare(WORDS("--policy=pct", "--timeout=60"), command);
	compare(WORDS("--policy=random", "--detector=none", "--timeout=60"), command);
	free(program);
}

/*
 * A timeout or a cancellation ends a wait at a condition variable. The waiter continues when the mutex is free, so the
 * unlock must not be recorded by a stub.
 */
Test(stubs, unlocks_that_let_a_waiter_go)
{
	static const char *const ways[] = {"timeout", "cancel"}, *const policies[] = {"--policy=pct",
										      "--policy=random"};
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "waiters.c", "-O2 -g -pthread");
	for (size_t i = 0; i < 4; i++)
		compare(WORDS("--detector=none", "--runs=8", policies[i / 2]), WORDS(program, ways[i % 2]));
	free(program);
	e2e_end(&e2e);
}

/*
 * Readers-writer locks, semaphores, trylock and signals that nobody waits for are recorded too. With one thread few
 * operations stop; with several the runs are the same as with stops.
 */
Test(stubs, locks_semaphores_and_signals)
{
	static const char *const policies[] = {"--policy=random", "--policy=pct", "--policy=pos",
					       "--policy=random:stay=3"};
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "stopless.c", "-O2 -g -pthread");
	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++) {
		compare(WORDS(policies[i], "--detector=none"), WORDS(program, "3", "20"));
		compare(WORDS(policies[i]), WORDS(program, "2", "20"));
	}
	e2e_run(&e2e, WORDS("--policy=random", "--runs=1", "--stats", program, "1", "1000"));
	e2e_expect(&e2e, e2e_stat(&e2e, "steps_recorded") > 0.8 * e2e_stat(&e2e, "steps"),
		   "%g of %g operations recorded", e2e_stat(&e2e, "steps_recorded"), e2e_stat(&e2e, "steps"));
	free(program);
	e2e_end(&e2e);
}

/* A signal that nobody waits for needs no choice of the policy, with a stop or without one. */
Test(stubs, signals_before_there_are_other_threads)
{
	static const char *const policies[] = {"--policy=pos", "--policy=rff"};
	char *program = e2e_target("O2g", "pipeline");

	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++)
		compare(WORDS(policies[i], "--detector=none"), WORDS(program));
	free(program);
}

/* The loader changes the code of a library before it tells that the library is there. */
Test(stubs, code_with_relocations)
{
	struct e2e e2e;
	char *program, flags[4096];

	e2e_begin(&e2e);
	free(e2e_library(&e2e, "relocated.c", "-O2 -g -Wl,-z,notext"));
	snprintf(flags, sizeof(flags), "-O2 -g -DPROGRAM -L%s -Wl,--no-as-needed,-rpath,%s -lrelocated", e2e.folder,
		 e2e.folder);
	program = e2e_program(&e2e, "relocated.c", flags);
	e2e_run(&e2e, WORDS("--module=*librelocated*", "--runs=2", "--explore=4", "--stats", program));
	e2e_expect_silent(&e2e);
	e2e_expect(&e2e, e2e_stat(&e2e, "watched_sites") > 0, "%s", e2e.said.err);
	free(program);
	e2e_end(&e2e);
}

/* A thread that blocks in a call which rfsup does not schedule has no stop. Other threads then run. */
Test(stubs, asleep_with_records)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "falls_asleep.c", "-O2 -g -pthread");
	/* in one pass, no filter drops the accesses of the thread that works while the other one wakes up */
	for (int i = 0; i < 2; i++) {
		e2e_run(&e2e, WORDS("--policy=pct", "--detector=hybrid", e2e_full() ? "--runs=4" : "--runs=2",
				    i ? "--no-two-pass" : "--clock=virtual", program));
		e2e_expect_status(&e2e, 0);
		e2e_expect(&e2e, e2e_count(&e2e, "pairs") == 0 && strstr(e2e.said.err, "is blocked in io_getevents(2)"),
			   "%s", e2e.said.err);
	}
	e2e_run(&e2e, WORDS("--policy=pct", e2e_full() ? "--runs=4" : "--runs=2", program));
	e2e_expect(&e2e, !strstr(e2e.said.err, "overwritten"), "%s", e2e.said.err);
	free(program);
	e2e_end(&e2e);
}

/*
 * tests/e2e/programs/stubs.c in several builds. Its case alarms is not here, because its signals arrive at random
 * times.
 */
Test(stubs, hard_code)
{
	static const char *const cases[] = {
		"tables",	"fault",	  "leave",    "alternate_stack", "many", "many_with_handler",
		"many_ignored", "many_with_exec", "children", "small",		 "made", "assembly",
		"sandbox"};
	static const char *const flags[] = {"-O2 -g -pthread", "-O3 -pthread -no-pie -fno-pie", "-O0 -pthread"};

	for (size_t f = 0; f < (e2e_full() ? 3 : 2); f++) {
		struct e2e e2e;
		char *program;

		e2e_begin(&e2e);
		program = e2e_program(&e2e, "stubs.c", flags[f]);
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
			const char *const command[] = {program, cases[i], NULL};

			/* with a filter, the buffer is seldom full */
			sample(&e2e, "stubs", strncmp(cases[i], "many", 4) ? NULL : WORDS("--no-two-pass"), command);
			e2e_expect_silent(&e2e);
			e2e_expect(&e2e, e2e_stat(&e2e, "accesses_recorded") > 0, "%s (%s): nothing is recorded",
				   cases[i], flags[f]);
			e2e_expect(&e2e, !strstr(e2e.said.err, "breakpoint"), "%s (%s): %s", cases[i], flags[f],
				   e2e.said.err);
		}
		free(program);
		e2e_end(&e2e);
	}
}

/* Signals arrive at any instruction, also inside stubs. */
Test(stubs, signals_at_any_time)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "stubs.c", "-O2 -g -pthread");
	sample(&e2e, "stubs", NULL, WORDS(program, "alarms"));
	e2e_expect_silent(&e2e);
	free(program);
	e2e_end(&e2e);
}

/* The program uses something that stubs need. The run continues with traps, and a message says why. */
Test(stubs, without)
{
	static const struct {
		const char *script, *line;
	} rows[] = {
		{"exec \"$0\" own_gs", "the program uses the gs register"},
		{"exec \"$0\" changed", "makes its code writable"},
		{"ulimit -v 100000; exec \"$0\" many", "cannot map memory for stubs"},
	};
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "stubs.c", "-O2 -g -pthread");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *line;

		sample(&e2e, "stubs", NULL, WORDS("/bin/sh", "-c", rows[i].script, program));
		e2e_expect_silent(&e2e);
		line = strstr(e2e.said.err, rows[i].line);
		e2e_expect(&e2e, line && !strstr(line + 1, rows[i].line), "%s: not told once: %s", rows[i].script,
			   e2e.said.err);
		e2e_expect(&e2e, e2e_stat(&e2e, "accesses") > e2e_stat(&e2e, "accesses_recorded"), "%s: no traps",
			   rows[i].script);
	}
	free(program);
	e2e_end(&e2e);
}

/* Accesses without a stub stop a thread only after the second thread was created. Then their races are predicted. */
Test(stubs, no_stops_before_the_second_thread)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "alone.cc", "-O1 -g -pthread");
	for (int threads = 0; threads <= 2; threads += 2) {
		sample(&e2e, "stubs", NULL, WORDS(program, threads ? "two" : NULL));
		e2e_expect(&e2e, e2e_stat(&e2e, "stops") < 1000, "%g stops", e2e_stat(&e2e, "stops"));
		e2e_expect(&e2e, (e2e_stat(&e2e, "accesses") > 0) == (threads > 0), "%g accesses",
			   e2e_stat(&e2e, "accesses"));
		e2e_expect(&e2e, (e2e_count(&e2e, "pairs") > 0) == (threads > 0), "%zu pairs",
			   e2e_count(&e2e, "pairs"));
	}
	free(program);
	e2e_end(&e2e);
}

/*
 * Stubs record the arguments of range calls and instructions. Calls on strings stop, because their length is unknown.
 */
Test(stubs, ranges)
{
	struct e2e e2e;
	char *program;
	double share;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "ranges.c", "-O2 -g -pthread -fno-builtin -D_GNU_SOURCE");
	share = compare(NULL, WORDS(program, e2e_full() ? "large" : NULL));
	e2e_expect(&e2e, share > 0.5 && share < 1, "%g of the accesses are recorded", share);
	free(program);
	e2e_end(&e2e);
}

/* Exceptions unwind through code in stubs. */
Test(stubs, exceptions)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "unwind.cc", "-O2 -g -pthread");
	compare(NULL, WORDS(program));
	free(program);
	e2e_end(&e2e);
}

/* For tests/e2e/programs/heap.c: only the block that both threads share may have races. */
static void expect_shared_only(struct e2e *e2e, const char *how)
{
	e2e_expect(e2e, e2e_count(e2e, "pairs") > 0, "%s: no pair", how);
	for (size_t i = 0; i < e2e_count(e2e, "pairs"); i++) {
		const char *variable = json_string_value(json_object_get(e2e_item(e2e, "pairs", i), "variable"));

		e2e_expect(e2e, variable && strstr(variable, "heap block of 16 bytes + 8, allocated by thread 0"),
			   "%s: a pair on %s", how, variable);
	}
}

/* Stubs also record calls of malloc and its kin. In the last two cases they cannot do so for the whole run. */
Test(stubs, allocations)
{
	static const char *const rows[] = {NULL, "own_gs", "alarms"};
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "heap.c", "-O2 -g -pthread");
	compare(NULL, WORDS(program));
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *const command[] = {program, rows[i], NULL};

		sample(&e2e, "stubs", NULL, command);
		e2e_expect_status(&e2e, 0);
		expect_shared_only(&e2e, rows[i] ? rows[i] : "by itself");
		/* posix_memalign and valloc have breakpoints: 8 stops in each of 2 * 306 rounds in two runs */
		e2e_expect(&e2e, e2e_stat(&e2e, "stops") > 7 * 1224 || rows[i], "valloc is not seen");
		e2e_expect(&e2e, e2e_stat(&e2e, "stops") < 9 * 1224 || rows[i], "%g stops", e2e_stat(&e2e, "stops"));
	}
	free(program);
	e2e_end(&e2e);
}

/* Unusual paths in allocators; see tests/e2e/programs/heap_edges.c. */
Test(stubs, allocators_out_of_the_ordinary)
{
	static const char *const rows[] = {"remapped", "interrupted", "unloaded"};
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "heap_edges.c", "-O1 -g");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *const command[] = {program, rows[i], NULL};

		compare(NULL, command);
		sample(&e2e, "stubs", NULL, command);
		e2e_expect_status(&e2e, 0);
		e2e_expect(&e2e, e2e_count(&e2e, "pairs") > 0, "%s: no pair", rows[i]);
	}
	free(program);
	e2e_end(&e2e);
}

/* Debian's programs. In a full check, the libraries that do their work are watched too. */
Test(stubs, programs_of_debian)
{
	static const struct {
		const char *library, *command[6];
	} rows[] = {
		{"--module=libz.so*", {"/usr/bin/pigz", "-p", "2", "-c", "/etc/services"}},
		{"--module=liblzma.so*", {"/usr/bin/xz", "-0", "-T2", "-c", "/etc/services"}},
		{"--module=libbz2.so*", {"/usr/bin/pbzip2", "-p2", "-c", "/etc/services"}},
		{NULL, {"/usr/bin/zstd", "-1", "-T2", "-c", "/etc/services"}},
	};

	for (size_t i = 0; i < e2e_rows(2, sizeof(rows) / sizeof(*rows)); i++) {
		double share;

		if (access(rows[i].command[0], X_OK) != 0) {
			fprintf(stderr, "stubs: %s is not installed\n", rows[i].command[0]);
			continue;
		}
		share = compare(NULL, rows[i].command);
		cr_expect(share > 0.9, "%s: %g of the accesses are recorded", rows[i].command[0], share);
		if (!e2e_full() || !rows[i].library)
			continue;
		share = compare(WORDS(rows[i].library), rows[i].command);
		cr_expect(share > 0.99, "%s and its library: %g of the accesses are recorded", rows[i].command[0],
			  share);
	}
}

/* Threads that use SQLite (tests/e2e/programs/database.c). */
Test(stubs, sqlite)
{
	struct e2e e2e;
	char *program;
	double share;

	if (!e2e_full())
		cr_skip_test("in the full check; determinism_test.c has this program, with stubs");
	e2e_begin(&e2e);
	program = e2e_program(&e2e, "database.c", "-O2 -g -pthread -Wl,--no-as-needed,-lsqlite3");
	share = compare(WORDS("--module=libsqlite3.so*"), WORDS(program));
	e2e_expect(&e2e, share > 0.99, "%g of the accesses are recorded", share);
	free(program);
	e2e_end(&e2e);
}

/*
 * The machine decides when the client's words arrive, so runs with traps and with stubs cannot be compared. Each must
 * work on its own, and a record made with traps must replay.
 */
Test(stubs, memcached)
{
	const char *args[24] = {"--policy=random", "--detector=hybrid",	   "--runs=1",	  "--keep-records", "--stats",
				"--timeout=600",   "--hang-factor=100000", "--no-confirm"};
	static const char *const server[] = {
		"/usr/bin/memcached", "-u", "root", "-l", "127.0.0.1", "-U", "0", "-t", "2"};
	const size_t n = 8, n_server = sizeof(server) / sizeof(*server);
	char drive[8192], port[16], record[4096], *client;
	struct e2e e2e;

	if (!e2e_full())
		cr_skip_test("in the full check; the server of drive_test.c has stubs, too");
	if (access(server[0], X_OK) != 0)
		cr_skip_test("%s is not installed", server[0]);
	e2e_begin(&e2e);
	snprintf(port, sizeof(port), "%d", 20000 + getpid() % 12000);
	client = e2e_program(&e2e, "asks.c", "-O2 -pthread");
	snprintf(drive, sizeof(drive), "--drive=%s %s 1 'set a 0 0 2~hi' 'get a'", client, port);
	args[n] = drive;
	memcpy(&args[n + 2], server, sizeof(server));
	args[n + 2 + n_server] = "-p";
	args[n + 3 + n_server] = port;
	args[n + 1] = "--accesses=stubs";
	e2e_run(&e2e, args);
	e2e_expect_status(&e2e, 0);
	e2e_expect(&e2e, e2e_stat(&e2e, "accesses_recorded") > 0.99 * e2e_stat(&e2e, "accesses"),
		   "%g of %g accesses are recorded", e2e_stat(&e2e, "accesses_recorded"), e2e_stat(&e2e, "accesses"));
	args[n + 1] = "--accesses=traps";
	e2e_run(&e2e, args);
	e2e_expect_status(&e2e, 0);
	e2e_expect(&e2e, e2e_stat(&e2e, "accesses_recorded") == 0 && e2e_stat(&e2e, "accesses") > 10000,
		   "recorded with traps");
	snprintf(record, sizeof(record), "%s/out/records/sample-seed-1.json", e2e.folder);
	e2e_say(&e2e, WORDS("--replay", record));
	e2e_expect_status(&e2e, 0);
	e2e_expect(&e2e, strstr(e2e.said.err, "same as the recorded run"), "%s", e2e.said.err);
	free(client);
	e2e_end(&e2e);
}
