/*
 * Executes an instruction in place of a task, to write to memory that the task itself cannot write to. /proc/PID/mem
 * ignores the protection of memory.
 */
#include "tracer/tracer.h"

#include <errno.h>

#include "disasm/addr.h"
#include "disasm/insn/insn.h"
#include "disasm/insn/insn_write.h"
#include "tracer/code/breakpoint_table-priv.h"
#include "tracer/memory.h"
#include "tracer/patch.h"
#include "tracer/process/code_bytes-priv.h"
#include "tracer/process/regs-priv.h"
#include "tracer/process/space-priv.h"
#include "tracer/process/task-priv.h"
#include "tracer/process/tracer-priv.h"

struct write_page {
	struct rfs_space *space;
	rfs_addr start;
};

static int write_read(void *arg, rfs_addr address, void *buf, size_t n)
{
	const struct write_page *page = arg;

	return rfs_space_read(page->space, address, buf, n);
}

/* Only data: code of ours in the page would be overwritten. */
static int write_poke(void *arg, rfs_addr address, const void *buf, size_t n)
{
	const struct write_page *page = arg;
	rfs_addr start, end;

	if (address < page->start || address + n > page->start + RFS_PAGE ||
	    rfs_breakpoint_near(page->space, address, n) || rfs_patch_at(page->space, address, &start, &end) ||
	    rfs_patch_at(page->space, address + n - 1, &start, &end))
		return -EFAULT;
	return rfs_space_poke(page->space, address, buf, n);
}

int rfs_task_execute_write(struct rfs_task *task, rfs_addr page)
{
	struct write_page where = {task->space, page};
	const struct rfs_memory memory = {.read = write_read, .write = write_poke, .arg = &where};
	struct user_regs_struct regs = *rfs_task_regs(task);
	unsigned char bytes[RFS_INSN_MAX];
	size_t n = rfs_space_read_mapped(task->space, regs.rip, bytes, sizeof(bytes));
	struct rfs_insn insn;
	int error;

	if (!n || rfs_insn_decode(task->tracer->decoder, bytes, n, regs.rip, &insn))
		return -EINVAL;
	error = rfs_insn_write(&insn, regs.rip, &regs, &memory);
	if (error)
		return error;
	*rfs_task_regs_mut(task) = regs;
	task->passing = 0;
	/* if that is in the middle of a patch, the task continues in its stub */
	task->inside = regs.rip;
	return 0;
}
