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
	bool on_stack;	  /* a way of targets/misuse_stack.c, not misuse.c */
};

struct parameter {
	struct way way;
	bool is_repeated; /* an earlier way of this program has the same kind */
};

/*
 * Most mistakes are in every run. So the short check samples, and makes a campaign only if that shows none: a signal
 * seldom comes during a call. The correct program has only samples there, and campaigns in the last tests.
 */
static void run(struct e2e *e2e, const char *program, const struct way *way, const char *how, const char *accesses)
{
	char *target = e2e_target("O2g", program);

	if (!e2e_full())
		e2e_run(e2e, WORDS("--quiet", "--policy=random", "--detector=hybrid", "--no-confirm", "--runs=2", how,
				   accesses, target, way->argument));
	if (e2e_full() || (strcmp(how, "--misuse=note") == 0 && e2e_count(e2e, "misuses") == 0))
		e2e_run(e2e, WORDS("--quiet", "--explore=4", "--runs=3", how, accesses, target, way->argument));
	free(target);
}

/* The function of the first frame in targets/misuse.c or misuse_stack.c. */
static const char *function_in(const json_t *stack)
{
	for (size_t i = 0; i < json_array_size(stack); i++) {
		const json_t *frame = json_array_get(stack, i);
		const char *file = json_string_value(json_object_get(frame, "file"));

		if (file && (strstr(file, "misuse.c") || strstr(file, "misuse_stack.c")))
			return json_string_value(json_object_get(frame, "function"));
	}
	return NULL;
}

ParameterizedTestParameters(misuse, each_kind)
{
	static const struct way ways[] = {
		{"unlock-free", "unlock-free", true, "", false, false},
		{"rwlock-unlock-free", "unlock-free", true, "", false, false},
		{"unlock-other", "unlock-other", true, "acquired", false, false},
		{"ignores-error", "ignores-error", true, "acquired", false, false},
		{"ignores-busy", "ignores-error", true, "", false, false},
		{"ignores-timeout", "ignores-error", true, "", false, false},
		{"ignores-dead-owner", "ignores-error", true, "", false, false},
		{"ignores-bad-time", "ignores-error", true, "", false, false},
		{"ignores-interrupt", "ignores-error", true, "", false, false},
		{"destroy-held", "destroy-held", true, "acquired", false, false},
		{"destroy-waited", "destroy-waited", true, "waits", true, false},
		{"init-held", "init-held", true, "acquired", false, false},
		{"init-waited", "init-waited", true, "waits", true, false},
		{"free-held", "free-held", true, "acquired", false, false},
		{"use-destroyed", "use-destroyed", true, "", false, false},
		{"signal-destroyed", "use-destroyed", true, "", false, false},
		{"wait-unlocked", "wait-unlocked", true, "", false, false},
		{"wait-mutexes", "wait-mutexes", true, "waits", false, false},
		{"exit-holding", "exit-holding", false, "acquired", false, false},
		{"init-again", "init-again", true, "initialised", false, false},
		{"init-used", "init-again", true, "used", false, false},
		{"init-semaphore-again", "init-again", true, "initialised", false, false},
		{"init-block-again", "init-again", true, "initialised", false, false},
		{"uninitialised-mutex", "uninitialised", true, "", true, false},
		{"uninitialised-rwlock", "uninitialised", true, "", false, false},
		{"uninitialised-cond", "uninitialised", true, "", false, false},
		{"uninitialised-barrier", "uninitialised", true, "", true, false},
		{"uninitialised-semaphore", "uninitialised", true, "", false, false},
		{"post-destroyed", "use-destroyed", true, "destroyed", false, false},
		{"wrong-type", "wrong-type", true, "used", false, false},
		{"wrong-type-in-block", "wrong-type", true, "initialised", false, false},
		{"join-again", "join-again", true, "", false, false},
		{"join-self", "join-self", true, "", false, false},
		{"join-detached", "join-again", true, "", false, false},
		{"never-joined", "never-joined", true, "", false, false},
		{"mutex-twice", "init-again", true, "initialised", false, true},
		{"rwlock-twice", "init-again", true, "initialised", false, true},
		{"cond-twice", "init-again", true, "initialised", false, true},
		{"semaphore-twice", "init-again", true, "initialised", false, true},
		{"barrier-twice", "init-again", true, "initialised", false, true},
		{"post-destroyed", "use-destroyed", true, "destroyed", false, true},
		{"post-garbage", "uninitialised", true, "", false, true},
		{"wrong-type", "wrong-type", true, "initialised", false, true},
		{"leave-held", "leave-held", true, "acquired", false, true},
		{"leave-waited", "leave-waited", true, "waits", false, true},
		{"destroy-waited", "destroy-waited", true, "waits", false, true},
		{"wait-checking", "wait-unlocked", true, "", false, true},
		{"wait-other", "wait-unlocked", true, "acquired", false, true},
		{"count-zero", "bad-count", true, "", false, true},
		{"large-value", "bad-value", true, "", false, true},
		{"attribute-type", "bad-attribute", true, "", false, true},
		{"attribute-shared", "bad-attribute", true, "", false, true},
		{"attribute-protocol", "bad-attribute", true, "", false, true},
		{"attributes-garbage", "bad-attributes", true, "", false, true},
		{"cond-garbage", "uninitialised", true, "", false, true},
		{"mutex-garbage", "uninitialised", true, "", false, true},
		{"destroy-garbage", "uninitialised", true, "", false, true},
		{"misaligned", "uninitialised", true, "", false, true},
		{"unlock-garbage", "uninitialised", true, "", false, true},
		{"mutex-destroyed", "use-destroyed", true, "destroyed", false, true},
		{"cond-destroyed", "use-destroyed", true, "destroyed", false, true},
		{"mutex-as-spin", "wrong-type", true, "initialised", false, true},
	};

	static struct parameter all[sizeof(ways) / sizeof(*ways)];

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		all[i].way = ways[i];
		for (size_t k = 0; k < i; k++)
			all[i].is_repeated |=
				ways[k].on_stack == ways[i].on_stack && strcmp(ways[k].kind, ways[i].kind) == 0;
	}
	return cr_make_param_array(struct parameter, all, sizeof(ways) / sizeof(*ways));
}

/* In the short check, only the first way of each kind has traps too, and the correct program. */
ParameterizedTest(struct parameter *parameter, misuse, each_kind)
{
	static const char *const accesses[] = {"--accesses=stubs", "--accesses=traps"};
	const struct way *way = &parameter->way;
	struct e2e e2e;

	e2e_begin(&e2e);
	for (size_t i = 0; i < e2e_rows(parameter->is_repeated ? 1 : 2, 2); i++) {
		const json_t *found;

		run(&e2e, way->on_stack ? "misuse_stack" : "misuse", way, "--misuse=note", accesses[i]);
		if (!way->is_fatal)
			e2e_expect_status(&e2e, 0);
		found = e2e_item(&e2e, "misuses", 0);
		e2e_expect(&e2e, e2e_count(&e2e, "misuses") == 1, "%zu misuses, not 1", e2e_count(&e2e, "misuses"));
		e2e_expect(&e2e, found && strcmp(json_string_value(json_object_get(found, "kind")), way->kind) == 0,
			   "another kind, not %s", way->kind);
		if (way->has_stack && !strstr(e2e.said.out ? e2e.said.out : "", ".c:"))
			e2e_expect(&e2e, false, "the text names no line");
		e2e_expect(&e2e, !way->has_stack || function_in(json_object_get(found, "stack")), "no place");
		e2e_expect(&e2e, !*way->earlier || function_in(json_object_get(found, way->earlier)),
			   "not known where a thread %s it", way->earlier);
		if (!e2e_full() && (i > 0 || parameter->is_repeated))
			continue;
		run(&e2e, way->on_stack ? "misuse_stack_fixed" : "misuse_fixed", way, "--misuse=error", accesses[i]);
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

/* The signal may come during a call that uses the same data. Both places are named. */
Test(misuse, in_a_handler)
{
	static const struct {
		const char *way, *says;
	} ways[] = {
		{"malloc", "calls malloc in a handler of SIGALRM, which is not async-signal-safe, in tick at "},
		{"puts", "calls puts in a handler of SIGALRM, "},
		/* the short check ends here */
		{"exit", "calls exit in a handler of SIGALRM, "},
	};
	struct e2e e2e;

	e2e_begin(&e2e);
	for (size_t i = 0; i < 2 * e2e_rows(2, sizeof(ways) / sizeof(*ways)); i++) {
		char *target = e2e_target("O2g", i % 2 ? "handler_calls_fixed" : "handler_calls");

		e2e_run(&e2e, WORDS("--policy=random", "--detector=hybrid", "--no-confirm", "--runs=2",
				    "--misuse=error", target, ways[i / 2].way));
		e2e_expect_status(&e2e, i % 2 ? 0 : 1);
		e2e_expect(&e2e, (e2e_count(&e2e, "misuses") == 0) == (i % 2 == 1), "%zu misuses",
			   e2e_count(&e2e, "misuses"));
		if (i % 2 == 0) {
			e2e_expect(&e2e, strstr(e2e.said.out, ways[i / 2].says), "no '%s'", ways[i / 2].says);
			e2e_expect(&e2e, strstr(e2e.said.out, "the signal may come then, in main at "),
				   "not where the thread uses the data");
		}
		free(target);
	}
	e2e_end(&e2e);
}

Test(misuse, is_a_finding_if_asked)
{
	char *target = e2e_target("O2g", "misuse");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--quiet", "--explore=4", "--runs=3", "--misuse=error", target, "unlock-other"));
	free(target);
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, strstr(e2e.said.out, "1 misuse"), "the result does not count it");
	e2e_end(&e2e);
}

/* Objects that begin where others were, and locks that are not the program's. */
Test(misuse, new_objects_in_old_memory)
{
	static const char *const programs[] = {"stack_objects", "stack_objects_cxx", "library_locks"};
	struct e2e e2e;

	e2e_begin(&e2e);
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		char *target = e2e_target("O2g", programs[i]);

		e2e_run(&e2e, WORDS("--quiet", "--explore=5", "--runs=2", "--misuse=error", target));
		e2e_expect_silent(&e2e);
		e2e_expect(&e2e, e2e_count(&e2e, "misuses") == 0, "%zu misuses", e2e_count(&e2e, "misuses"));
		free(target);
	}
	e2e_end(&e2e);
}
