/* step_over-priv.h - executes an instruction under a breakpoint or a patch, or prepares that. */
#ifndef RFS_TRACER_STEP_OVER_PRIV_H
#define RFS_TRACER_STEP_OVER_PRIV_H

struct rfs_task;
struct rfs_insn;

enum rfs_passed {
	RFS_PASSED_READY, /* registers are set: resume the task with *request */
	RFS_PASSED_STOP,  /* the instruction is done, and a stop is queued; the task stays stopped */
	RFS_PASSED_GONE,
};
/* For the instruction at task->passing. */
enum rfs_passed rfs_breakpoint_pass(struct rfs_task *task, int *request);
/* Steps insn, which is at rip and under a patch. */
enum rfs_passed rfs_patch_pass(struct rfs_task *task, const struct rfs_insn *insn, int *request);

#endif
