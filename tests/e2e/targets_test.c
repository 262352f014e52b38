/*
 * targets_test.c - runs a campaign on every target and compares it with the known answer (targets/targets.txt). What
 * must be found is found at the marked statements, and nothing else is found. The fixed twin gives no finding.
 *
 * RFSUP_VARIANTS names the builds (builds.h). In a full check, these are the three builds in which the marked
 * statements are known to be found. Campaigns have the default options in O2g, and few runs in other builds, which
 * differ in the code and in the debug information. So do the twins, each in every other build: a twin has no finding,
 * whatever the compiler made of it.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/answers.h"
#include "tests/e2e/builds.h"
#include "tests/e2e/harness.h"
#include "tests/e2e/lines.h"

TestSuite(targets, .timeout = 1000);

struct parameter {
	struct answer answer;
	char variant[ANSWER_NAME];
	bool has_lines; /* has debug information; otherwise lines come from the build that has it */
	bool quick;	/* a short campaign */
};

static void release(struct criterion_test_params *params)
{
	cr_free(params->params);
}

/* All targets in all builds to be tested. With `twins`, only targets that have a twin. */
static struct criterion_test_params parameters(bool twins)
{
	static struct answer answers[ANSWERS_MAX];
	size_t n_answers = answers_of_check(answers, ANSWERS_MAX), n = 0;
	struct parameter *all = cr_malloc(n_answers * BUILDS * sizeof(*all));

	for (size_t b = 0; b < BUILDS; b++) {
		const bool other = b >= BUILDS_MARKED && !builds_given();
		const bool is_usual = strcmp(builds[b], "O2g") == 0 || builds_given();

		if (!builds_has(builds[b]))
			continue;
		for (size_t i = 0; i < n_answers; i++) {
			if (twins ? !answers[i].twin[0] || (!is_usual && (i + b) % 2) : other)
				continue;
			all[n] = (struct parameter){.answer = answers[i], .quick = !e2e_full() || !is_usual};
			all[n].has_lines = strchr(builds[b], 'g') != NULL;
			strcpy(all[n++].variant, builds[b]);
		}
	}
	return cr_make_param_array(struct parameter, all, n, release);
}

static void campaign(struct e2e *e2e, const struct parameter *parameter, const char *name)
{
	/* what only fails is found by exploration, everything else by earlier phases */
	const bool explores = parameter->answer.kind == ANSWER_FAILURE || parameter->answer.kind == ANSWER_HANG;
	const bool twin = strcmp(name, parameter->answer.twin) == 0;
	const char *const quick[] = {"--runs", e2e_full() ? "16" : "8", "--explore",
				     explores ? "60"
				     : twin   ? "10"
					      : "4",
				     NULL};
	char *program = e2e_target(parameter->variant, name);
	const char *args[16];
	size_t n = 0;

	for (size_t i = 0; parameter->quick && quick[i]; i++)
		args[n++] = quick[i];
	args[n++] = "--stats";
	args[n++] = program;
	for (size_t i = 0; i < parameter->answer.n_words; i++)
		args[n++] = parameter->answer.words[i];
	args[n] = NULL;
	e2e_run(e2e, args);
	free(program);
}

static const char *verdict_of(const json_t *pair)
{
	const char *verdict = json_string_value(json_object_get(pair, "verdict"));

	return verdict ? verdict : "";
}

static bool is_real(const json_t *pair)
{
	return strcmp(verdict_of(pair), "real") == 0 || strcmp(verdict_of(pair), "harmful") == 0;
}

static bool place_is(const json_t *place, const struct answer_mark *mark)
{
	return answers_mark_has(mark, json_string_value(json_object_get(place, "file")),
				(unsigned)json_integer_value(json_object_get(place, "line")));
}

/* Whether the statement is at the mark. With `below`, a caller of the statement may be there instead. */
static bool statement_is(const json_t *statement, const struct answer_mark *mark, bool below)
{
	json_t *frame;
	size_t i;

	if (place_is(statement, mark))
		return true;
	json_array_foreach(json_object_get(statement, "stack"), i,
			   frame) if (below && place_is(frame, mark)) return true;
	return false;
}

static bool pair_is(const json_t *pair, const struct answer_mark mark[2], bool below)
{
	const json_t *statements = json_object_get(pair, "statements");
	const json_t *first = json_array_get(statements, 0), *second = json_array_get(statements, 1);

	return (statement_is(first, &mark[0], below) && statement_is(second, &mark[1], below)) ||
	       (statement_is(first, &mark[1], below) && statement_is(second, &mark[0], below));
}

/*
 * A benign pair must not be harmful. A pair that is never real must be unconfirmed. Without debug information it is
 * unknown which objects are atomic. Then the pair may also be unclear. If the target fails in some orders of atomic
 * operations, the pair may be harmful, because its order decides whether the target truly fails.
 */
static bool verdict_is_allowed(enum answer_want want, const json_t *pair, const struct parameter *parameter)
{
	if (want == ANSWER_BENIGN)
		return strcmp(verdict_of(pair), "harmful") != 0;
	if (want != ANSWER_NEVER || strcmp(verdict_of(pair), "unconfirmed") == 0)
		return true;
	if (parameter->has_lines)
		return false;
	return strcmp(verdict_of(pair), "unclear") == 0 ||
	       (parameter->answer.kind == ANSWER_FAILURE && strcmp(verdict_of(pair), "harmful") == 0);
}

/* Without debug information, a real pair of two plain moves is unclear. */
static bool verdict_is_wanted(enum answer_want want, const json_t *pair, bool has_lines)
{
	if (want == ANSWER_HARMFUL)
		return strcmp(verdict_of(pair), "harmful") == 0;
	return is_real(pair) || (!has_lines && strcmp(verdict_of(pair), "unclear") == 0);
}

/* Compares the pairs of the report with the marked pairs. */
static void expect_marked_pairs(struct e2e *e2e, const struct parameter *parameter)
{
	const struct answer *answer = &parameter->answer;
	size_t n = e2e_count(e2e, "pairs");
	bool *known = calloc(n + 1, sizeof(*known));

	for (size_t k = 0; k < answer->n_pairs; k++) {
		const struct answer_pair *wanted = &answer->pairs[k];
		bool found = wanted->want == ANSWER_MAY || wanted->want == ANSWER_NEVER;
		struct answer_mark marks[2];

		for (int i = 0; i < 2; i++)
			answers_mark(answer->name, wanted->mark[i], &marks[i]);
		for (size_t i = 0; i < n; i++) {
			json_t *pair = e2e_item(e2e, "pairs", i);

			if (!pair_is(pair, marks, wanted->want == ANSWER_LIBRARY || wanted->want == ANSWER_MAY))
				continue;
			known[i] = true;
			found |= verdict_is_wanted(wanted->want, pair, parameter->has_lines);
			e2e_expect(e2e, verdict_is_allowed(wanted->want, pair, parameter), "%s:%s is %s",
				   wanted->mark[0], wanted->mark[1], verdict_of(pair));
		}
		e2e_expect(e2e, found, "%s:%s is not found\n%s", wanted->mark[0], wanted->mark[1], e2e->said.out);
	}
	for (size_t i = 0; i < n; i++) {
		json_t *pair = e2e_item(e2e, "pairs", i);

		e2e_expect(e2e, known[i] || answer->others || !is_real(pair),
			   "pair %zu is %s, but is no known race\n%s", i + 1, verdict_of(pair), e2e->said.out);
	}
	free(known);
}

/* The number of failures of the wanted kinds, in all phases. Deadlocks count as the kind "deadlock". */
static size_t failures(const struct e2e *e2e, const char *const *wanted)
{
	static const char *const keys[] = {"pairs", "failures"};
	size_t n = 0;

	for (; *wanted; wanted++) {
		if (strcmp(*wanted, "deadlock") == 0)
			n += e2e_count(e2e, "deadlocks");
		for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++)
			for (size_t i = 0; i < e2e_count(e2e, keys[k]); i++) {
				const json_t *item = e2e_item(e2e, keys[k], i);
				const json_t *failure = k == 0 ? json_object_get(item, "failure") : item;
				const char *kind = json_string_value(json_object_get(failure, "kind"));

				n += kind && strcmp(kind, *wanted) == 0;
			}
	}
	return n;
}

static void expect_kind(struct e2e *e2e, const struct answer *answer)
{
	const char *const *const wanted[ANSWER_KINDS] = {
		[ANSWER_DEADLOCK] = WORDS("deadlock"),
		[ANSWER_HANG] = WORDS("hang", "deadlock"),
		[ANSWER_FAILURE] = WORDS("signal", "exit", "deadlock", "hang"),
	};

	switch (answer->kind) {
	case ANSWER_DEADLOCK:
	case ANSWER_HANG:
	case ANSWER_FAILURE:
		e2e_expect(e2e, failures(e2e, wanted[answer->kind]) > 0, "not found\n%s", e2e->said.out);
		break;
	case ANSWER_RACE:
		break; /* expect_marked_pairs() checks the pairs */
	case ANSWER_PREDICTED_ONLY:
	case ANSWER_SILENT:
	case ANSWER_DIVERGES:
	case ANSWER_BENCH:
		e2e_expect(e2e, e2e_count(e2e, "deadlocks") == 0 && e2e_count(e2e, "failures") == 0,
			   "something is found\n%s", e2e->said.out);
		break;
	case ANSWER_KINDS:
		break;
	}
}

/* Whether it is a finding. An unclear pair alone is not, and neither is a failure that every baseline run shows. */
static bool is_finding(const json_t *item, bool pair)
{
	return pair ? is_real(item) || json_object_get(item, "failure") : !json_object_get(item, "plain");
}

/* The expected exit status. Without debug information, a race may be unclear, which is no finding. */
static int status_of(const struct parameter *parameter, const struct e2e *e2e)
{
	const struct answer *answer = &parameter->answer;

	if (parameter->has_lines || answer->kind != ANSWER_RACE)
		return answer->status;
	for (size_t i = 0; i < answer->n_pairs; i++)
		if (answer->pairs[i].want == ANSWER_HARMFUL)
			return answer->status;
	return e2e->said.status == 0 ? 0 : answer->status;
}

/* Replays every record. It must be the same run, with status 1 if it is a finding. */
static void expect_replays(struct e2e *e2e)
{
	static const char *const keys[] = {"pairs", "deadlocks", "failures"};

	for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++)
		for (size_t i = 0; i < e2e_count(e2e, keys[k]); i++) {
			const json_t *finding = e2e_item(e2e, keys[k], i);
			char *record = e2e_record(e2e, finding);

			e2e_expect(e2e, !json_object_get(finding, "not_reproduced"), "%s %zu is not reproduced",
				   keys[k], i + 1);
			if (record) {
				e2e_say(e2e, WORDS("--replay", record));
				e2e_expect_status(e2e, is_finding(finding, k == 0) ? 1 : 0);
				e2e_expect(e2e, strstr(e2e->said.err, "same as the recorded run") != NULL, "%s",
					   e2e->said.err);
			}
			e2e_expect(e2e, record || (k == 0 && !is_real(finding)), "%s %zu has no record", keys[k],
				   i + 1);
			free(record);
		}
}

ParameterizedTestParameters(targets, answer)
{
	return parameters(false);
}

ParameterizedTest(struct parameter *parameter, targets, answer)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	campaign(&e2e, parameter, parameter->answer.name);
	e2e_expect(&e2e, e2e.report, "no report");
	e2e_expect_status(&e2e, status_of(parameter, &e2e));
	e2e_expect(&e2e, !strstr(e2e.said.err, "which rfsup does not schedule"), "a call blocks unknown: %s",
		   e2e.said.err);
	expect_kind(&e2e, &parameter->answer);
	if (!parameter->has_lines)
		lines_add(&e2e, parameter->variant);
	expect_marked_pairs(&e2e, parameter);
	expect_replays(&e2e);
	e2e_end(&e2e);
}

ParameterizedTestParameters(targets, twin_is_silent)
{
	return parameters(true);
}

ParameterizedTest(struct parameter *parameter, targets, twin_is_silent)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	campaign(&e2e, parameter, parameter->answer.twin);
	e2e_expect(&e2e, e2e.report, "no report");
	e2e_expect_status(&e2e, 0);
	for (size_t i = 0; i < e2e_count(&e2e, "pairs"); i++)
		e2e_expect(&e2e, !is_real(e2e_item(&e2e, "pairs", i)), "pair %zu is %s\n%s", i + 1,
			   verdict_of(e2e_item(&e2e, "pairs", i)), e2e.said.out);
	e2e_expect(&e2e, e2e_count(&e2e, "deadlocks") == 0 && e2e_count(&e2e, "failures") == 0,
		   "something is found\n%s", e2e.said.out);
	e2e_end(&e2e);
}
