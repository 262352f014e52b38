/* patch_test.c - patched code records the same accesses whether it runs freely or is stepped. */
#include <string.h>

#include "disasm/rewrite/code.h"
#include "disasm/rewrite/plan.h"
#include "tests/tracer/harness.h"
#include "tracer/patch.h"
#include "tracer/stub_buffer.h"

TestSuite(patches, .timeout = 60);

#define RECORDS 64

struct patched {
	struct run run;
	struct rfs_decoder *decoder;
	struct rfs_code *code;
	struct rfs_plan *plan;
	rfs_addr from, to;
};

/* Launches the program and patches all of it except the instructions at l_nop and l_end, which get breakpoints. */
static struct rfs_stop start(struct patched *p)
{
	const char *argv[] = {program("loop", "-pie", "-pie -fPIE"), "1", NULL};
	const struct rfs_plan_group *groups, *chosen[RECORDS * 16];
	struct rfs_plan_request request = {.end = ~(rfs_addr)0, .n_barriers = 2};
	bool done[RECORDS * 16];
	struct rfs_module *const *modules;
	rfs_addr barriers[2];
	struct rfs_stop stop;
	size_t n;

	run_start(&p->run, NULL, argv);
	stop = run_until(&p->run, RFS_STOP_EXEC);
	run_modules(&p->run, &stop);
	p->from = run_symbol(&p->run, NULL, "l_nop");
	p->to = run_symbol(&p->run, NULL, "l_end");
	cr_assert(rfs_modules(rfs_task_space(stop.task), &modules) > 0);
	barriers[0] = (p->from < p->to ? p->from : p->to) - modules[0]->bias;
	barriers[1] = (p->from < p->to ? p->to : p->from) - modules[0]->bias;
	request.barriers = barriers;
	cr_assert_eq(rfs_decoder_new(&p->decoder), 0);
	cr_assert_eq(rfs_code_scan(modules[0]->elf, p->decoder, NULL, &p->code), 0);
	cr_assert_eq(rfs_plan_make(modules[0]->elf, p->decoder, p->code, &request, &p->plan), 0);
	n = rfs_plan_groups(p->plan, &groups);
	cr_assert(n > 0 && n < sizeof(done));
	for (size_t i = 0; i < n; i++)
		chosen[i] = &groups[i];
	cr_assert_eq(rfs_stub_buffer_open(stop.task), 0);
	cr_assert_eq(rfs_patches_add(stop.task, chosen, n, modules[0]->bias, 0, done), 0);
	cr_assert(rfs_patches_count(rfs_task_space(stop.task)) > 0);
	run_break(&stop, p->from);
	run_break(&stop, p->to);
	return stop;
}

static void release(struct patched *p)
{
	run_end(&p->run);
	rfs_plan_free(p->plan);
	rfs_code_free(p->code);
	rfs_decoder_free(p->decoder);
}

/* Resumes the task in the way `how` until it is at the address `to`, which has a breakpoint. */
static void go_on(struct patched *p, struct rfs_stop *stop, rfs_addr to, enum rfs_resume how)
{
	do {
		cr_assert_eq(rfs_task_resume(stop->task, how, 0), 0);
		*stop = run_next(&p->run);
		if (stop->kind == RFS_STOP_BREAKPOINT && run_modules(&p->run, stop))
			*stop = run_next(&p->run);
	} while (rfs_task_regs(stop->task)->rip != to);
}

/* Puts the records of one round of the loop into `out`. Returns how many there are. */
static size_t round_of(enum rfs_resume how, struct rfs_stub_record *out)
{
	const struct rfs_stub_record *records;
	struct patched p = {0};
	struct rfs_stop stop = start(&p);
	size_t n;

	go_on(&p, &stop, p.from, RFS_RESUME_RUN);
	rfs_stub_buffer_take(stop.task, &records);
	go_on(&p, &stop, p.to, how);
	n = rfs_stub_buffer_take(stop.task, &records);
	cr_assert_lt(n, RECORDS);
	memcpy(out, records, n * sizeof(*out));
	release(&p);
	return n;
}

Test(patches, stepped_through)
{
	struct rfs_stub_record run[RECORDS], stepped[RECORDS];
	size_t n = round_of(RFS_RESUME_RUN, run);

	cr_expect_geq(n, 3);
	cr_assert_eq(round_of(RFS_RESUME_STEP, stepped), n);
	cr_expect_eq(memcmp(run, stepped, n * sizeof(*run)), 0);
}
