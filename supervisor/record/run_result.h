/* run_result.h - what comes out of one controlled run, as plain data that its caller owns. */
#ifndef RFS_RUN_RESULT_H
#define RFS_RUN_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/policy.h"
#include "supervisor/symbols/place.h"

enum rfs_run_end {
	RFS_END_EXIT,	  /* detail: exit status */
	RFS_END_SIGNAL,	  /* detail: signal number */
	RFS_END_DEADLOCK, /* deadlock says who waits for what */
	RFS_END_HANG,	  /* limits of CPU time or steps passed: detail 0 CPU, 1 steps */
	RFS_END_TIMEOUT,  /* inconclusive */
	RFS_END_CANCELLED,
	RFS_END_RESTART,      /* result->restart says why: run again with what was learnt (lessons.h) */
	RFS_END_DIVERGED,     /* trace_in says otherwise: message names the first difference */
	RFS_END_STOPPED,      /* the debugger gave it up */
	RFS_END_UNCONTROLLED, /* message: foreign system calls, a policy's bad choice, … */
};

enum rfs_restart {
	RFS_RESTART_SPIN_READ,	/* a read that spins: result->spin */
	RFS_RESTART_TRAP_RDTSC, /* code may run whose rdtsc instructions are not known */
};

/* Two accesses that race: predicted by the detector, or created. */
struct rfs_race {
	struct rfs_evidence side[2];
	uint64_t step;	  /* created: visible operations before it */
	bool swapped;	  /* created: side[0] stands at the pair's second statement */
	bool atomic_seen; /* one of the two sites, or their address, was also reached by an atomic instruction */
};

struct rfs_waiter {
	int thread;
	enum rfs_op_kind operation;
	struct rfs_object waits_for;
	int for_thread; /* the thread that holds it or is joined; -1: unknown */
	struct rfs_object *holds;
	size_t n_holds;
	struct rfs_place *stack;
	size_t n_stack;
};

/* Threads, and what each waits for. */
struct rfs_waiters {
	struct rfs_waiter *list;
	size_t n;
};

/* The detector's pairs. */
struct rfs_prediction {
	struct rfs_race *races;
	size_t n;
};

struct rfs_run_counts {
	uint64_t steps, accesses;
	uint64_t steps_recorded, accesses_recorded; /* of these: those that stubs recorded, without a stop */
	uint64_t stops, threads;
	uint64_t preemptions; /* choices that took the turn from a thread that could go on */
};

struct rfs_run_costs {
	double wall_seconds;
	double cpu_seconds;	/* of the target */
	double own_cpu_seconds; /* of the supervisor, its detector among it */
};

/* Stubs by what gave room for the jump: one instruction, several, padding behind them; and what planning did not know
 * and the run taught. */
struct rfs_stub_counts {
	uint64_t single, groups, padded, learned;
};

/* The policy's counters. */
struct rfs_run_stat {
	char *key;
	uint64_t value;
};

struct rfs_run_stats {
	struct rfs_run_stat *list;
	size_t n;
};

/* What the run took that its seed does not determine. */
struct rfs_run_nondet {
	unsigned kinds;	       /* 1 << enum rfs_nondet */
	struct rfs_blob files; /* that it read: two words each, a hash of the name and one of size and date */
};

/* How a run differs from the recorded one. */
struct rfs_divergence {
	char *cause; /* what is likely to have made the difference; NULL: there is none */
	struct {
		struct rfs_place *stack; /* innermost first; empty if it is not known */
		size_t n_stack;
	} at[2]; /* where the recorded run was, and this one */
};

struct rfs_run_module {
	char *path, *build_id;
	bool watched;
	size_t sites; /* watched ones */
};

/* Owned by the caller: rfs_run_result_release(). */
struct rfs_run_result {
	enum rfs_run_end end;
	int detail;
	bool told_to_end;		  /* SIGTERM was sent, because what drove the target has ended */
	char *message;			  /* DIVERGED, UNCONTROLLED: one line; else NULL */
	struct rfs_divergence divergence; /* DIVERGED */
	uint64_t hash[2];		  /* of the chain of visible operations */
	uint64_t order[2];		  /* of the partial order of dependent operations, if spec->orders was set */
	struct rfs_run_counts counts;
	struct rfs_run_costs costs;

	struct rfs_prediction prediction;
	uint64_t reached[2];	      /* how often a thread was parked before each statement of the pair */
	struct rfs_evidence stood[2]; /* spec->stood, if reached: by two threads, one of them to write, if seen */
	uint64_t n_created;	      /* races created */
	struct rfs_race created;      /* the first one, if n_created > 0 */

	struct rfs_waiters deadlock; /* DEADLOCK: the cycle, or every thread that waits */
	struct rfs_waiters threads;  /* HANG, SIGNAL, and non-zero EXIT: where every thread was at the end */
	struct rfs_place *fault;     /* SIGNAL: stack of the thread that got it */
	size_t n_fault;

	enum rfs_restart restart; /* RESTART */
	struct rfs_place *spin;	  /* RESTART_SPIN_READ: spin reads found by this run; site places */
	size_t n_spin;
	struct rfs_run_module *modules;
	size_t n_modules;
	/* File names of processes with threads that ran beside the program, uncontrolled; one for each process. */
	char **threaded;
	size_t n_threaded;
	char **warnings; /* lines for the user: lock memory overwritten, children not controlled, … */
	size_t n_warnings;
	struct rfs_stub_counts stubs;
	struct rfs_blob blob;		      /* what the policy saved */
	struct rfs_blob schedule;	      /* struct rfs_directive each (policy/schedule.h), if asked for */
	uint64_t counters[RFS_COUNTER_COUNT]; /* of its counters, those that the campaign reads */
	struct rfs_run_stats policy_stats;    /* all of them */
	struct rfs_run_nondet nondet;
};

void rfs_run_result_release(struct rfs_run_result *result);
/* What it owns; zeroed. */
void rfs_race_release(struct rfs_race *race);
/* It ended like the run of which the rest is known, and did the same. */
bool rfs_run_ended_as(const struct rfs_run_result *result, enum rfs_run_end end, int detail, const uint64_t hash[2]);

/* The key is copied. */
void rfs_run_stats_add(struct rfs_run_stats *stats, const char *key, uint64_t value);
void rfs_run_stats_release(struct rfs_run_stats *stats);

#endif
