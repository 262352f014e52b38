/* pair_sentence_test.c - what the sentence of a race says: which order fails, and what to do about a handler. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_groups.h"
#include "supervisor/report/text/text_finding.h"
#include "supervisor/report/text/text_put.h"

TestSuite(pair_sentence, .timeout = 20);

static void set_statement(struct rfs_report_statement *statement, unsigned access, unsigned line, int handler)
{
	statement->place = (struct rfs_source_place){
		.module = xstrdup("/x"), .offset = line, .file = xstrdup("/x.c"), .line = line};
	statement->access = access;
	statement->seen = true;
	statement->handler = handler;
}

Test(pair_sentence, names_the_order_that_fails)
{
	static const struct {
		unsigned access[2], line[2];
		int handler[2], first;
		uint64_t failed[2];
		const char *text;
	} cases[] = {
		{{RFS_ACCESS_READ, RFS_ACCESS_WRITE},
		 {1, 2},
		 {0, 0},
		 2,
		 {20, 0},
		 "/x.c:1 reads v, and /x.c:2 writes it; no lock protects both; if the write goes first, the program "
		 "fails: SIGABRT."},
		/* the statements are sorted; the recorded run may have the order that fails less often */
		{{RFS_ACCESS_READ, RFS_ACCESS_FREE},
		 {2, 1},
		 {0, 0},
		 1,
		 {1, 19},
		 "/x.c:1 frees v, and /x.c:2 reads it; no lock protects both; if the free goes first, the program can "
		 "fail: SIGABRT."},
		{{RFS_ACCESS_WRITE, RFS_ACCESS_WRITE},
		 {1, 2},
		 {0, 0},
		 2,
		 {20, 0},
		 "/x.c:1 writes v, and /x.c:2 writes it; no lock protects both; if /x.c:2 goes first, the program "
		 "fails: SIGABRT."},
		{{RFS_ACCESS_WRITE, RFS_ACCESS_WRITE},
		 {1, 1},
		 {0, 0},
		 2,
		 {20, 0},
		 "/x.c:1 writes v, and /x.c:1 writes it; no lock protects both; in one order the program fails: "
		 "SIGABRT."},
		{{RFS_ACCESS_READ, RFS_ACCESS_WRITE},
		 {1, 2},
		 {0, 0},
		 0,
		 {20, 0},
		 "/x.c:1 reads v, and /x.c:2 writes it; no lock protects both; in one order the program fails: "
		 "SIGABRT."},
		{{RFS_ACCESS_WRITE, RFS_ACCESS_READ},
		 {1, 2},
		 {0, 14},
		 1,
		 {20, 0},
		 "the handler of SIGALRM reads v in /x.c:2, and the thread that it interrupts writes it in /x.c:1; "
		 "block SIGALRM there, because a lock cannot protect both; if the write goes first, the program "
		 "fails: SIGABRT."},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_report report;
		struct rfs_report_pair *pair;
		char *text;

		rfs_report_init(&report);
		pair = rfs_report_add_pair(&report);
		for (int k = 0; k < 2; k++)
			set_statement(&pair->statement[k], cases[i].access[k], cases[i].line[k], cases[i].handler[k]);
		pair->variable = xstrdup("v");
		pair->detail = xstrdup("SIGABRT");
		pair->failed = pair->attributed = true;
		pair->interrupts = cases[i].handler[1] != 0;
		pair->orders = (struct rfs_report_orders){
			.tests = 1,
			.first = cases[i].first,
			.runs = {20, 20},
			.failed = {cases[i].failed[0], cases[i].failed[1]},
		};
		rfs_report_finish(&report);
		text = rfs_text_cause(&(struct rfs_report_item){.pair = &report.pairs[0]}, &report);
		cr_expect_str_eq(text, cases[i].text, "case %zu: %s", i, text);
		free(text);
		rfs_report_release(&report);
	}
}

Test(pair_sentence, the_name_of_a_variable_ends_before_its_allocation)
{
	static const char *const cases[][2] = {
		{"block of 8 bytes, allocated by thread 0 at x.c:1", "block of 8 bytes"},
		{"node of std::map<int, int>, allocated by thread 0", "node of std::map<int, int>"},
		{"a, b", "a, b"},
		{NULL, "memory"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *name = rfs_text_variable(cases[i][0], "memory");

		cr_expect_str_eq(name, cases[i][1], "case %zu: %s", i, name);
		free(name);
	}
}
