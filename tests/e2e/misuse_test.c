/* misuse_test.c - wrong uses of the thread library: each is named with its place, and the correct program is silent. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(misuse, .timeout = 300);

struct way {
	char argument[24], kind[24];
	bool has_stack;	  /* whether it is known where the thread is */
	char earlier[16]; /* "acquired", "waits", ... if it is known where a thread did so before; "": not */
	bool is_fatal;	  /* the mistake makes the program wait forever or crash */
};

static void run(struct e2e *e2e, const char *program, const struct way *way, const char *how, const char *accesses)
{
	char *target = e2e_target("O2g", program);
	const char *args[] = {"--quiet", "--explore", "10", "--runs", "3", how, accesses, target, way->argument, NULL};

	e2e_run(e2e, args);
	free(target);
}

/* The function of the first frame in targets/misuse.c. */
static const char *function_in(const json_t *stack)
{
	for (size_t i = 0; i < json_array_size(stack); i++) {
		const json_t *frame = json_array_get(stack, i);
		const char *file = json_string_value(json_object_get(frame, "file"));

		if (file && strstr(file, "misuse.c"))
			return json_string_value(json_object_get(frame, "function"));
	}
	return NULL;
}

ParameterizedTestParameters(misuse, each_kind)
{
	static struct way ways[] = {
		{"unlock-free", "unlock-free", true, "", false},
		{"rwlock-unlock-free", "unlock-free", true, "", false},
		{"unlock-other", "unlock-other", true, "acquired", false},
		{"ignores-error", "ignores-error", true, "acquired", false},
		{"ignores-busy", "ignores-error", true, "", false},
		{"ignores-timeout", "ignores-error", true, "", false},
		{"ignores-dead-owner", "ignores-error", true, "", false},
		{"ignores-bad-time", "ignores-error", true, "", false},
		{"ignores-interrupt", "ignores-error", true, "", false},
		{"destroy-held", "destroy-held", true, "acquired", false},
		{"destroy-waited", "destroy-waited", true, "waits", true},
		{"init-held", "init-held", true, "acquired", false},
		{"init-waited", "init-waited", true, "waits", true},
		{"free-held", "free-held", false, "acquired", false},
		{"use-destroyed", "use-destroyed", true, "", false},
		{"signal-destroyed", "use-destroyed", true, "", false},
		{"wait-unlocked", "wait-unlocked", true, "", false},
		{"wait-mutexes", "wait-mutexes", true, "waits", false},
		{"exit-holding", "exit-holding", false, "acquired", false},
		{"init-again", "init-again", true, "initialised", false},
		{"init-used", "init-again", true, "used", false},
		{"init-semaphore-again", "init-again", true, "initialised", false},
		{"init-block-again", "init-again", true, "initialised", false},
		{"uninitialised-mutex", "uninitialised", true, "", true},
		{"uninitialised-rwlock", "uninitialised", true, "", false},
		{"uninitialised-cond", "uninitialised", true, "", false},
		{"uninitialised-barrier", "uninitialised", true, "", true},
		{"uninitialised-semaphore", "uninitialised", true, "", false},
		{"post-destroyed", "use-destroyed", true, "destroyed", false},
		{"wrong-type", "wrong-type", true, "used", false},
		{"wrong-type-in-block", "wrong-type", true, "initialised", false},
		{"join-again", "join-again", true, "", false},
		{"join-self", "join-self", true, "", false},
		{"join-detached", "join-again", true, "", false},
		{"never-joined", "never-joined", true, "", false},
	};

	return cr_make_param_array(struct way, ways, sizeof(ways) / sizeof(*ways));
}

ParameterizedTest(struct way *way, misuse, each_kind)
{
	static const char *const accesses[] = {"--accesses=stubs", "--accesses=traps"};
	struct e2e e2e;

	e2e_begin(&e2e);
	for (int i = 0; i < 2; i++) {
		const json_t *found;

		run(&e2e, "misuse", way, "--misuse=note", accesses[i]);
		if (!way->is_fatal)
			e2e_expect_status(&e2e, 0);
		found = e2e_item(&e2e, "misuses", 0);
		e2e_expect(&e2e, e2e_count(&e2e, "misuses") == 1, "%zu misuses, not 1", e2e_count(&e2e, "misuses"));
		e2e_expect(&e2e, found && strcmp(json_string_value(json_object_get(found, "kind")), way->kind) == 0,
			   "another kind, not %s", way->kind);
		if (way->has_stack && !strstr(e2e.said.out ? e2e.said.out : "", "misuse.c"))
			e2e_expect(&e2e, false, "the text names no line");
		e2e_expect(&e2e, !way->has_stack || function_in(json_object_get(found, "stack")), "no place");
		e2e_expect(&e2e, !*way->earlier || function_in(json_object_get(found, way->earlier)),
			   "not known where a thread %s it", way->earlier);
		run(&e2e, "misuse_fixed", way, "--misuse=error", accesses[i]);
		e2e_expect_silent(&e2e);
		e2e_expect(&e2e, e2e_count(&e2e, "misuses") == 0, "a misuse in the correct program");
	}
	e2e_end(&e2e);
}

/* The error is one that a fault makes. */
Test(misuse, fault_is_ignored)
{
	static const char *const programs[] = {"misuse", "misuse_fixed"};
	struct e2e e2e;

	e2e_begin(&e2e);
	for (int i = 0; i < 2; i++) {
		char *target = e2e_target("O2g", programs[i]);
		const json_t *found;

		e2e_run(&e2e,
			WORDS("--quiet", "--explore=40", "--runs=3", "--faults=thread", target, "ignores-no-thread"));
		found = e2e_item(&e2e, "misuses", 0);
		e2e_expect(&e2e, e2e_count(&e2e, "misuses") == (size_t)!i, "%zu misuses", e2e_count(&e2e, "misuses"));
		if (i == 0 && found)
			e2e_expect(&e2e, strcmp(json_string_value(json_object_get(found, "error")), "EAGAIN") == 0,
				   "another error");
		free(target);
	}
	e2e_end(&e2e);
}

Test(misuse, is_a_finding_if_asked)
{
	const struct way way = {.argument = "unlock-other"};
	struct e2e e2e;

	e2e_begin(&e2e);
	run(&e2e, "misuse", &way, "--misuse=error", "--accesses=stubs");
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, strstr(e2e.said.out, "1 misuse"), "the result does not count it");
	e2e_end(&e2e);
}
