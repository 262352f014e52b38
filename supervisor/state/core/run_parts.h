/* run_parts.h - parts of struct rfs_run. The comment of each says to which files it belongs. */
#ifndef RFS_RUN_PARTS_H
#define RFS_RUN_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/core/hint.h"

struct rfs_allocation_count;
struct rfs_block;
struct rfs_block_page;
struct rfs_run;
struct rfs_stop;
struct rfs_thread;

/* run/: where the loop is. */
struct rfs_loop_state {
	bool settling;	/* at least one thread has its member `settles` set */
	bool dying;	/* all threads are ending, or all except one that executes another program */
	size_t leaving; /* threads of processes that end, which are not gone yet (rfs_thread::leaves) */
	/*
	 * The thread that was resumed into a system call that may block. NULL after the thread has fallen asleep in the
	 * call or has stopped.
	 */
	struct rfs_thread *falls_asleep;
	struct rfs_hint hint;
	size_t n_steady;       /* how many threads were alive when the policy gave the hint */
	uint64_t waited_steps; /* the limit of steps does not count these: the target only waited for the load driver */
	bool driver_ended;
	double started;	    /* monotonic seconds */
	double started_cpu; /* rfsup's own CPU seconds at the start */
};

/* state/core/virtual_time.c: in nanoseconds since the start. */
struct rfs_virtual_time {
	uint64_t now;
	uint64_t epoch;	       /* `now` when the run began; 0 unless the clock is real */
	uint64_t start_date;   /* by how much rfs_clock_seed() has moved the date */
	uint64_t start_uptime; /* the same for CLOCK_MONOTONIC */
	uint64_t horizon;      /* virtual time up to which sleeps and timeouts may be chosen */
};

/* How many sizes of pages there are for finding heap blocks. */
#define RFS_BLOCK_LEVELS 16

/* state/core/heap_blocks.c and access/heap.c: the blocks of the target's heap. */
struct rfs_heap {
	bool tracked;
	/* The heap is tracked only to name the run's order. A replay does not do that, so no operation may depend on
	 * it. */
	bool for_order;
	struct rfs_block *blocks;
	struct rfs_block_page *pages[RFS_BLOCK_LEVELS]; /* blocks are found through them */
	struct rfs_allocation_count *allocations;
	uint64_t next_order; /* `order` of the next block */
	uint64_t changes;    /* how many blocks were allocated or freed */
};

/* access/tsc_insns.c: whether rdtsc and cpuid trap. */
struct rfs_tsc_state {
	bool unknown_code;  /* the target may execute code that rfsup has not searched for rdtsc */
	bool reads_tsc;	    /* rdtsc does not trap any more; the known rdtsc instructions have breakpoints instead */
	bool hides_cpuid;   /* a module may have cpuid instructions at unknown places */
	bool reads_cpuid;   /* like reads_tsc, for cpuid; then reads_tsc is true as well */
	uint64_t unwatched; /* bytes of memory at most that were made code and belong to no module */
};

/* server/: what the fork server makes of this run. */
struct rfs_served {
	enum rfs_served_as {
		RFS_SERVED_NOT,
		RFS_SERVED_ORIGINAL, /* the run ends at main, because its target is the original (server/server.c) */
		RFS_SERVED_COPY,     /* the target is a copy of another run's target; that run owns the decoder */
	} as;
	bool at_main; /* of the original: it has reached main */
	/* of the original: the first action of the target that a copy would not repeat, as text; NULL: none */
	const char *telling;
	/*
	 * Called at each system call that stops. Returns true if runs without a fork server do not stop at this call;
	 * the call is then executed without further handling. NULL: RFS_SERVED_NOT.
	 */
	bool (*syscall)(struct rfs_run *run, const struct rfs_stop *stop);
};

#endif
