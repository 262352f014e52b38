/*
 * tsc_insns.c - finds rdtsc, cpuid and wrgsbase in all modules, watched or not.
 *
 * A target that executes rdtsc must see virtual time. The kernel can make every rdtsc of a process trap (prctl(2),
 * PR_SET_TSC). The trap has a price: at each switch to or from the process, the kernel writes a control register.
 * Under a hypervisor this may double the cost of a stop. If the code of all modules is known when main begins,
 * breakpoints at the rdtsc instructions replace the trap.
 *
 * The same holds for cpuid, which some processors can make trap (arch_prctl(2), ARCH_SET_CPUID). Its bytes may also
 * occur at places where the instructions are unknown. Then only cpuid continues to trap.
 *
 * A child process has no breakpoints, and another program has other code: both trap again from their first stop on. If
 * unknown code appears later in the target (code in no module, or code that cannot be decoded), the run ends and is
 * made again from the start with the trap.
 *
 * wrgsbase writes gs without a system call, so rfsup cannot intercept the write. Stubs need gs. If a module contains
 * the instruction, the run uses breakpoints instead of stubs.
 */
#include "supervisor/access/tsc_insns.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "disasm/addr.h"
#include "disasm/rewrite/code.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/access/code_cache.h"
#include "supervisor/access/stubs.h"
#include "supervisor/base/address_set.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "tracer/memory.h"
#include "tracer/module.h"
#include "tracer/tracer.h"

#define PAGE 4096ull
/* The pages of a larger range, 256 MiB, are not told apart: the call may fail, and then the range may be of any size.
 */
#define PAGES_MOST 65536

/* A module has bytes of cpuid at places where its instructions are unknown. */
static void hidden_cpuid_appears(struct rfs_run *run)
{
	run->tsc.hides_cpuid = true;
	if (run->tsc.reads_cpuid)
		rfs_unknown_code_appears(run);
}

void rfs_tsc_insns_add_module(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module)
{
	const struct rfs_code *code = rfs_tsc_insns_cache_get(module->elf);
	const struct rfs_code_site *sites;
	size_t n = code ? rfs_code_sites(code, &sites) : 0;

	if (!code)
		rfs_unknown_code_appears(run);
	for (size_t i = 0; i < n; i++) {
		struct rfs_hook *hook;

		if (sites[i].kind == RFS_CODE_WRGSBASE) {
			rfs_stubs_give_up(run, thread, RFS_GS_IN_USE);
			continue;
		}
		if (!sites[i].length) {
			hidden_cpuid_appears(run);
			continue;
		}
		hook = rfs_hook_at(run, thread->task, sites[i].vaddr + module->bias);
		if (!hook)
			rfs_unknown_code_appears(run);
		else if (sites[i].kind == RFS_CODE_CPUID)
			hook->cpuid = sites[i].length;
		else
			hook->rdtsc = sites[i].length;
	}
}

void rfs_unknown_code_appears(struct rfs_run *run)
{
	run->tsc.unknown_code = true;
	if (!run->tsc.reads_tsc || run->ended)
		return;
	run->result->restart = RFS_RESTART_TRAP_RDTSC;
	rfs_run_end(run, RFS_END_RESTART, 0);
}

void rfs_tsc_insns_trap(struct rfs_run *run, struct rfs_task *task)
{
	/* if the task is gone, it executes nothing more */
	if (run->tsc.reads_tsc)
		(void)!rfs_task_trap_rdtsc(task, true);
	if (run->tsc.reads_cpuid)
		(void)!rfs_task_trap_cpuid(task, true);
}

/* How many bytes of the pages in [address, address + size) become code now and were not code before. */
static uint64_t becomes_code(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, uint64_t size)
{
	const rfs_addr start = address & ~(PAGE - 1), n = (address - start + size + PAGE - 1) / PAGE;
	struct rfs_mapping mapping = {.end = 0};
	uint64_t bytes = 0;

	if (!address || n > PAGES_MOST)
		return size;
	for (rfs_addr page = start; page < start + n * PAGE; page += PAGE) {
		if (rfs_address_set_has(run->code_pages, page))
			continue;
		if (page >= mapping.end && !rfs_space_mapping(rfs_task_space(thread->task), page, &mapping))
			mapping = (struct rfs_mapping){.end = page + PAGE};
		rfs_address_set_add(&run->code_pages, page);
		bytes += mapping.exec ? 0 : PAGE;
	}
	return bytes;
}

void rfs_unknown_code_mapped(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, uint64_t size,
			     uint64_t protection)
{
	const struct rfs_module_info *caller = rfs_info_at(run, rfs_task_regs(thread->task)->rip);

	/* the loader maps only modules, and rfs_tsc_insns_add_module() searches these */
	if (!(protection & PROT_EXEC) || (caller && caller->interpreter))
		return;
	if (!rfs_info_at(run, address))
		run->tsc.unwatched += becomes_code(run, thread, address, size);
	rfs_unknown_code_appears(run);
}

void rfs_tsc_insns_at_main(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct rfs_run_spec *spec = run->spec;

	if (!spec->lessons.traps_rdtsc && !run->tsc.unknown_code && run->n_threads == 1 && !run->n_children &&
	    !spec->gdb)
		run->tsc.reads_tsc = rfs_task_trap_rdtsc(thread->task, false) == 0;
	if (run->tsc.reads_tsc && !run->tsc.hides_cpuid)
		run->tsc.reads_cpuid = rfs_task_trap_cpuid(thread->task, false) == 0;
}
