#include "supervisor/gdb/gdb_call.h"

#include <string.h>
#include <sys/syscall.h>

#include "disasm/addr.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

static const unsigned char call[] = {0x0f, 0x05};

bool rfs_gdb_in_call(const struct rfs_thread *thread)
{
	return thread->at_syscall && (long)rfs_task_regs(thread->task)->orig_rax != -1;
}

bool rfs_gdb_after_call(struct rfs_run *run, const struct rfs_thread *thread)
{
	struct rfs_space *space = rfs_run_space(run);
	unsigned char bytes[sizeof(call)];

	return space &&
	       rfs_space_read(space, rfs_task_regs(thread->task)->rip - sizeof(call), bytes, sizeof(bytes)) == 0 &&
	       memcmp(bytes, call, sizeof(call)) == 0;
}

void rfs_gdb_forget_trap_flag(struct rfs_run *run, struct rfs_thread *thread)
{
	if (rfs_task_regs(thread->task)->r11 & RFS_GDB_TRAP_FLAG && rfs_gdb_after_call(run, thread))
		rfs_task_regs_mut(thread->task)->r11 &= ~RFS_GDB_TRAP_FLAG;
}

bool rfs_gdb_calls_exit(const struct rfs_thread *thread)
{
	const long number = (long)rfs_task_regs(thread->task)->orig_rax;

	return number == SYS_exit_group || number == SYS_exit;
}
