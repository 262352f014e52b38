/*
 * nondet.h - kinds of nondeterminism: input that the seed does not determine. kernel/input/nondeterminism.c notes which
 * kinds a run had.
 */
#ifndef RFS_NONDET_H
#define RFS_NONDET_H

enum rfs_nondet {
	RFS_NONDET_NETWORK,
	RFS_NONDET_TERMINAL,
	RFS_NONDET_PROCESSES,
	RFS_NONDET_SHARED_MEMORY,
	RFS_NONDET_FILES,     /* files that changed between two runs or during one */
	RFS_NONDET_CLOCK,     /* real time */
	RFS_NONDET_ADDRESSES, /* randomised addresses */
	RFS_NONDET_DEVICES,
	RFS_NONDET_KERNEL,     /* momentary values of the kernel, such as memory in use (proc(5)) */
	RFS_NONDET_UNRECORDED, /* what processes that are not controlled get from outside, in a run that records */
	RFS_NONDET_KINDS
};

/* The kinds whose input is recorded (kernel/input/input.h). */
#define RFS_NONDET_RECORDED                                                                                            \
	(1u << RFS_NONDET_NETWORK | 1u << RFS_NONDET_TERMINAL | 1u << RFS_NONDET_PROCESSES |                           \
	 1u << RFS_NONDET_DEVICES | 1u << RFS_NONDET_CLOCK)

/*
 * The likely cause of a difference between two runs, as a static string. kinds: the kinds that the run had, as bits 1
 * << enum rfs_nondet. The string names the first kind that is set. NULL: no kind is set.
 */
const char *rfs_nondet_cause(unsigned kinds);

#endif
