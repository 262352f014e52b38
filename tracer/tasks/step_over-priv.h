/* step_over-priv.h - lets a task execute the instruction under a breakpoint or a patch. */
#ifndef RFS_TRACER_STEP_OVER_PRIV_H
#define RFS_TRACER_STEP_OVER_PRIV_H

struct rfs_task;
struct rfs_insn;

enum rfs_passed {
	RFS_PASSED_READY, /* the registers are set, and the caller must resume the task with *request */
	RFS_PASSED_STOP,  /* the instruction was executed, and a stop is queued; the task stays stopped */
	RFS_PASSED_GONE,
};
/* Passes the breakpoint at task->passing. */
enum rfs_passed rfs_breakpoint_pass(struct rfs_task *task, int *request);
/* Makes the task execute only insn, which is at rip and which a patch replaces. */
enum rfs_passed rfs_patch_pass(struct rfs_task *task, const struct rfs_insn *insn, int *request);

#endif
