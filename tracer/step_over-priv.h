/* step_over-priv.h - executes an instruction that a breakpoint or a patch covers, or sets that up. */
#ifndef RFS_TRACER_STEP_OVER_PRIV_H
#define RFS_TRACER_STEP_OVER_PRIV_H

struct rfs_task;
struct rfs_insn;

enum rfs_passed {
	RFS_PASSED_READY, /* registers are set: let it go on with *request */
	RFS_PASSED_STOP,  /* the instruction is done and what to present is queued; the task stays stopped */
	RFS_PASSED_GONE,
};
/* The instruction that task->passing names. */
enum rfs_passed rfs_breakpoint_pass(struct rfs_task *task, int *request);
/* insn, which stands at rip under a patch, is to be stepped. */
enum rfs_passed rfs_patch_pass(struct rfs_task *task, const struct rfs_insn *insn, int *request);

#endif
