#include "supervisor/gdb/gdb_interrupted.h"

#include <stdint.h>
#include <sys/user.h>
#include <ucontext.h>

#include "disasm/addr.h"
#include "supervisor/state/core/thread.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

/* At most so many pages of the handler's stack are searched. */
#define PAGES 64
#define PAGE 4096u
#define WORD sizeof(uint64_t)
/* If the kernel makes a system call again after the handler, the saved address is that of the instruction. */
#define CALL_LENGTH 2

/* The address of the saved registers; 0: they were not found. The stack pointer and the address are side by side. */
static rfs_addr find_saved(const struct rfs_thread *thread, rfs_addr from)
{
	const struct rfs_handler_state *state = &thread->handler.by->handler;
	struct rfs_space *space = rfs_task_space(thread->task);
	uint64_t words[PAGE / WORD], before = 0;

	for (unsigned page = 0; page < PAGES; page++) {
		const size_t n = (PAGE - from % PAGE) / WORD;

		if (rfs_space_read(space, from, words, n * WORD) != 0)
			return 0;
		for (size_t i = 0; i < n; before = words[i++])
			if (before == state->frame && (words[i] == state->rip || words[i] == state->rip - CALL_LENGTH))
				return from + i * WORD - REG_RIP * WORD;
		from += n * WORD;
	}
	return 0;
}

bool rfs_gdb_interrupted_registers(const struct rfs_thread *thread, struct user_regs_struct *regs)
{
	uint64_t saved[REG_EFL + 1];
	rfs_addr at;

	if (!thread->handler.by)
		return false;
	at = find_saved(thread, regs->rsp & ~(WORD - 1));
	if (!at || rfs_space_read(rfs_task_space(thread->task), at, saved, sizeof(saved)) != 0)
		return false;
	regs->r8 = saved[REG_R8];
	regs->r9 = saved[REG_R9];
	regs->r10 = saved[REG_R10];
	regs->r11 = saved[REG_R11];
	regs->r12 = saved[REG_R12];
	regs->r13 = saved[REG_R13];
	regs->r14 = saved[REG_R14];
	regs->r15 = saved[REG_R15];
	regs->rdi = saved[REG_RDI];
	regs->rsi = saved[REG_RSI];
	regs->rbp = saved[REG_RBP];
	regs->rbx = saved[REG_RBX];
	regs->rdx = saved[REG_RDX];
	regs->rax = saved[REG_RAX];
	regs->rcx = saved[REG_RCX];
	regs->rsp = saved[REG_RSP];
	regs->rip = saved[REG_RIP];
	regs->eflags = saved[REG_EFL];
	return true;
}
