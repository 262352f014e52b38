/*
 * determinism_test.c - the same seed gives the same run. A target without outside input has one trace hash in all runs.
 * For a target with outside input, the difference is reported.
 *
 * Each run is a separate process, and half of them belong to another invocation of rfsup, so they share only the seed.
 * With RFSUP_CHECK_FULL there are 40 runs of each target.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/e2e/answers.h"
#include "tests/e2e/harness.h"

TestSuite(determinism, .timeout = 3600);

/*
 * A difference that one of 12 runs shows is found with probability 0.4 in one target. The short check has every third
 * target; fork_server_test.c, which compares the hashes of two invocations too, has another third.
 */
#define TIMES 6
/* A difference that one of 35 runs shows is found with probability 0.69 in one target, and 0.97 in one of three. */
#define TIMES_FULL 40
#define HASH 64

static void release(struct criterion_test_params *params)
{
	cr_free(params->params);
}

/* Runs seed 7 several times. Returns true if all runs were the same; hash is then their trace hash. */
static bool verify(struct e2e *e2e, const char *program, const struct answer *answer, int times, char hash[HASH])
{
	static const char before[] = "trace hash ";
	const char *args[16] = {NULL, "--seed=7", program};
	const char *text;
	char option[32];
	size_t n = 3;

	snprintf(option, sizeof(option), "--verify=%d", times);
	args[0] = option;
	for (size_t i = 0; answer && i < answer->n_words; i++)
		args[n++] = answer->words[i];
	args[n] = NULL;
	e2e_say(e2e, args);
	e2e_expect(e2e, e2e->said.status == 0 || e2e->said.status == 3, "status %d\n%s", e2e->said.status,
		   e2e->said.err);
	if (e2e->said.status != 0)
		return false;
	text = strstr(e2e->said.out, before);
	e2e_expect(e2e, text, "no trace hash\n%s", e2e->said.out);
	snprintf(hash, HASH, "%.32s", text ? text + strlen(before) : "");
	return true;
}

/* Like verify(), but it is a failure if the runs differ. */
static bool verified(struct e2e *e2e, const char *program, const struct answer *answer, int times, char hash[HASH])
{
	bool same = verify(e2e, program, answer, times, hash);

	e2e_expect(e2e, same, "%s", e2e->said.out);
	return same;
}

ParameterizedTestParameters(determinism, same_seed_same_hash)
{
	struct answer *all = cr_malloc(ANSWERS_MAX * sizeof(*all));
	size_t n = answers_of_check(all, ANSWERS_MAX), kept = 0;

	for (size_t i = 0; i < n; i++)
		if (all[i].kind != ANSWER_DIVERGES && (e2e_full() || i % 3 == 1))
			all[kept++] = all[i];
	return cr_make_param_array(struct answer, all, kept, release);
}

ParameterizedTest(struct answer *answer, determinism, same_seed_same_hash)
{
	char *program = e2e_target("O2g", answer->name), first[HASH] = "", second[HASH] = "";
	int times = e2e_full() ? TIMES_FULL : TIMES;
	struct e2e e2e;

	e2e_begin(&e2e);
	if (verified(&e2e, program, answer, times / 2, first) && verified(&e2e, program, answer, times / 2, second))
		e2e_expect(&e2e, strcmp(first, second) == 0, "hash %s, and in another invocation %s", first, second);
	e2e_end(&e2e);
	free(program);
}

struct program {
	char path[ANSWER_NAME];		       /* absolute, or the name of a file in tests/e2e/programs */
	char words[ANSWER_WORDS][ANSWER_NAME]; /* arguments; of our own program: a linker flag */
};

/* Programs with threads, and one library, from other authors. */
ParameterizedTestParameters(determinism, programs)
{
	static struct program all[] = {
		{"/usr/bin/pigz", {"-p2", "-b32", "-c", "in"}},
		{"/usr/bin/pbzip2", {"-p2", "-b1", "-kc", "in"}},
		{"/usr/bin/xz", {"-kcT2", "--block-size=1024", "--lzma2=preset=0,dict=4096", "in"}},
		{"/usr/bin/zstd", {"-T2", "-1", "-qc", "in"}},
		{"database.c", {"-Wl,--no-as-needed,-lsqlite3"}},
	};

	return cr_make_param_array(struct program, all, sizeof(all) / sizeof(*all));
}

ParameterizedTest(struct program *program, determinism, programs)
{
	bool ours = program->path[0] != '/';
	struct answer answer = {.n_words = 0};
	char *file, text[6000], hash[HASH];
	struct e2e e2e;
	size_t n = 0;

	if (!ours && access(program->path, X_OK) != 0)
		cr_skip_test("%s is not installed", program->path);
	e2e_begin(&e2e);
	for (int i = 0; i < 1200; i++)
		n += (size_t)sprintf(text + n, "%d\n", i * 7919 % 1000);
	spawn_file(e2e.folder, "in", text, n, 0644);
	snprintf(text, sizeof(text), "-O2 -g -pthread %s", program->words[0]);
	file = ours ? e2e_program(&e2e, program->path, text) : strdup(program->path);
	for (; !ours && answer.n_words < ANSWER_WORDS && program->words[answer.n_words][0]; answer.n_words++)
		strcpy(answer.words[answer.n_words], program->words[answer.n_words]);
	verified(&e2e, file, &answer, e2e_full() ? TIMES_FULL : 5, hash);
	e2e_end(&e2e);
	free(file);
}

/*
 * The program reads random bytes from the kernel. If it writes them in any of these ways, the hashes of runs differ. If
 * it writes nothing, they are the same.
 */
Test(determinism, all_output_is_part_of_the_hash)
{
	static const char *const ways[] = {"nothing", "write", "writev", "vmsplice", "send", "sendmsg", "sendmmsg"};
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "says.c", "-O2 -g");
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct answer answer = {.n_words = 1};
		char hash[HASH];
		bool same;

		snprintf(answer.words[0], sizeof(answer.words[0]), "%s", ways[i]);
		same = verify(&e2e, program, &answer, 3, hash);
		e2e_expect(&e2e, same == (i == 0), "%s: %s", ways[i], e2e.said.out);
	}
	e2e_end(&e2e);
	free(program);
}

Test(determinism, replay_says_that_it_diverged)
{
	struct e2e e2e;
	char *program, *record = NULL;
	bool differs = false;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "outside.c", "-O2 -g");
	e2e_run(&e2e, WORDS("--runs=10", "--explore=0", program));
	e2e_expect_status(&e2e, 1);
	record = e2e_record(&e2e, e2e_item(&e2e, "pairs", 0));
	e2e_expect(&e2e, record, "the race is not recorded");
	for (int i = 0; record && i < 10 && !differs; i++) {
		e2e_say(&e2e, WORDS("--replay", record));
		differs = e2e.said.status == 3;
		e2e_expect(&e2e, differs == (strstr(e2e.said.err, "diverged") != NULL), "status %d, but it says: %s",
			   e2e.said.status, e2e.said.err);
	}
	e2e_expect(&e2e, differs, "ten replays are the same");
	e2e_end(&e2e);
	free(record);
	free(program);
}
