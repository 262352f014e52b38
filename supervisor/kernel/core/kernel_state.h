/*
 * kernel_state.h - the parts of run->kernel. Each part belongs to one .c file, and only that file uses its members. A
 * part that is a pointer is allocated when it is first needed.
 */
#ifndef RFS_KERNEL_STATE_H
#define RFS_KERNEL_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct rfs_child_waits;
struct rfs_directories;
struct rfs_files;
struct rfs_input;
struct rfs_loopback;
struct rfs_pidfds;
struct rfs_pids;
struct rfs_ports;
struct rfs_signals;
struct rfs_timers;
struct rfs_unmapped;

/* Owned by time_calls.c. */
struct rfs_clock {
	uint64_t last_look;   /* with --clock=real: CLOCK_MONOTONIC at the last read, in nanoseconds */
	uint64_t looks;	      /* reads in a row without an operation but yields between them */
	uint64_t steps;	      /* steps of the run at the last read, or at the last yield after it */
	uint64_t reads;	      /* all reads of the run's threads */
	uint64_t of_children; /* how much later than the program's the time stamps (rdtsc) of child processes are */
};

/* Owned by random_calls.c. */
struct rfs_random {
	uint64_t key, state; /* key is 0 until main begins; state is the last result */
	bool seeded;	     /* main has begun, and key and state were set from the run's seed */
};

struct rfs_kernel {
	struct rfs_clock clock;
	struct rfs_random random;
	struct rfs_child_waits *child_waits; /* NULL: no child process has waited with a time limit */
	struct rfs_directories *directories;
	struct rfs_files *files; /* nondeterminism.c */
	struct rfs_input *input; /* NULL: nothing is recorded or replayed */
	struct rfs_loopback *loopback;
	struct rfs_pids *pids;
	struct rfs_ports *ports;       /* NULL: the kernel has not picked a port yet */
	struct rfs_signals *signals;   /* never NULL */
	struct rfs_timers *timers;     /* NULL: the target has no timers */
	struct rfs_unmapped *unmapped; /* unmapped.c; NULL: none */
	uint64_t event_calls;	       /* event_order.c: results that it has chosen */
	uint64_t late_close;	       /* fd_calls.c: the number of a close under test, plus 1; 0: none */
	uint64_t quiet;		       /* how often no signal was pending any more (run->signals) */
	bool kills;		       /* the target, a child or a timer of it has sent SIGKILL */
	bool no_new_privileges;	       /* owned by privileges.c: the target or a child has asked for them */
	struct rfs_pidfds *pidfds;     /* target_fd.c; NULL: none is open */
};

#endif
