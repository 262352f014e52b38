/* faults_test.c - which operations of a run may have a fault: the first uses of each place, for each kind of fault. */
#include "supervisor/state/operations/faults.h"

#include <criterion/criterion.h>

#include "policy/policy.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"

TestSuite(faults, .timeout = 20);

#define START 0x10000u
#define END 0x20000u

/* A run of a program whose calls may fail. It has no target. */
struct faulty {
	struct rfs_policy_ops policy;
	struct rfs_run_spec spec;
	struct rfs_run_result result;
	struct rfs_module_info module, *modules[1];
	struct rfs_thread thread;
	struct rfs_run run;
};

static void open_faulty(struct faulty *f, unsigned faults)
{
	*f = (struct faulty){.policy.name = "test",
			     .spec.seed = 1,
			     .module = {.path = (char *)"/bin/program", .start = START, .end = END, .watched = true}};
	f->spec.policy = &f->policy;
	f->spec.faults = faults;
	f->modules[0] = &f->module;
	f->run = (struct rfs_run){.spec = &f->spec, .result = &f->result, .main_reached = true};
	f->run.modules = f->modules;
	f->run.n_modules = 1;
}

static void close_faulty(struct faulty *f)
{
	rfs_faults_release(&f->run);
}

/* How many of n calls that return to `back` may have the fault. */
static unsigned offers(struct faulty *f, enum rfs_fault fault, rfs_addr back, unsigned n)
{
	unsigned offered = 0;

	for (unsigned i = 0; i < n; i++)
		offered += rfs_fault_offer(&f->run, &f->thread, fault, back) != 0;
	return offered;
}

/* A loop does not use up the faults of other places, nor those of another kind at the same place. */
Test(faults, each_place_and_kind_counts_its_own_uses)
{
	const enum rfs_fault kinds[] = {RFS_FAULT_MALLOC, RFS_FAULT_MMAP};
	struct faulty f;
	unsigned most = 0;

	open_faulty(&f, 1u << RFS_FAULT_MALLOC | 1u << RFS_FAULT_MMAP);
	for (unsigned place = 0; place < 3; place++)
		for (unsigned kind = 0; kind < 2; kind++) {
			const unsigned n = offers(&f, kinds[kind], START + 0x10 + place * 0x20, 100);

			most = most ? most : n;
			cr_expect_gt(n, 0);
			cr_expect_lt(n, 100, "uses without end");
			cr_expect_eq(n, most, "place %u, kind %u", place, kind);
		}
	cr_expect_eq(f.result.counts.fault_points, 6);
	cr_expect_eq(offers(&f, RFS_FAULT_MALLOC, START + 0x10, 1), 0);
	cr_expect_eq(f.result.counts.fault_points, 6, "no new place");
	close_faulty(&f);
}

/* Only what the user asked for fails, in watched code, after main has begun. */
Test(faults, only_what_was_asked_for)
{
	struct faulty f;

	open_faulty(&f, 1u << RFS_FAULT_MALLOC);
	cr_expect_eq(offers(&f, RFS_FAULT_MMAP, START, 1), 0);
	cr_expect_eq(offers(&f, RFS_FAULT_MALLOC, END, 1), 0, "no module is there");
	f.module.watched = false;
	cr_expect_eq(offers(&f, RFS_FAULT_MALLOC, START, 1), 0);
	f.module.watched = true;
	f.run.main_reached = false;
	cr_expect_eq(offers(&f, RFS_FAULT_MALLOC, START, 1), 0);
	f.run.main_reached = true;
	cr_expect_eq(offers(&f, RFS_FAULT_MALLOC, START, 1), 1);
	close_faulty(&f);
}
