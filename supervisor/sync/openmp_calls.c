/*
 * openmp_calls.c - the OpenMP layer: breakpoints at the functions of libgomp, GCC's OpenMP library.
 *
 * libgomp waits with futexes and spins before that. It is executed as it is, and the futex layer schedules its waits as
 * internal ones. The handlers tell the detector what each construct orders (model/openmp.c), keep locks, and park
 * threads at places where the program could observe another order.
 *
 * Spinning: libgomp looks at a word up to 300,000 times before it sleeps. Only one thread runs at a time, so the word
 * cannot change meanwhile. libgomp reads GOMP_SPINCOUNT when it starts, and gets 0. Some waits spin without a
 * count; their `pause` is a yield.
 */
#include "supervisor/sync/openmp_calls.h"

#include <string.h>

#include "disasm/addr.h"
#include "disasm/elf/elf.h"
#include "disasm/rewrite/code.h"
#include "policy/policy.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/access/code_cache.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/park.h"
#include "supervisor/sync/openmp_lock.h"
#include "supervisor/sync/openmp_task.h"
#include "supervisor/sync/openmp_team.h"
#include "tracer/module.h"
#include "tracer/tracer.h"

#define OPENMP (RFS_CALL_INTERNAL | RFS_CALL_OPENMP)

static const struct rfs_call calls[] = {
	{"GOMP_barrier", rfs_enter_omp_barrier, 0, OPENMP},
	{"GOMP_barrier_cancel", rfs_enter_omp_barrier, 0, OPENMP},
	{"GOMP_doacross_post", rfs_enter_omp_doacross, 1, OPENMP},
	{"GOMP_doacross_ull_post", rfs_enter_omp_doacross, 1, OPENMP},
	{"GOMP_doacross_ull_wait", rfs_enter_omp_doacross, 2, OPENMP},
	{"GOMP_doacross_wait", rfs_enter_omp_doacross, 2, OPENMP},
	{"GOMP_loop_doacross_dynamic_start", rfs_enter_omp_doacross, 0, OPENMP},
	{"GOMP_loop_doacross_guided_start", rfs_enter_omp_doacross, 0, OPENMP},
	{"GOMP_loop_doacross_runtime_start", rfs_enter_omp_doacross, 0, OPENMP},
	{"GOMP_loop_doacross_start", rfs_enter_omp_doacross, 0, OPENMP},
	{"GOMP_loop_doacross_static_start", rfs_enter_omp_doacross, 0, OPENMP},
	{"GOMP_loop_dynamic_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_dynamic_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_end", rfs_enter_omp_barrier, 0, OPENMP},
	{"GOMP_loop_end_cancel", rfs_enter_omp_barrier, 0, OPENMP},
	{"GOMP_loop_guided_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_guided_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_maybe_nonmonotonic_runtime_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_maybe_nonmonotonic_runtime_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_nonmonotonic_dynamic_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_nonmonotonic_dynamic_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_nonmonotonic_guided_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_nonmonotonic_guided_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_nonmonotonic_runtime_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_nonmonotonic_runtime_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_ordered_dynamic_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_ordered_dynamic_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_ordered_guided_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_ordered_guided_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_ordered_runtime_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_ordered_runtime_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_ordered_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_ordered_static_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_ordered_static_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_runtime_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_runtime_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_static_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_static_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_ull_doacross_dynamic_start", rfs_enter_omp_doacross, 0, OPENMP},
	{"GOMP_loop_ull_doacross_guided_start", rfs_enter_omp_doacross, 0, OPENMP},
	{"GOMP_loop_ull_doacross_runtime_start", rfs_enter_omp_doacross, 0, OPENMP},
	{"GOMP_loop_ull_doacross_start", rfs_enter_omp_doacross, 0, OPENMP},
	{"GOMP_loop_ull_doacross_static_start", rfs_enter_omp_doacross, 0, OPENMP},
	{"GOMP_loop_ull_dynamic_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_ull_dynamic_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_ull_guided_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_ull_guided_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_ull_maybe_nonmonotonic_runtime_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_ull_maybe_nonmonotonic_runtime_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_ull_nonmonotonic_dynamic_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_ull_nonmonotonic_dynamic_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_ull_nonmonotonic_guided_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_ull_nonmonotonic_guided_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_ull_nonmonotonic_runtime_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_ull_nonmonotonic_runtime_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_ull_ordered_dynamic_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_ull_ordered_dynamic_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_ull_ordered_guided_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_ull_ordered_guided_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_ull_ordered_runtime_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_ull_ordered_runtime_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_ull_ordered_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_ull_ordered_static_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_ull_ordered_static_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_ull_runtime_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_ull_runtime_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_ull_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_loop_ull_static_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_loop_ull_static_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_ordered_end", rfs_enter_omp_ordered, 1, OPENMP},
	{"GOMP_ordered_start", rfs_enter_omp_ordered, 0, OPENMP},
	{"GOMP_parallel", rfs_enter_omp_parallel, 0, OPENMP},
	{"GOMP_parallel_end", rfs_enter_omp_parallel_end, 0, OPENMP},
	{"GOMP_parallel_loop_dynamic", rfs_enter_omp_parallel, 0, OPENMP},
	{"GOMP_parallel_loop_dynamic_start", rfs_enter_omp_parallel, 1, OPENMP},
	{"GOMP_parallel_loop_guided", rfs_enter_omp_parallel, 0, OPENMP},
	{"GOMP_parallel_loop_guided_start", rfs_enter_omp_parallel, 1, OPENMP},
	{"GOMP_parallel_loop_maybe_nonmonotonic_runtime", rfs_enter_omp_parallel, 0, OPENMP},
	{"GOMP_parallel_loop_nonmonotonic_dynamic", rfs_enter_omp_parallel, 0, OPENMP},
	{"GOMP_parallel_loop_nonmonotonic_guided", rfs_enter_omp_parallel, 0, OPENMP},
	{"GOMP_parallel_loop_nonmonotonic_runtime", rfs_enter_omp_parallel, 0, OPENMP},
	{"GOMP_parallel_loop_runtime", rfs_enter_omp_parallel, 0, OPENMP},
	{"GOMP_parallel_loop_runtime_start", rfs_enter_omp_parallel, 1, OPENMP},
	{"GOMP_parallel_loop_static", rfs_enter_omp_parallel, 0, OPENMP},
	{"GOMP_parallel_loop_static_start", rfs_enter_omp_parallel, 1, OPENMP},
	{"GOMP_parallel_reductions", rfs_enter_omp_parallel, 0, OPENMP},
	{"GOMP_parallel_sections", rfs_enter_omp_parallel, 0, OPENMP},
	{"GOMP_parallel_sections_start", rfs_enter_omp_parallel, 1, OPENMP},
	{"GOMP_parallel_start", rfs_enter_omp_parallel, 1, OPENMP},
	{"GOMP_scope_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_sections2_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_sections_end", rfs_enter_omp_barrier, 0, OPENMP},
	{"GOMP_sections_end_cancel", rfs_enter_omp_barrier, 0, OPENMP},
	{"GOMP_sections_next", rfs_enter_omp_share, 1, OPENMP},
	{"GOMP_sections_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_single_copy_end", rfs_enter_omp_barrier, 0, OPENMP},
	{"GOMP_single_copy_start", rfs_enter_omp_copy, 0, OPENMP},
	{"GOMP_single_start", rfs_enter_omp_share, 0, OPENMP},
	{"GOMP_task", rfs_enter_omp_task, 0, OPENMP},
	{"GOMP_taskgroup_end", rfs_enter_omp_taskgroup, 1, OPENMP},
	{"GOMP_taskgroup_start", rfs_enter_omp_taskgroup, 0, OPENMP},
	{"GOMP_taskloop", rfs_enter_omp_task, 1, OPENMP},
	{"GOMP_taskloop_ull", rfs_enter_omp_task, 1, OPENMP},
	{"GOMP_taskwait", rfs_enter_omp_taskwait, 0, OPENMP},
	{"GOMP_taskwait_depend", rfs_enter_omp_taskwait, 1, OPENMP},
	{"GOMP_taskyield", rfs_enter_omp_taskyield, 0, OPENMP},
	{"GOMP_workshare_task_reduction_unregister", rfs_enter_omp_barrier, 0, OPENMP},
	{"omp_fulfill_event", rfs_enter_omp_fulfil, 0, OPENMP},
	{"omp_fulfill_event_", rfs_enter_omp_fulfil, 0, OPENMP},
	{"GOMP_critical_start", rfs_enter_omp_lock, RFS_OMP_LOCK_CRITICAL, OPENMP},
	{"GOMP_critical_end", rfs_enter_omp_unlock, RFS_OMP_LOCK_CRITICAL, OPENMP},
	{"GOMP_critical_name_start", rfs_enter_omp_lock, RFS_OMP_LOCK_ARGUMENT, OPENMP},
	{"GOMP_critical_name_end", rfs_enter_omp_unlock, RFS_OMP_LOCK_ARGUMENT, OPENMP},
	{"GOMP_atomic_start", rfs_enter_omp_lock, RFS_OMP_LOCK_ATOMIC, OPENMP},
	{"GOMP_atomic_end", rfs_enter_omp_unlock, RFS_OMP_LOCK_ATOMIC, OPENMP},
	{"omp_set_lock", rfs_enter_omp_lock, RFS_OMP_LOCK_ARGUMENT, OPENMP},
	{"omp_unset_lock", rfs_enter_omp_unlock, RFS_OMP_LOCK_ARGUMENT, OPENMP},
	{"omp_test_lock", rfs_enter_omp_trylock, RFS_OMP_LOCK_ARGUMENT, OPENMP},
	{"omp_init_lock", rfs_enter_omp_lock_init, RFS_OMP_LOCK_ARGUMENT, OPENMP},
	{"omp_set_nest_lock", rfs_enter_omp_lock, RFS_OMP_LOCK_NESTED, OPENMP},
	{"omp_unset_nest_lock", rfs_enter_omp_unlock, RFS_OMP_LOCK_NESTED, OPENMP},
	{"omp_test_nest_lock", rfs_enter_omp_trylock, RFS_OMP_LOCK_NESTED, OPENMP},
	{"omp_init_nest_lock", rfs_enter_omp_lock_init, RFS_OMP_LOCK_NESTED, OPENMP},
	{"omp_set_lock_", rfs_enter_omp_lock, RFS_OMP_LOCK_ARGUMENT, OPENMP},
	{"omp_unset_lock_", rfs_enter_omp_unlock, RFS_OMP_LOCK_ARGUMENT, OPENMP},
	{"omp_test_lock_", rfs_enter_omp_trylock, RFS_OMP_LOCK_ARGUMENT, OPENMP},
	{"omp_init_lock_", rfs_enter_omp_lock_init, RFS_OMP_LOCK_ARGUMENT, OPENMP},
	{"omp_set_nest_lock_", rfs_enter_omp_lock, RFS_OMP_LOCK_NESTED, OPENMP},
	{"omp_unset_nest_lock_", rfs_enter_omp_unlock, RFS_OMP_LOCK_NESTED, OPENMP},
	{"omp_test_nest_lock_", rfs_enter_omp_trylock, RFS_OMP_LOCK_NESTED, OPENMP},
	{"omp_init_nest_lock_", rfs_enter_omp_lock_init, RFS_OMP_LOCK_NESTED, OPENMP},
};

size_t rfs_openmp_calls(const struct rfs_call **out)
{
	*out = calls;
	return sizeof(calls) / sizeof(*calls);
}

/* ---- spinning ---- */

/* The address of the characters "0" in a module that is mapped. 0: there are none. */
static rfs_addr find_zero(const struct rfs_module_info *info)
{
	static const char zero[] = "0";
	char bytes[4096];
	rfs_addr vaddr = 0;
	size_t n;

	while ((n = rfs_elf_read(info->elf, vaddr, bytes, sizeof(bytes))) >= sizeof(zero)) {
		const char *found = memmem(bytes, n, zero, sizeof(zero));

		if (found)
			return info->bias + vaddr + (rfs_addr)(found - bytes);
		vaddr += sizeof(bytes) - 1; /* the two characters may lie in two parts */
	}
	return 0;
}

/* getenv(): libgomp asks how often it should spin. */
static enum rfs_then enter_getenv(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	static const char spins[] = "GOMP_SPINCOUNT";
	const struct rfs_module_info *caller = rfs_info_at(run, rfs_call_back(run, thread));
	char name[sizeof(spins)] = "";
	rfs_addr zero;

	(void)call;
	if (!caller || !caller->openmp || !rfs_peek(run, rfs_task_regs(thread->task)->rdi, name, sizeof(name)) ||
	    memcmp(name, spins, sizeof(spins)) != 0)
		return RFS_THEN_EXECUTE;
	zero = find_zero(caller);
	return zero ? rfs_call_answer(run, thread, zero) : RFS_THEN_EXECUTE;
}

static const struct rfs_call getenv_call = {"getenv", enter_getenv, 0, RFS_CALL_INTERNAL};

static enum rfs_then enter_pause(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const rfs_addr at = rfs_task_regs(thread->task)->rip;

	(void)call;
	return rfs_park(run, thread, rfs_op_make(RFS_OP_YIELD, rfs_site_of(run, at), 0), rfs_ready_always, rfs_go_on);
}

static const struct rfs_call pause_call = {"pause", enter_pause, 0, RFS_CALL_INTERNAL};

static void set_hook(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, const struct rfs_call *call)
{
	struct rfs_hook *hook = rfs_hook_at(run, thread->task, address);

	if (hook && !hook->call)
		hook->call = call;
}

static void watch_pauses(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module)
{
	const struct rfs_code *code = rfs_code_cache_get(module->elf);
	const struct rfs_code_site *sites;
	size_t n = code ? rfs_code_sites(code, &sites) : 0;

	for (size_t i = 0; i < n; i++)
		if (sites[i].kind == RFS_CODE_PAUSE)
			set_hook(run, thread, sites[i].vaddr + module->bias, &pause_call);
}

void rfs_openmp_add_module(struct rfs_run *run, struct rfs_thread *thread, struct rfs_module *added)
{
	struct rfs_module *const *modules;
	size_t n = rfs_modules(rfs_task_space(thread->task), &modules);
	bool openmp = false;
	rfs_addr vaddr;

	if (((const struct rfs_module_info *)added->data)->openmp)
		watch_pauses(run, thread, added);
	for (size_t i = 0; i < n; i++) {
		const struct rfs_module_info *info = modules[i]->data;

		openmp = openmp || (info && info->openmp);
	}
	/* either of the two may be mapped first */
	for (size_t i = 0; openmp && i < n; i++) {
		const struct rfs_module_info *info = modules[i]->data;

		if (info && info->libc && rfs_elf_symbol(modules[i]->elf, "getenv", &vaddr, NULL))
			set_hook(run, thread, vaddr + modules[i]->bias, &getenv_call);
	}
}
