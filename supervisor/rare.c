/*
 * rare.c - instructions of which a single one matters, in whatever module it is.
 *
 * What the time stamp counter says is virtual time. A process can be made to trap at each rdtsc (prctl(2),
 * PR_SET_TSC), at the price of a control register that the kernel writes at every switch to it and away from it: under
 * a hypervisor that may cost as much as all else in a stop. Where the code of all modules is known, breakpoints at the
 * instructions do the same, and the trap is off. It is on from the moment that code may run which is in no module, or
 * not understood.
 *
 * wrgsbase takes the register that stubs need without asking the kernel.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "supervisor/code_cache.h"
#include "supervisor/run-priv.h"

void rfs_rare_add_module(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module)
{
	const struct rfs_code *code = rfs_rare_cache_get(module->elf);
	const struct rfs_code_site *sites;
	size_t n = code ? rfs_code_sites(code, &sites) : 0;

	if (!code)
		run->unknown_code = true;
	for (size_t i = 0; i < n; i++) {
		struct rfs_hook *hook;

		if (sites[i].kind == RFS_CODE_WRGSBASE) {
			rfs_stubs_give_up(run, thread, RFS_GS_IN_USE);
			continue;
		}
		hook = rfs_hook_at(run, thread->task, sites[i].vaddr + module->bias);
		if (hook)
			hook->rdtsc = true;
		else
			run->unknown_code = true;
	}
}

bool rfs_rare_maps(struct rfs_run *run, long number, const unsigned long *args)
{
	/* the loader's own, of files, are modules */
	if (run->unknown_code || !(args[2] & PROT_EXEC) || (number == SYS_mmap && !(args[3] & MAP_ANONYMOUS)))
		return false;
	run->unknown_code = true;
	return true;
}

void rfs_rare_proceed(struct rfs_run *run, struct rfs_thread *thread)
{
	/* where nothing can be changed now it is at the next stop */
	if (!thread->at_syscall)
		(void)rfs_task_trap_rdtsc(thread->task, run->unknown_code);
}
