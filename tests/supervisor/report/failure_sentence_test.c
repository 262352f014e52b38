/* failure_sentence_test.c - what the sentence of a failure says if a function has ended the program for another one. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_groups.h"
#include "supervisor/report/text/text_finding.h"
#include "supervisor/report/text/text_put.h"

TestSuite(failure_sentence, .timeout = 20);

Test(failure_sentence, names_who_called_the_function_that_ended_the_program)
{
	static const char *const functions[] = {"fail", "consume", "main"};
	static const struct {
		const char *detail, *output, *text;
	} cases[] = {
		{"SIGABRT in fail, called by consume", "FAIL: empty",
		 "the program crashes in fail at /x.c:1, called from consume at /x.c:2, after it wrote \"FAIL: "
		 "empty\"."},
		{"SIGABRT in fail, called by consume: FAIL", "a line\nFAIL: empty\n",
		 "the program crashes in fail at /x.c:1, called from consume at /x.c:2, after it wrote \"FAIL: "
		 "empty\"."},
		{"SIGABRT in fail, called by consume, called by main", NULL,
		 "the program crashes in fail at /x.c:1, called from main at /x.c:3."},
		{"SIGSEGV in fail", "FAIL", "the program crashes in fail at /x.c:1."},
		{"SIGABRT in fail, called by con", "FAIL", "the program crashes in fail at /x.c:1."},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_report report;
		struct rfs_report_failure *failure;
		struct rfs_source_stack *stack;
		char *text;

		rfs_report_init(&report);
		failure = rfs_report_add_failure(&report);
		failure->kind = RFS_FAILURE_SIGNAL;
		failure->number = SIGABRT;
		failure->detail = xstrdup(cases[i].detail);
		failure->run.shown.output = cases[i].output ? xstrdup(cases[i].output) : NULL;
		stack = &failure->run.shown.stack;
		stack->frames = xcalloc(3, sizeof(*stack->frames));
		stack->n_frames = 3;
		for (unsigned k = 0; k < 3; k++)
			stack->frames[k] = (struct rfs_source_place){.module = xstrdup("/x"),
								     .function = xstrdup(functions[k]),
								     .file = xstrdup("/x.c"),
								     .line = k + 1};
		text = rfs_text_cause(&(struct rfs_report_item){.failure = failure}, &report);
		cr_expect_str_eq(text, cases[i].text, "case %zu: %s", i, text);
		free(text);
		rfs_report_release(&report);
	}
}

/* In a hang, some threads wait for an event and others do something. */
Test(failure_sentence, threads_of_a_hang)
{
	struct rfs_report report;
	struct rfs_report_failure *failure;
	struct rfs_report_waiter *thread;
	char *said = NULL;
	size_t n;
	struct rfs_text text = {.out = open_memstream(&said, &n)};

	rfs_report_init(&report);
	failure = rfs_report_add_failure(&report);
	failure->kind = RFS_FAILURE_HANG;
	thread = rfs_report_add_thread(failure);
	thread->waits_for = xstrdup("the end of thread 1");
	thread->event = true;
	thread = rfs_report_add_thread(failure);
	thread->thread = 1;
	thread->waits_for = xstrdup("lock of m");
	thread = rfs_report_add_thread(failure);
	thread->thread = 2;
	rfs_text_put_failure(&text, failure, &report);
	fclose(text.out);
	cr_expect(strstr(said, "thread 0 waited for the end of thread 1, holding no lock\n"), "%s", said);
	cr_expect(strstr(said, "thread 1 was at lock of m, holding no lock\n"), "%s", said);
	cr_expect(strstr(said, "thread 2 was at work, holding no lock\n"), "%s", said);
	free(said);
	rfs_report_release(&report);
}
