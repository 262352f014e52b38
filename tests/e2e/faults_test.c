/*
 * faults_test.c - programs that fail only if the environment does something unusual, with --faults. Each kind of fault
 * has a program and a twin that handles it. The finding names the fault, and the same schedule without it passes.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(faults, .timeout = 3600);

static const struct {
	const char *fault, *target, *says;
	const char *list; /* of the report, that has the finding */
} kinds[] = {
	{"wakeup", "faults_wakeup", "the condition wait at faults_wakeup.c:24 ended without a signal", "failures"},
	{"eintr", "faults_eintr", "read(2) at faults_eintr.c:30 failed with EINTR", "failures"},
	{"short", "faults_short", "read(2) at faults_short.c:26 moved at most 8 of 16 bytes", "failures"},
	{"malloc", "faults_malloc", "malloc at faults_malloc.c:19 returned NULL", "failures"},
	{"malloc", "faults_abort", "malloc at faults_abort.c:17 returned NULL", "failures"},
	{"mmap", "faults_mmap", "mmap at faults_mmap.c:22 failed with ENOMEM", "failures"},
	{"thread", "faults_thread", "pthread_create at faults_thread.c:32 returned EAGAIN", "deadlocks"},
	{"late", "faults_late", "the sleep at faults_late.c:34 ended 5 s late", "failures"},
};
#define N_KINDS (sizeof(kinds) / sizeof(*kinds))

static void run_campaign(struct e2e *e2e, const char *target, bool fixed, const char *faults)
{
	/* a fault that matters is in most runs */
	const char *explore = e2e_full() ? "--explore=60" : fixed || !faults ? "--explore=15" : "--explore=30";
	char name[64], *path;

	snprintf(name, sizeof(name), "%s%s", target, fixed ? "_fixed" : "");
	path = e2e_target("O2g", name);
	if (faults)
		e2e_run(e2e, (const char *[]){explore, "--faults", faults, "--", path, NULL});
	else
		e2e_run(e2e, (const char *[]){explore, "--", path, NULL});
	free(path);
}

static bool is_text(const json_t *object, const char *key, const char *text)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value && strcmp(value, text) == 0;
}

/* The fault is found under all of them, too, named, needed, and repeated by a replay: by 20 in a full check. The short
 * check has every fourth of the kinds among all. */
Test(faults, each_is_found_by_a_campaign)
{
	for (size_t i = 0; i < 2 * N_KINDS; i++) {
		const size_t k = i / 2;
		const char *faults = i % 2 ? "all" : kinds[k].fault;
		const char *record;
		char *text;
		const json_t *failure;
		struct e2e e2e;

		if (!e2e_full() && i % 2 && k % 4)
			continue;
		e2e_begin(&e2e);
		run_campaign(&e2e, kinds[k].target, false, faults);
		e2e_expect_status(&e2e, 1);
		e2e_expect(&e2e, e2e_count(&e2e, kinds[k].list) == 1, "%s: not one failure", faults);
		failure = e2e_item(&e2e, kinds[k].list, 0);
		e2e_expect(&e2e, is_text(failure, "faults", kinds[k].says), "%s: not %s", faults, kinds[k].says);
		e2e_expect(&e2e, json_is_true(json_object_get(failure, "needs_faults")),
			   "%s: fails without the fault, too", faults);
		record = json_string_value(json_object_get(failure, "record"));
		e2e_expect(&e2e, record != NULL, "%s: no record", faults);
		text = record ? e2e_text(record) : NULL;
		e2e_expect(&e2e, text && strstr(text, "\"effect\":"), "%s: the record has no fault", faults);
		for (int n = 0; record && n < (i % 2 || !e2e_full() ? 1 : 5); n++)
			e2e_expect_same_replay(&e2e, record);
		free(text);
		e2e_end(&e2e);
	}
}

Test(faults, nothing_is_found_without_the_option)
{
	for (size_t i = 0; i < N_KINDS; i++) {
		struct e2e e2e;

		e2e_begin(&e2e);
		run_campaign(&e2e, kinds[i].target, false, NULL);
		e2e_expect_silent(&e2e);
		e2e_end(&e2e);
	}
}

Test(faults, nothing_is_found_if_the_program_expects_them)
{
	for (size_t i = 0; i < N_KINDS; i++) {
		struct e2e e2e;

		e2e_begin(&e2e);
		run_campaign(&e2e, kinds[i].target, true, "all");
		e2e_expect_silent(&e2e);
		e2e_end(&e2e);
	}
}

/* Every policy makes runs with faults, and the same seed always gives the same faults. */
Test(faults, every_policy_has_them_and_a_seed_repeats)
{
	static const char *const policies[] = {"random", "pos",	  "rapos", "surw", "pct",
					       "delay",	 "sweep", "atom",  "rff",  "drfinder"};
	char *path = e2e_target("O2g", "faults_malloc");

	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++) {
		struct e2e e2e;

		e2e_begin(&e2e);
		e2e_run(&e2e, (const char *[]){"--faults", "malloc", "--policy", policies[i], "--runs",
					       e2e_full() ? "100" : "20", "--", path, NULL});
		e2e_expect(&e2e, e2e_count(&e2e, "failures") == 1, "%s: not one failure", policies[i]);
		e2e_end(&e2e);
		e2e_begin(&e2e);
		e2e_say(&e2e, (const char *[]){"--faults=all", "--policy", policies[i],
					       e2e_full() ? "--verify=5" : "--verify=2", path, NULL});
		e2e_expect_status(&e2e, 0);
		e2e_end(&e2e);
	}
	free(path);
}

/* --simplify keeps the fault that the failure needs. */
Test(faults, a_failure_is_simplified)
{
	char *path = e2e_target("O2g", "faults_malloc"), *record;
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, (const char *[]){"--faults", "all", "--policy", "random", "--until-failure", "--runs", "500",
				       "--", path, NULL});
	record = e2e_failing_record(&e2e, 0);
	e2e_expect(&e2e, record != NULL, "no failure");
	if (record) {
		e2e_say(&e2e, (const char *[]){"--simplify", record, NULL});
		e2e_expect_status(&e2e, 1);
		e2e_expect(&e2e, e2e.said.out && strstr(e2e.said.out, "malloc (fails)"), "the schedule has no fault");
	}
	free(record);
	free(path);
	e2e_end(&e2e);
}

Test(faults, wrong_lists_are_refused)
{
	static const char *const lists[] = {"", "wakeups", "malloc,", ",", "malloc,none", "ALL"};

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		struct e2e e2e;

		e2e_begin(&e2e);
		e2e_run(&e2e, (const char *[]){"--faults", lists[i], "--", "true", NULL});
		e2e_expect_status(&e2e, 2);
		e2e_expect(&e2e,
			   e2e.said.err && strstr(e2e.said.err, "--faults: '") &&
				   strchr(e2e.said.err, '\n') == strrchr(e2e.said.err, '\n'),
			   "'%s': %s", lists[i], e2e.said.err);
		e2e_end(&e2e);
	}
}
