/* patch_test.c - patched code records the same accesses whether it runs freely or is stepped. */
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <unistd.h>

#include "disasm/rewrite/code.h"
#include "disasm/rewrite/plan.h"
#include "tests/tracer/harness.h"
#include "tracer/memory.h"
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
static struct rfs_stop start_with(struct patched *p, enum rfs_stub_filter filter)
{
	const char *argv[] = {program("loop", "-pie", "-pie -fPIE"), "9", NULL};
	const struct rfs_plan_group *groups, *chosen[RECORDS * 16];
	struct rfs_plan_request request = {.end = ~(rfs_addr)0, .n_barriers = 2, .ledges = true, .filter = filter};
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
	if (filter)
		cr_assert(rfs_stub_buffer_filter_open(rfs_task_space(stop.task), filter));
	cr_assert_eq(rfs_patches_add(stop.task, chosen, n, modules[0]->bias, 0, done), 0);
	cr_assert(rfs_patches_count(rfs_task_space(stop.task)) > 0);
	run_break(&stop, p->from);
	run_break(&stop, p->to);
	return stop;
}

static struct rfs_stop start(struct patched *p)
{
	return start_with(p, RFS_FILTER_NONE);
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

/* Whether the program reads or writes its own code, and where a stopped thread is, depends on where patches are. */
Test(patches, each_byte_of_a_patch_is_in_it)
{
	const struct rfs_plan_group *groups;
	struct patched p = {0};
	const struct rfs_stop stop = start(&p);
	const struct rfs_space *space = rfs_task_space(stop.task);
	struct rfs_module *const *modules;
	size_t n = rfs_plan_groups(p.plan, &groups), found = 0;
	rfs_addr first, end;

	cr_assert(rfs_modules(space, &modules) > 0);
	for (size_t i = 0; i < n; i++) {
		const rfs_addr at = groups[i].vaddr + modules[0]->bias;

		if (!rfs_patch_at(space, at, &first, &end))
			continue;
		found++;
		cr_expect_eq(first, at);
		cr_assert_gt(end, first);
		for (rfs_addr byte = at; byte < end; byte++)
			cr_expect(rfs_patch_at(space, byte, &first, &end) && first == at);
	}
	cr_expect_eq(found, rfs_patches_count(space));
	cr_expect_not(rfs_patch_at(space, p.from, &first, &end));
	release(&p);
}

Test(patches, stepped_through)
{
	struct rfs_stub_record run[RECORDS], stepped[RECORDS];
	size_t n = round_of(RFS_RESUME_RUN, run);

	cr_expect_geq(n, 3);
	cr_assert_eq(round_of(RFS_RESUME_STEP, stepped), n);
	cr_expect_eq(memcmp(run, stepped, n * sizeof(*run)), 0);
}

/* The jump to the stub of l_narrow is in the padding behind it. Nothing of that is seen, wherever the task is stopped.
 */
Test(patches, ledge)
{
	static const uint8_t padding[] = {0x0f, 0x1f, 0x84, 0x00, 0x00, 0x01, 0x00, 0x00};
	const struct rfs_stub_record *records;
	struct patched p = {0};
	struct rfs_stop stop = start(&p);
	struct rfs_space *space = rfs_task_space(stop.task);
	const rfs_addr narrow = run_symbol(&p.run, NULL, "l_narrow"), gap = narrow + 6;
	uint8_t bytes[sizeof(padding)];
	rfs_addr first, end;
	struct user_regs_struct before;

	cr_assert(rfs_patch_at(space, gap + 3, &first, &end) && first == narrow && end == narrow + 2);
	for (rfs_addr from = 0; from < sizeof(padding); from++) {
		cr_assert_eq(rfs_space_read(space, gap + from, bytes, sizeof(padding) - from), 0);
		cr_expect_eq(memcmp(bytes, padding + from, sizeof(padding) - from), 0);
	}
	go_on(&p, &stop, p.from, RFS_RESUME_RUN);
	rfs_stub_buffer_take(stop.task, &records);
	before = *rfs_task_regs(stop.task);
	/* a signal arrives while the task is about to execute the second jump */
	rfs_task_regs_mut(stop.task)->rip = gap + 1;
	rfs_task_regs_mut(stop.task)->rdx = before.rsp;
	cr_assert_eq(syscall(SYS_tgkill, rfs_task_tid(stop.task), rfs_task_tid(stop.task), SIGUSR1), 0);
	cr_assert_eq(rfs_task_resume(stop.task, RFS_RESUME_RUN, 0), 0);
	stop = run_next(&p.run);
	cr_expect_eq(stop.kind, RFS_STOP_SIGNAL);
	cr_expect_eq(rfs_task_regs(stop.task)->rip, narrow);
	cr_expect_eq(rfs_stub_buffer_take(stop.task, &records), 0);
	/* control gets to the padding after all */
	rfs_task_regs_mut(stop.task)->rip = gap;
	cr_assert_eq(rfs_task_resume(stop.task, RFS_RESUME_RUN, 0), 0);
	stop = run_next(&p.run);
	cr_expect_eq(stop.kind, RFS_STOP_INSIDE);
	cr_expect_eq(stop.address, gap);
	/* the patch goes with its ledge, and the program goes on */
	*rfs_task_regs_mut(stop.task) = before;
	rfs_patches_remove(space, gap, gap + 1);
	cr_expect_not(rfs_patch_at(space, narrow, &first, &end));
	cr_expect_not(rfs_patch_at(space, gap, &first, &end));
	cr_assert_eq(rfs_space_read(space, gap, bytes, sizeof(padding)), 0);
	cr_expect_eq(memcmp(bytes, padding, sizeof(padding)), 0);
	go_on(&p, &stop, p.to, RFS_RESUME_RUN);
	release(&p);
}

/* What one round of the loop recorded and dropped. */
struct round {
	size_t n;
	uint64_t sum; /* of all addresses */
	struct rfs_stub_dropped dropped;
};

/* Executes the next round. off: without the filter; same: in the segment of the last round. */
static struct round next_round(struct patched *p, struct rfs_stop *stop, bool off, bool same)
{
	const struct rfs_stub_record *records;
	struct round round = {0};

	go_on(p, stop, p->from, RFS_RESUME_RUN);
	rfs_stub_buffer_take(stop->task, &records);
	(void)rfs_stub_buffer_dropped(stop->task);
	if (!off)
		rfs_stub_buffer_filter(stop->task, same);
	go_on(p, stop, p->to, RFS_RESUME_RUN);
	round.n = rfs_stub_buffer_take(stop->task, &records);
	round.dropped = rfs_stub_buffer_dropped(stop->task);
	round.sum = round.dropped.sum;
	for (size_t i = 0; i < round.n; i++)
		round.sum += records[i].address;
	cr_expect_eq(rfs_stub_buffer_dropped(stop->task).n, 0);
	return round;
}

Test(patches, filter_of_repeats)
{
	struct patched p = {0};
	struct rfs_stop stop = start_with(&p, RFS_FILTER_REPEATS);
	struct round all, first, again, fresh;

	if (!__builtin_cpu_supports("bmi2"))
		cr_skip("no BMI2");
	all = next_round(&p, &stop, true, false);
	cr_expect_geq(all.n, 3);
	cr_expect_eq(all.dropped.n, 0);
	first = next_round(&p, &stop, false, false);
	cr_expect_eq(first.n + first.dropped.n, all.n);
	again = next_round(&p, &stop, false, true);
	cr_expect_lt(again.n, first.n);
	cr_expect_gt(again.dropped.n, first.dropped.n);
	cr_expect(first.sum == all.sum && again.sum == all.sum);
	/* another segment, as after an event */
	fresh = next_round(&p, &stop, false, false);
	cr_expect_eq(fresh.n, first.n);
	/* without the filter nothing is dropped, and the keys that the table gets are never found */
	cr_expect_eq(next_round(&p, &stop, true, false).n, all.n);
	cr_expect_eq(next_round(&p, &stop, false, true).n, first.n);
	cr_expect_eq(next_round(&p, &stop, false, true).n, again.n);
	release(&p);
}

static void add_place(struct rfs_stop *stop, rfs_addr address, uint64_t size)
{
	rfs_stub_buffer_filter_place(rfs_task_space(stop->task), address, size);
}

Test(patches, filter_of_places)
{
	struct patched p = {0};
	struct rfs_stop stop = start_with(&p, RFS_FILTER_PLACES);
	struct round all, none, one, whole;
	const rfs_addr cell = run_symbol(&p.run, NULL, "cells") + 8;

	if (!__builtin_cpu_supports("bmi2"))
		cr_skip("no BMI2");
	all = next_round(&p, &stop, true, false);
	cr_expect_geq(all.n, 3);
	cr_expect_eq(all.dropped.n, 0);
	none = next_round(&p, &stop, false, false);
	cr_expect_lt(none.n, all.n);
	cr_expect_gt(none.dropped.n, 2);
	/* the same place in other heaps of glibc, and a place 1 MiB away, have other slots */
	add_place(&stop, cell + (1ul << 26), 1);
	add_place(&stop, cell - (1ul << 27), 1);
	add_place(&stop, cell + (1ul << 20), 1);
	cr_expect_eq(next_round(&p, &stop, false, false).n, none.n);
	add_place(&stop, cell, 1);
	one = next_round(&p, &stop, false, false);
	/* the neighbour before it may be recorded too, because an access there may reach into the place */
	cr_expect(one.n > none.n && one.n <= none.n + 2, "%zu, %zu", one.n, none.n);
	add_place(&stop, 0, 1ul << 40);
	whole = next_round(&p, &stop, false, false);
	cr_expect_eq(whole.n, all.n);
	cr_expect(none.sum == all.sum && one.sum == all.sum && whole.sum == all.sum);
	release(&p);
}

/* Launches the program with a stub at this label, which has a breakpoint. The filter says which counter it uses. */
static struct rfs_stop start_hot(struct patched *p, const char *label, enum rfs_stub_filter filter)
{
	const char *argv[] = {program("loop", "-pie", "-pie -fPIE"), "40", NULL};
	struct rfs_plan_request request = {.filter = filter};
	const struct rfs_plan_group *groups;
	struct rfs_module *const *modules;
	struct rfs_stop stop;

	run_start(&p->run, NULL, argv);
	stop = run_until(&p->run, RFS_STOP_EXEC);
	run_modules(&p->run, &stop);
	p->from = run_symbol(&p->run, NULL, label);
	cr_assert(rfs_modules(rfs_task_space(stop.task), &modules) > 0);
	request.start = p->from - modules[0]->bias;
	request.end = request.start + 100;
	cr_assert_eq(rfs_decoder_new(&p->decoder), 0);
	cr_assert_eq(rfs_code_scan(modules[0]->elf, p->decoder, NULL, &p->code), 0);
	cr_assert_eq(rfs_plan_make(modules[0]->elf, p->decoder, p->code, &request, &p->plan), 0);
	cr_assert_eq(rfs_plan_groups(p->plan, &groups), 1);
	cr_assert_eq(groups->vaddr, request.start);
	cr_assert_eq(rfs_stub_buffer_open(stop.task), 0);
	cr_assert(rfs_stub_buffer_can_pass(rfs_task_space(stop.task)));
	run_break(&stop, p->from);
	cr_assert_eq(rfs_patch_add_hot(stop.task, groups, modules[0]->bias), 0);
	return stop;
}

/* Runs to the next stop at the statement. Returns how many rounds of the loop have ended before it. */
static uint64_t rounds(struct patched *p, struct rfs_stop *stop)
{
	const rfs_addr counter = run_symbol(&p->run, NULL, "cells") + 16;
	const struct rfs_stub_record *records;
	uint64_t n;

	go_on(p, stop, p->from, RFS_RESUME_RUN);
	cr_expect_eq(rfs_stub_buffer_take(stop->task, &records), 0);
	cr_assert_eq(rfs_space_read(rfs_task_space(stop->task), counter, &n, sizeof(n)), 0);
	return n;
}

Test(patches, executions_of_a_hot_statement_pass)
{
	struct patched p = {0};
	struct rfs_stop stop;
	struct rfs_place_range place;

	if (!__builtin_cpu_supports("bmi2"))
		cr_skip("no BMI2");
	stop = start_hot(&p, "l_store", RFS_STUB_PASS + 1);
	place = (struct rfs_place_range){run_symbol(&p.run, NULL, "cells") + 8, 1};
	cr_expect_eq(rounds(&p, &stop), 0);
	/* each execution stops, unless the task was told otherwise since its last stop */
	cr_expect_eq(rounds(&p, &stop), 1);
	cr_expect(rfs_stub_buffer_pass(stop.task, 1, 3, false));
	cr_expect_eq(rounds(&p, &stop), 5);
	cr_expect_eq(rfs_stub_buffer_passes(stop.task, 1), 0);
	cr_expect_eq(rounds(&p, &stop), 6);
	/* another counter */
	cr_expect(rfs_stub_buffer_pass(stop.task, 0, 3, false));
	cr_expect_eq(rounds(&p, &stop), 7);
	/* the place stops it only if the task heeds the places */
	rfs_stub_buffer_places(rfs_task_space(stop.task), &place, 1);
	cr_expect(rfs_stub_buffer_pass(stop.task, 1, 3, true));
	cr_expect_eq(rounds(&p, &stop), 8);
	cr_expect_eq(rfs_stub_buffer_passes(stop.task, 1), 3);
	cr_expect(rfs_stub_buffer_pass(stop.task, 1, 3, false));
	cr_expect_eq(rounds(&p, &stop), 12);
	place.address += 8 * RFS_STUB_PASSES;
	rfs_stub_buffer_places(rfs_task_space(stop.task), &place, 1);
	cr_expect(rfs_stub_buffer_pass(stop.task, 1, 3, true));
	cr_expect_eq(rounds(&p, &stop), 16);
	release(&p);
}

/* A call, which the stub replaces by a push and a jump, and an instruction that accesses no memory. */
Test(patches, hits_of_any_instruction_are_counted)
{
	static const char *const labels[] = {"l_call", "l_lea"};
	const struct rfs_stub_record *records;

	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
		struct patched p = {0};
		struct rfs_stop stop = start_hot(&p, labels[i], RFS_STUB_COUNT + 1);

		cr_expect_eq(rounds(&p, &stop), 0);
		cr_expect_eq(rounds(&p, &stop), 1);
		cr_expect(rfs_stub_buffer_pass(stop.task, RFS_STUB_HOT + 1, 7, false));
		cr_expect_eq(rounds(&p, &stop), 9);
		cr_expect_eq(rfs_stub_buffer_passes(stop.task, RFS_STUB_HOT + 1), 0);
		/* a stop elsewhere takes what is left */
		cr_expect(rfs_stub_buffer_pass(stop.task, RFS_STUB_HOT + 1, 1000, false));
		run_break(&stop, run_symbol(&p.run, NULL, "l_ret"));
		go_on(&p, &stop, run_symbol(&p.run, NULL, "l_ret"), RFS_RESUME_RUN);
		cr_expect_eq(rfs_stub_buffer_take(stop.task, &records), 0);
		cr_expect_eq(rfs_stub_buffer_passes(stop.task, RFS_STUB_HOT + 1), 1000);
		release(&p);
	}
}
