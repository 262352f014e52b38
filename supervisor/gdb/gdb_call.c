/* gdb_call.c - reads the code around the thread, because the kernel does not say what its last instruction was. */
#include "supervisor/gdb/gdb_call.h"

#include <string.h>
#include <sys/syscall.h>

#include "disasm/addr.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

static const unsigned char system_call[] = {0x0f, 0x05};

bool rfs_gdb_in_call(const struct rfs_thread *thread)
{
	return thread->at_syscall && (long)rfs_task_regs(thread->task)->orig_rax != -1;
}

bool rfs_gdb_after_call(struct rfs_run *run, const struct rfs_thread *thread)
{
	struct rfs_space *space = rfs_run_space(run);
	unsigned char bytes[sizeof(system_call)];

	return space &&
	       rfs_space_read(space, rfs_task_regs(thread->task)->rip - sizeof(system_call), bytes, sizeof(bytes)) ==
		       0 &&
	       memcmp(bytes, system_call, sizeof(system_call)) == 0;
}

void rfs_gdb_forget_trap_flag(struct rfs_run *run, struct rfs_thread *thread)
{
	if (rfs_task_regs(thread->task)->r11 & RFS_GDB_TRAP_FLAG && rfs_gdb_after_call(run, thread))
		rfs_task_regs_mut(thread->task)->r11 &= ~RFS_GDB_TRAP_FLAG;
}

rfs_addr rfs_gdb_caller(struct rfs_run *run, const struct rfs_thread *thread)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	struct rfs_space *space = rfs_run_space(run);
	unsigned char bytes[5]; /* e8, and the distance of the function from the return address */
	rfs_addr back;
	int32_t distance;

	if (!space || rfs_space_read(space, regs->rsp, &back, sizeof(back)) ||
	    rfs_space_read(space, back - sizeof(bytes), bytes, sizeof(bytes)) || bytes[0] != 0xe8)
		return 0;
	memcpy(&distance, bytes + 1, sizeof(distance));
	return back + (rfs_addr)(int64_t)distance == regs->rip ? back - sizeof(bytes) : 0;
}

bool rfs_gdb_calls_exit(const struct rfs_thread *thread)
{
	const long number = (long)rfs_task_regs(thread->task)->orig_rax;

	return number == SYS_exit_group || number == SYS_exit;
}
