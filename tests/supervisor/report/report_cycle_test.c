/* report_cycle_test.c - how a report shows predicted deadlocks that were not created, and inversions by one thread. */
#include "supervisor/report/data/report_cycle.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/machine/report_json.h"
#include "supervisor/report/text/report_text.h"
#include "tests/heap.h"

TestSuite(report_cycle, .timeout = 20);

static void set_lock(struct rfs_report_lock *lock, const char *name, unsigned line)
{
	lock->name = xstrdup(name);
	lock->place = xcalloc(1, sizeof(*lock->place));
	lock->place->module = xstrdup("/opt/bank");
	lock->place->offset = 0x1000 + line;
	lock->place->file = xstrdup("/src/bank.c");
	lock->place->line = line;
	lock->place->function = xstrdup("move");
}

static struct rfs_report_cycle *add(struct rfs_report *report)
{
	struct rfs_report_cycle *cycle = rfs_report_add_cycle(&report->cycles, 2);

	for (size_t i = 0; i < 2; i++) {
		cycle->parts[i].has_thread = true;
		cycle->parts[i].thread = (int)i + 1;
		set_lock(&cycle->parts[i].held, i ? "b" : "a", 10 * (unsigned)i + 1);
		set_lock(&cycle->parts[i].wanted, i ? "a" : "b", 10 * (unsigned)i + 2);
	}
	return cycle;
}

static void fill(struct rfs_report *report)
{
	struct rfs_report_cycle *cycle;

	rfs_report_init(report);
	rfs_report_add_string(&report->program, "./bank");
	report->directory = xstrdup("out");
	add(report)->created = 1;
	cycle = add(report);
	cycle->planned = 100;
	cycle->runs = 97;
	cycle->timeouts = 2;
	free(cycle->parts[1].held.name);
	cycle->parts[1].held.name = NULL;
	free(cycle->parts[1].held.place->module);
	free(cycle->parts[1].held.place->file);
	free(cycle->parts[1].held.place->function);
	free(cycle->parts[1].held.place);
	cycle->parts[1].held.place = NULL;
	add(report)->one_thread = true;
	rfs_report_finish(report);
}

static char *text_of(const struct rfs_report *report, void (*write)(const struct rfs_report *, bool, FILE *))
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	write(report, false, out);
	fclose(out);
	return text;
}

Test(report_cycle, counts_are_in_the_summary)
{
	struct rfs_report report;
	char *text;

	fill(&report);
	text = text_of(&report, rfs_report_write_text);
	cr_expect_not_null(
		strstr(text,
		       "deadlocks   2 predicted, 1 created (made to happen); 1 inversion by one thread; listed in "
		       "out/unconfirmed.txt\n"),
		"%s", text);
	cr_expect_null(strstr(text, "PREDICTED"), "%s", text);
	free(text);
	rfs_report_release(&report);
}

Test(report_cycle, what_was_not_created_is_listed)
{
	struct rfs_report report;
	char *text;

	fill(&report);
	cr_assert(rfs_report_has_unconfirmed(&report));
	text = text_of(&report, rfs_report_write_unconfirmed);
	cr_expect_not_null(strstr(text,
				  "PREDICTED DEADLOCK of 2 threads\n"
				  "    thread 1 holds a (move at /src/bank.c:1) and wants b (move at /src/bank.c:2)\n"
				  "    thread 2 holds no lock and wants a (move at /src/bank.c:12)\n"
				  "    not created in 97 runs, and 2 more timed out (100 were planned)\n"),
			   "%s", text);
	cr_expect_not_null(strstr(text,
				  "INVERSION by one thread, no deadlock\n"
				  "    thread 1 holds a (move at /src/bank.c:1) and wants b (move at /src/bank.c:2)\n"),
			   "%s", text);
	free(text);
	rfs_report_release(&report);
}

static json_t *json_of(const struct rfs_report *report)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	json_t *root;

	rfs_report_write_json(report, out);
	fclose(out);
	root = json_loads(text, 0, NULL);
	free(text);
	cr_assert_not_null(root);
	return root;
}

Test(report_cycle, json_has_the_same)
{
	struct rfs_report report;
	json_t *root, *list;
	const char *lock, *function;
	int thread, line, created, yes;

	fill(&report);
	root = json_of(&report);
	list = json_object_get(root, "predicted_deadlocks");
	cr_assert_eq(json_array_size(list), 3);
	cr_assert_eq(json_unpack(json_array_get(list, 0), "{s:i s:[{s:i s:{s:s s:s s:i} s:o}]}", "created", &created,
				 "threads", "thread", &thread, "holds", "lock", &lock, "function", &function, "line",
				 &line, "wants", &(json_t *){NULL}),
		     0);
	cr_expect(created == 1 && thread == 1 && line == 1);
	cr_expect(strcmp(lock, "a") == 0 && strcmp(function, "move") == 0);
	cr_expect(json_is_null(
		json_object_get(json_array_get(json_object_get(json_array_get(list, 1), "threads"), 1), "holds")));
	cr_assert_eq(json_unpack(json_array_get(list, 2), "{s:b}", "one_thread", &yes), 0);
	cr_expect(yes);
	json_decref(root);
	rfs_report_release(&report);
}

/* Of each thread of a deadlock: where it acquired the lock that another one waits for. */
Test(report_cycle, both_stacks_of_a_thread_are_shown)
{
	struct rfs_report report;
	struct rfs_report_deadlock *deadlock;
	struct rfs_report_waiter *waiter;
	struct rfs_source_place *place;
	const char *lock;
	json_t *root;
	char *text;
	int line;

	rfs_report_init(&report);
	rfs_report_add_string(&report.program, "./bank");
	deadlock = rfs_report_add_deadlock(&report);
	deadlock->runs = 1;
	waiter = rfs_report_add_waiter(deadlock);
	waiter->thread = 1;
	waiter->waits_for = xstrdup("lock of b, held by thread 2");
	rfs_report_add_string(&waiter->holds, "a");
	place = rfs_source_stack_add(&rfs_report_add_acquisition(waiter, xstrdup("a"))->stack);
	place->module = xstrdup("/opt/bank");
	place->file = xstrdup("/src/bank.c");
	place->line = 7;
	rfs_report_finish(&report);
	text = text_of(&report, rfs_report_write_text);
	cr_expect_not_null(strstr(text, "      it acquired a at\n"), "%s", text);
	cr_expect_not_null(strstr(text, "/src/bank.c:7"), "%s", text);
	free(text);
	root = json_of(&report);
	cr_assert_eq(json_unpack(root, "{s:[{s:[{s:[{s:s s:[{s:i}]}]}]}]}", "deadlocks", "threads", "acquired", "lock",
				 &lock, "stack", "line", &line),
		     0);
	cr_expect_str_eq(lock, "a");
	cr_expect_eq(line, 7);
	json_decref(root);
	rfs_report_release(&report);
}

/* A report with a thread that waits for this signal at this offset of the program. */
static void lost_signal(struct rfs_report *report, const char *signal, uint64_t offset, bool by_name)
{
	struct rfs_report_deadlock *deadlock;
	struct rfs_report_waiter *waiter;
	struct rfs_source_place *place;

	rfs_report_init(report);
	deadlock = rfs_report_add_deadlock(report);
	waiter = rfs_report_add_waiter(deadlock);
	waiter->waits_for = xstrdup(signal);
	waiter->by_name = by_name;
	place = rfs_source_stack_add(&waiter->stack);
	place->module = xstrdup("/opt/app/prog");
	place->offset = offset;
	rfs_report_finish(report);
}

Test(report_cycle, a_lost_signal_has_one_id_whichever_thread_it_leaves)
{
	struct rfs_report reports[4];

	lost_signal(&reports[0], "a signal of ready", 0x10, true);
	lost_signal(&reports[1], "a signal of ready", 0x20, true);
	lost_signal(&reports[2], "a signal of done", 0x20, true);
	lost_signal(&reports[3], "a signal of 0x5000", 0x20, false);
	cr_expect_str_eq(reports[0].deadlocks[0].identity.id, reports[1].deadlocks[0].identity.id);
	cr_expect_str_eq(reports[0].deadlocks[0].identity.fingerprint, reports[1].deadlocks[0].identity.fingerprint);
	cr_expect_str_neq(reports[1].deadlocks[0].identity.id, reports[2].deadlocks[0].identity.id);
	cr_expect_str_neq(reports[1].deadlocks[0].identity.id, reports[3].deadlocks[0].identity.id);
	for (int i = 0; i < 4; i++)
		rfs_report_release(&reports[i]);
}

static void make_and_release(void)
{
	struct rfs_report report;

	fill(&report);
	rfs_report_add_string(&rfs_report_add_waiter(rfs_report_add_deadlock(&report))->holds, "a");
	rfs_report_release(&report);
}

/* A campaign may make thousands of findings. */
Test(report_cycle, is_freed)
{
	cr_expect_lt(heap_growth(make_and_release), 24);
}
