/* virtual_hardware.c - the machine as the target sees it. It is the same in every run, on any core and at any load. */
#include "supervisor/kernel/ids/virtual_hardware.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <time.h>

#include "disasm/addr.h"
#include "supervisor/base/processor.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/operations/park.h"
#include "tracer/tracer.h"

#define CORE_MASK ((1ul << RFS_CORES) - 1)
#define MEMORY_TOTAL (4ul << 30)
#define MEMORY_FREE (2ul << 30)

static long virtual_hardware_put(struct rfs_run *run, rfs_addr to, const void *data, size_t n)
{
	return rfs_poke(run, to, data, n) ? 0 : -EFAULT;
}

enum rfs_then rfs_sys_sysinfo(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct sysinfo info = {
		.uptime = (long)(rfs_clock_now(run, CLOCK_BOOTTIME) / RFS_NANOS),
		.totalram = MEMORY_TOTAL,
		.freeram = MEMORY_FREE,
		.procs = 100,
		.mem_unit = 1,
	};

	return rfs_syscall_answer(thread, virtual_hardware_put(run, thread->args[0], &info, sizeof(info)));
}

enum rfs_then rfs_sys_getrusage(struct rfs_run *run, struct rfs_thread *thread)
{
	uint64_t now = rfs_clock_now(run, CLOCK_PROCESS_CPUTIME_ID);
	const struct rusage usage = {
		.ru_utime = {(time_t)(now / RFS_NANOS), (suseconds_t)(now % RFS_NANOS / 1000)},
		.ru_maxrss = RFS_RESIDENT_KIB,
	};

	if ((int)thread->args[0] < RUSAGE_CHILDREN || (int)thread->args[0] > RUSAGE_THREAD)
		return rfs_syscall_answer(thread, -EINVAL);
	return rfs_syscall_answer(thread, virtual_hardware_put(run, thread->args[1], &usage, sizeof(usage)));
}

enum rfs_then rfs_sys_times(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct tms tms = {.tms_utime = (clock_t)(rfs_clock_now(run, CLOCK_PROCESS_CPUTIME_ID) / RFS_TICK_NANOS)};
	rfs_addr to = thread->args[0];

	if (to && !rfs_poke(run, to, &tms, sizeof(tms)))
		return rfs_syscall_answer(thread, -EFAULT);
	return rfs_syscall_answer(thread, (long)(rfs_clock_now(run, CLOCK_MONOTONIC) / RFS_TICK_NANOS));
}

enum rfs_then rfs_sys_getcpu(struct rfs_run *run, struct rfs_thread *thread)
{
	/* the first core of those that the thread has asked for */
	const unsigned numbers[] = {(unsigned)(thread->call->affinity ? __builtin_ctzl(thread->call->affinity) : 0), 0};

	for (int i = 0; i < 2; i++)
		if (thread->args[i] && !rfs_poke(run, thread->args[i], &numbers[i], sizeof(numbers[i])))
			return rfs_syscall_answer(thread, -EFAULT);
	return rfs_syscall_answer(thread, 0);
}

static struct rfs_thread *virtual_hardware_named(struct rfs_run *run, struct rfs_thread *thread)
{
	return thread->args[0] ? rfs_thread_by_tid(run, (pid_t)thread->args[0]) : thread;
}

static long answer_affinity(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct rfs_thread *whose = virtual_hardware_named(run, thread);
	unsigned long mask = whose && whose->call->affinity ? whose->call->affinity : CORE_MASK;

	if (!whose)
		return -ESRCH;
	if (thread->args[1] < sizeof(mask) || thread->args[1] % sizeof(mask))
		return -EINVAL;
	return rfs_poke(run, thread->args[2], &mask, sizeof(mask)) ? (long)sizeof(mask) : -EFAULT;
}

/* Stores the mask without applying it: the target stays on the supervisor's core. */
static long note_affinity(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_thread *whose = virtual_hardware_named(run, thread);
	unsigned long mask = 0;
	size_t n = thread->args[1] < sizeof(mask) ? thread->args[1] : sizeof(mask);

	if (!whose)
		return -ESRCH;
	if (!rfs_peek(run, thread->args[2], &mask, n))
		return -EFAULT;
	if (!(mask & CORE_MASK))
		return -EINVAL;
	whose->call->affinity = mask & CORE_MASK;
	return 0;
}

/* Whether the call is about a child process. The kernel answers it, as it answers the child's own calls. */
static bool names_child(struct rfs_run *run, struct rfs_thread *thread)
{
	return !virtual_hardware_named(run, thread) &&
	       rfs_pids_kernel(run, (pid_t)thread->args[0]) != (pid_t)thread->args[0];
}

enum rfs_then rfs_sys_getaffinity(struct rfs_run *run, struct rfs_thread *thread)
{
	if (names_child(run, thread))
		return RFS_THEN_UNDECIDED;
	return rfs_syscall_answer(thread, answer_affinity(run, thread));
}

enum rfs_then rfs_sys_setaffinity(struct rfs_run *run, struct rfs_thread *thread)
{
	if (names_child(run, thread))
		return RFS_THEN_UNDECIDED;
	return rfs_syscall_answer(thread, note_affinity(run, thread));
}

/*
 * Answers cpuid with the values of this processor, but changes some things. The number of the core is 0. The
 * instructions that draw random numbers are hidden, so that programs call getrandom(2), which rfsup answers. In a
 * replay, features that the processor of the recorded run did not have are hidden. cpuid stops at breakpoints
 * (access/tsc_insns.h), and everywhere on processors that can make it fault (arch_prctl(2), ARCH_SET_CPUID).
 */
void rfs_cpuid(const struct rfs_run *run, struct rfs_task *task)
{
	struct user_regs_struct *regs = rfs_task_regs_mut(task);
	const uint32_t leaf = (uint32_t)regs->rax, sub = (uint32_t)regs->rcx;
	uint32_t r[4] = {leaf, 0, sub, 0};

	__asm__ volatile("cpuid"
			 : "+a"(r[RFS_CPUID_EAX]), "=b"(r[RFS_CPUID_EBX]), "+c"(r[RFS_CPUID_ECX]),
			   "=d"(r[RFS_CPUID_EDX]));
	if (leaf == 1) {
		r[RFS_CPUID_ECX] &= ~(1u << 30); /* RDRAND */
		r[RFS_CPUID_EBX] &= 0x00ffffffu; /* initial APIC id */
	} else if (leaf == 7 && sub == 0) {
		r[RFS_CPUID_EBX] &= ~(1u << 18); /* RDSEED */
	} else if (leaf == 0xb || leaf == 0x1f) {
		r[RFS_CPUID_EDX] = 0; /* x2APIC id */
	}
	if (run->spec->processor)
		rfs_processor_hide(run->spec->processor, leaf, sub, r);
	regs->rax = r[RFS_CPUID_EAX];
	regs->rbx = r[RFS_CPUID_EBX];
	regs->rcx = r[RFS_CPUID_ECX];
	regs->rdx = r[RFS_CPUID_EDX];
	regs->rip += 2;
}
