/* guard_heap_test.c - which faults are blamed on a block of the guard heap, on the fake tracer. */
#include "supervisor/state/findings/guard_heap.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

#include "disasm/elf/elf.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "tests/supervisor/fake_tracer/fake_tracer.h"

TestSuite(guard_heap, .timeout = 20);

#define PAGE UINT64_C(4096)
#define REGION UINT64_C(0x40000000)
#define INFO (FAKE_MEMORY + 0x100)
#define PLACES (FAKE_MEMORY + 0x1000)

/* A block of the guard heap, as guard.c describes it: with its size plus one. */
struct place {
	uint64_t allocated, freed, size;
};

static void put_place(size_t page, struct place place)
{
	fake_put(PLACES + page * sizeof(place), &place, sizeof(place));
}

Test(guard_heap, a_fault_behind_a_block_or_in_a_freed_one)
{
	enum { LIVE = 3, FREED = 6, FAULT = SEGV_ACCERR };
	static const struct {
		rfs_addr address;
		int signo, code;
		bool elsewhere; /* the program runs without the guard heap */
		bool found, freed;
		uint64_t size;
	} cases[] = {
		{REGION + (LIVE + 1) * PAGE + 8, SIGSEGV, FAULT, false, true, false, 16},
		{REGION + LIVE * PAGE + 8, SIGSEGV, FAULT, false, false, false, 0}, /* the program closed the page */
		{REGION + FREED * PAGE + 8, SIGSEGV, FAULT, false, true, true, 5000},
		{REGION + (FREED + 1) * PAGE, SIGSEGV, FAULT, false, true, true, 5000},
		{REGION + (FREED + 2) * PAGE, SIGSEGV, FAULT, false, true, false, 5000},
		{REGION + FREED * PAGE + 8, SIGBUS, FAULT, false, false, false, 0},
		{REGION + FREED * PAGE + 8, SIGSEGV, SI_USER, false, false, false, 0},
		{REGION - 8, SIGSEGV, FAULT, false, false, false, 0},
		{REGION + LIVE, SIGSEGV, FAULT, false, false, false, 0}, /* before the first block */
		{REGION + FREED * PAGE + 8, SIGSEGV, FAULT, false, true, true, 5000},
		{REGION + FREED * PAGE + 8, SIGSEGV, FAULT, true, false, false, 0},
	};
	static const struct fake_step script[] = {{0}};
	static const struct fake_step *const scripts[] = {script};
	const struct rfs_run_spec spec = {.cancel_fd = -1};
	const uint64_t info[2] = {REGION, PLACES};
	struct rfs_run_result result = {0};
	struct rfs_module_info guard = {0}, *modules[] = {&guard};
	struct rfs_thread thread = {0}, *threads[] = {&thread};
	struct rfs_run run = {.spec = &spec, .result = &result, .modules = modules, .n_modules = 1};
	struct rfs_elf *elf;
	char why[256];
	rfs_addr vaddr;

	fake_program(scripts);
	thread.task = fake_thread(0);
	run.tracer = fake_tracer();
	run.threads = threads;
	run.n_threads = 1;
	rfs_target_memory_open(&run);
	cr_assert_eq(rfs_elf_open(RFS_BUILD "/generated/rfsup-guard.so", &elf, why, sizeof(why)), 0, "%s", why);
	cr_assert(rfs_elf_symbol(elf, "rfs_guard_info", &vaddr, NULL));
	guard.elf = elf;
	guard.bias = INFO - vaddr;
	fake_put(INFO, info, sizeof(info));
	put_place(LIVE, (struct place){.size = 16 + 1});
	put_place(FREED, (struct place){.freed = 1, .size = 5000 + 1});
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		siginfo_t signal = {.si_signo = cases[i].signo, .si_code = cases[i].code};

		signal.si_addr = (void *)cases[i].address;
		guard.path = cases[i].elsewhere ? (char *)"/usr/lib/other.so" : (char *)"/usr/lib/rfsup-guard.so";
		rfs_guard_heap_fault(&run, &signal);
		cr_expect_eq(result.bad_block.found, cases[i].found, "case %zu", i);
		cr_expect_eq(result.bad_block.freed, cases[i].freed, "case %zu", i);
		cr_expect_eq(result.bad_block.size, cases[i].size, "case %zu", i);
	}
	rfs_bad_block_release(&result.bad_block);
	rfs_target_memory_close(&run);
	rfs_elf_free(elf);
}
