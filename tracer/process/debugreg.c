/* debugreg.c - writes the debug registers of a task through PTRACE_POKEUSER. */
#include "tracer/debugreg.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include "tracer/process/task-priv.h"
#include "tracer/process/tracer-priv.h"

#define STATUS 6
#define CONTROL 7

/* Bits of the control register for debug register i: it is enabled for the task, which accesses count, and the size. */
#define ENABLE(i) (1ul << (2 * (i)))
#define WRITES(i) (1ul << (16 + 4 * (i)))
#define READS_AND_WRITES(i) (3ul << (16 + 4 * (i)))
#define SIZE(i, code) ((unsigned long)(code) << (18 + 4 * (i)))

static int debugreg_put(struct rfs_task *task, int number, unsigned long value)
{
	unsigned long at = offsetof(struct user, u_debugreg) + (unsigned long)number * sizeof(value);

	return ptrace(PTRACE_POKEUSER, task->tid, at, value) ? -errno : 0;
}

static unsigned long code_of(unsigned size)
{
	switch (size) {
	case 1:
		return 0;
	case 2:
		return 1;
	case 4:
		return 3;
	default:
		return 2;
	}
}

int rfs_task_watchpoint(struct rfs_task *task, const struct rfs_watched *list, size_t n)
{
	unsigned long control = 0;
	int error;

	if (n > RFS_DEBUG_REGISTERS)
		return -ENOSPC;
	task->tracer->watches |= n > 0;
	/* the kernel checks an address at once if its register is enabled, so disable all registers first */
	error = debugreg_put(task, CONTROL, 0);
	for (size_t i = 0; i < n && !error; i++) {
		error = debugreg_put(task, (int)i, list[i].address);
		control |=
			ENABLE(i) | (list[i].reads ? READS_AND_WRITES(i) : WRITES(i)) | SIZE(i, code_of(list[i].size));
	}
	return error || !control ? error : debugreg_put(task, CONTROL, control);
}

int rfs_task_watchpoint_hit(struct rfs_task *task)
{
	unsigned long at = offsetof(struct user, u_debugreg) + STATUS * sizeof(at), status;

	errno = 0;
	status = (unsigned long)ptrace(PTRACE_PEEKUSER, task->tid, at, 0);
	if (errno || !(status & ((1u << RFS_DEBUG_REGISTERS) - 1)))
		return -1;
	(void)!debugreg_put(task, STATUS, 0);
	return __builtin_ctzl(status);
}
