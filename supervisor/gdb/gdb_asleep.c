#include "supervisor/gdb/gdb_asleep.h"

#include <string.h>
#include <sys/user.h>

#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "tracer/tracer.h"

/* The return address is right below the stack pointer, which is that after the return. */
static rfs_addr slot_of(const struct rfs_thread *thread)
{
	return rfs_task_regs(thread->task)->rsp - sizeof(rfs_addr);
}

void rfs_gdb_asleep_registers(const struct rfs_thread *thread, struct user_regs_struct *regs)
{
	if (!rfs_cond_asleep(thread))
		return;
	regs->rip = thread->cond_call.function;
	regs->rsp = slot_of(thread);
	regs->rdi = thread->cond_call.cond;
	regs->rsi = thread->cond_call.mutex;
}

bool rfs_gdb_asleep_lost(const struct rfs_thread *thread, const char *name)
{
	static const char *const lost[] = {"rax", "rcx", "rdx", "r8", "r9", "r10", "r11"};

	if (!rfs_cond_asleep(thread))
		return false;
	for (size_t i = 0; i < sizeof(lost) / sizeof(*lost); i++)
		if (strcmp(name, lost[i]) == 0)
			return true;
	return false;
}

void rfs_gdb_asleep_memory(const struct rfs_run *run, rfs_addr address, unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];
		rfs_addr slot;

		if (!t->task || t->process || !rfs_cond_asleep(t))
			continue;
		slot = slot_of(t);
		for (size_t k = 0; k < sizeof(rfs_addr); k++)
			if (slot + k >= address && slot + k < address + n)
				bytes[slot + k - address] = (unsigned char)(t->cond_call.back >> 8 * k);
	}
}
