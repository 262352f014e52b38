/* nondet.h - kinds of input that no seed determines. kernel/nondeterminism.h says which of them a run took. */
#ifndef RFS_NONDET_H
#define RFS_NONDET_H

enum rfs_nondet {
	RFS_NONDET_NETWORK,
	RFS_NONDET_TERMINAL,
	RFS_NONDET_PROCESSES,
	RFS_NONDET_SHARED_MEMORY,
	RFS_NONDET_FILES,     /* that changed between two runs, or while one ran */
	RFS_NONDET_CLOCK,     /* the real time */
	RFS_NONDET_ADDRESSES, /* randomised */
	RFS_NONDET_DEVICES,
	RFS_NONDET_KERNEL, /* what it tells of the moment (proc(5)) */
	RFS_NONDET_KINDS
};

/* kinds: 1 << enum rfs_nondet of a run that went another way than the recorded one. The first of them in words, as the
 * likely cause; NULL: there is none. Borrowed for ever. */
const char *rfs_nondet_cause(unsigned kinds);

#endif
