/* sample.c - a report with invented contents that has every key. */
#include "tests/supervisor/sample.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/report/data/report.h"
#include "supervisor/symbols/source_place.h"

static void place(struct rfs_source_place *out, const char *module, uint64_t offset, const char *file, unsigned line,
		  const char *function)
{
	out->module = xstrdup(module);
	out->offset = offset;
	out->file = file ? xstrdup(file) : NULL;
	out->line = line;
	out->function = function ? xstrdup(function) : NULL;
}

static void statement(struct rfs_report_statement *out, uint64_t offset, const char *file, unsigned line,
		      const char *function, unsigned access, int thread)
{
	place(&out->place, "/opt/app/figure1", offset, file, line, function);
	out->access = access;
	out->seen = true;
	out->address = 0x555555558044;
	out->size = 4;
	out->thread = thread;
	place(rfs_source_stack_add(&out->stack), "/opt/app/figure1", offset, file, line, function);
	place(rfs_source_stack_add(&out->stack), "/lib/libc.so.6", 0x89134, NULL, 0, "start_thread");
}

static void harmful(struct rfs_report *report, const char *source)
{
	struct rfs_report_pair *pair = rfs_report_add_pair(report);

	statement(&pair->statement[0], 0x1240, source, 2, "second", RFS_ACCESS_READ, 2);
	statement(&pair->statement[1], 0x11a4, source, 1, "first", RFS_ACCESS_WRITE, 1);
	rfs_report_add_string(&pair->statement[0].locks, "L (exclusive)");
	pair->statement[0].place.column = 7;
	pair->verdict = RFS_VERDICT_HARMFUL;
	pair->variable = xstrdup("z");
	pair->planned = pair->runs = 100;
	pair->reached[0] = 99;
	pair->reached[1] = 100;
	pair->confirmed = 98;
	pair->failures = 51;
	pair->failed = pair->attributed = true;
	pair->kind = RFS_FAILURE_SIGNAL;
	pair->detail = xstrdup("SIGABRT in second");
	pair->orders = (struct rfs_report_orders){
		.tests = 1, .race = 3, .runs = {20, 19}, .failed = {18, 1}, .p = 0.25, .corrected = 0.5};
	pair->has_seed = true;
	pair->seed = 3;
	pair->record = xstrdup("rfsup.out.1/a record");
	pair->shown.output = xstrdup("assertion\nfailed");
	place(rfs_source_stack_add(&pair->shown.stack), "/lib/libc.so.6", 0x1000, NULL, 0, "raise");
	place(rfs_source_stack_add(&pair->shown.stack), "/opt/app/figure1", 0x1250, source, 2, "second");
}

void sample_report(struct rfs_report *report, const char *source)
{
	struct rfs_report_pair *pair;
	struct rfs_report_deadlock *deadlock;
	struct rfs_report_waiter *waiter;
	struct rfs_report_failure *failure;
	struct rfs_report_module *module;
	struct rfs_report_phase *phase;
	struct rfs_report_order *order;
	struct rfs_report_sampling *sampling;

	rfs_report_init(report);
	rfs_report_add_string(&report->program, "./figure1");
	rfs_report_add_string(&report->program, "two words");
	report->seed = 1;
	report->has_plain = true;
	report->plain_runs = 10;
	module = rfs_report_add_module(report);
	module->name = xstrdup("/opt/app/figure1");
	module->build_id = xstrdup("0123abcd");
	phase = rfs_report_add_phase(report);
	phase->name = xstrdup("predict");
	phase->planned = phase->runs = 3;
	phase = rfs_report_add_phase(report);
	phase->name = xstrdup("explore");
	phase->planned = 200;
	phase->runs = 120;
	phase->timeouts = 1;
	report->has_predict = true;
	report->predict_runs = 3;
	report->predict_pairs = 2;
	report->predict_seconds = 0.25;

	/* a pair without debug information that was never reached, so most keys do not apply */
	pair = rfs_report_add_pair(report);
	place(&pair->statement[0].place, "/opt/app/figure1", 0x1300, NULL, 0, NULL);
	place(&pair->statement[1].place, "/opt/app/figure1", 0x1300, NULL, 0, NULL);
	pair->planned = 100;
	pair->runs = 40;
	pair->timeouts = 2;
	harmful(report, source);

	deadlock = rfs_report_add_deadlock(report);
	deadlock->runs = 7;
	deadlock->run.replayed = RFS_REPLAY_SAME;
	deadlock->run.seed = 12;
	deadlock->run.record = xstrdup("rfsup.out.1/deadlock-1");
	for (int i = 2; i > 0; i--) {
		waiter = rfs_report_add_waiter(deadlock);
		waiter->thread = i;
		waiter->waits_for = xasprintf("lock %c, held by thread %d", 'A' + i - 1, 3 - i);
		rfs_report_add_string(&waiter->holds, i == 1 ? "B" : "A");
		place(rfs_source_stack_add(&waiter->stack), "/opt/app/figure1", 0x1500 + (uint64_t)i, source, 3,
		      "lock_both");
	}
	failure = rfs_report_add_failure(report);
	failure->kind = RFS_FAILURE_EXIT;
	failure->detail = xstrdup("exit status 3");
	failure->run.phase = xstrdup("explore");
	failure->run.policy = xstrdup("random");
	failure->runs = 4;
	failure->run.replayed = RFS_REPLAY_SAME;
	failure->run.seed = 17;
	failure->run.record = xstrdup("rfsup.out.1/failure-1");

	phase = rfs_report_add_phase(report);
	phase->name = xstrdup("sample");
	phase->planned = phase->runs = 5;
	sampling = rfs_report_add_sampling(report);
	sampling->policy = xstrdup("random");
	sampling->points = xstrdup("sync");
	sampling->runs = 5;
	sampling->failures = 2;
	sampling->first_failure = 3;
	sampling->has_orders = true;
	sampling->distinct_orders = 1;
	sampling->entropy = 0.5;
	sampling->new_probability = 0.25;
	sampling->unseen_orders = 7;
	rfs_report_add_counter(sampling, "thrashings", 3);
	order = rfs_report_add_order(sampling);
	order->hash = xstrdup("00ff");
	order->count = 5;
	rfs_report_add_stat(report, "stops", 12345);
	rfs_report_add_stat(report, "seconds", 1.5);
}
