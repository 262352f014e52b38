/* run_result.h - the result of one controlled run: plain data that the caller owns. */
#ifndef RFS_RUN_RESULT_H
#define RFS_RUN_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/detector_memory.h"
#include "policy/operations.h"
#include "policy/results.h"
#include "supervisor/base/address_name.h"
#include "supervisor/record/bad_block.h"
#include "supervisor/record/cycle.h"
#include "supervisor/record/fault.h"
#include "supervisor/record/misuse.h"
#include "supervisor/record/violation.h"
#include "supervisor/record/waiters.h"
#include "supervisor/symbols/place.h"

enum rfs_run_end {
	RFS_END_EXIT,	  /* detail: exit status */
	RFS_END_SIGNAL,	  /* detail: signal number */
	RFS_END_DEADLOCK, /* result->deadlock says which thread waits for what */
	RFS_END_HANG,	  /* limit of CPU time (detail 0) or of steps (detail 1) exceeded */
	RFS_END_TIMEOUT,  /* inconclusive */
	RFS_END_CANCELLED,
	RFS_END_RESTART,      /* result->restart says why; the run is made again with the new lesson (lessons.h) */
	RFS_END_DIVERGED,     /* differs from the trace spec->trace.in; message names the first difference */
	RFS_END_STOPPED,      /* the debugger ended the run */
	RFS_END_UNCONTROLLED, /* message says why: for example an invalid choice of a policy */
};

enum rfs_restart {
	RFS_RESTART_SPIN_READ,	/* a read spins (result->spin) */
	RFS_RESTART_TRAP_RDTSC, /* unknown code may run, and may contain rdtsc instructions */
	RFS_RESTART_DEBUGGER,	/* the debugger goes back in time (spec->gdb) */
	RFS_RESTART_LOCK,	/* the run learnt that a site acquires a lock, or none (result->spin) */
	RFS_RESTART_FAMILY,	/* processes share memory with the program that forks them (result->spin) */
	RFS_RESTART_PROCESS,	/* a process of the program has threads, and the program has one (result->spin) */
};

/* Whether a statement had accesses in a run with a detector, which then knows all of them. */
enum rfs_covered {
	RFS_COVERED_UNKNOWN, /* the run did not watch it, or the detector was not to know of all accesses */
	RFS_COVERED_NEVER,
	RFS_COVERED_RAN,
};

/* Two accesses that race: predicted by the detector, or created by a run. */
struct rfs_race {
	struct rfs_evidence side[2];
	uint64_t step;			 /* if created: how many visible operations came before the race */
	bool swapped;			 /* if created: side[0] is at the pair's second statement */
	bool interrupts;		 /* if created: one side is a signal handler that interrupts the other */
	uint64_t number;		 /* if created: which of the races that the run created, from 0 */
	int first;			 /* if created: the side that goes first: 1 or 2; 0: not known */
	bool atomic_seen;		 /* an atomic instruction also reached one of the two sites or their address */
	bool ordered;			 /* predicted: locks or atomic accesses kept both in one order (policy.h) */
	struct rfs_address_name address; /* predicted: of the first byte that both access */
};
/* True if the memory was freed after one of the threads had computed its address. */
bool rfs_race_is_stale(const struct rfs_race *race);

/* The pairs that the detector reported. */
struct rfs_prediction {
	struct rfs_race *races;
	size_t n;
};

/* A number that is the same for the same pairs of sites, in any order. Tests of detectors compare it. */
uint64_t rfs_prediction_checksum(const struct rfs_prediction *prediction);

struct rfs_run_counts {
	uint64_t steps;
	uint64_t accesses; /* while the program had several threads */
	/*
	 * accesses from before; only limits need them. Those that stubs recorded are added at the end of the run.
	 * Accesses whose breakpoints wait for the second thread (access/sites.c) are not counted.
	 */
	uint64_t early;
	uint64_t steps_recorded,
		accesses_recorded; /* how many of the steps and accesses were recorded by stubs, without a stop */
	uint64_t stops, threads;
	uint64_t timeouts;     /* how often an operation timed out, or time passed because nothing else could happen */
	uint64_t preemptions;  /* how often another thread was chosen although the running thread was enabled */
	uint64_t children;     /* tasks of child processes */
	uint64_t fault_points; /* how many places may have had a fault */
	uint64_t dropped;      /* how many of accesses_recorded a filter dropped (disasm/rewrite/stub_control.h) */
	uint64_t blocks;       /* allocations of heap blocks, if the run tracks the heap */
	struct rfs_detector_memory memory; /* what the detector needed */
};

struct rfs_run_costs {
	double wall_seconds;
	double cpu_seconds;	/* of the target */
	double own_cpu_seconds; /* of the supervisor, including its detector */
};

/*
 * The number of stubs, by what gave room for the jump to the stub: one instruction, several instructions, or
 * instructions and the padding after them. learned: groups that were planned again during the run (rfs_stubs_learn()).
 */
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

/* Input of the run that its seed does not determine. */
struct rfs_run_nondet {
	unsigned kinds;	       /* 1 << enum rfs_nondet */
	struct rfs_blob files; /* the files that the run read or created: for each file a hash of its name, and a hash
				  of its size and date */
	struct rfs_blob
		names; /* for each of these files its name and '\0'; the name is empty unless the run wrote it */
};

/*
 * Whether one of the files was not the same for the two runs. *name: its name, borrowed; NULL: the runs did not write
 * it, so its name is not known.
 */
bool rfs_nondet_files_differ(const struct rfs_run_nondet *a, const struct rfs_run_nondet *b, const char **name);

/* How the run differs from the recorded one. */
struct rfs_divergence {
	char *cause; /* the likely cause of the difference; NULL: unknown */
	struct {
		struct rfs_place *stack; /* innermost first; empty if it is not known */
		size_t n_stack;
	} at[2]; /* [0]: where the recorded run was; [1]: where this run was */
};

struct rfs_run_module {
	char *path, *build_id;
	bool watched;
	size_t sites; /* how many watched sites it has */
};

/* Owned by the caller, who calls rfs_run_result_release(). */
struct rfs_run_result {
	enum rfs_run_end end;
	int detail;
	bool told_to_end;    /* the target got SIGTERM, either because the load driver had ended, or from the recorded
				input */
	int driver_status;   /* wait status of a load driver that ended before the target did; 0 otherwise */
	bool driver_reached; /* before that, the target had input from outside */
	bool refused;	     /* rfsup refused a call of the program, because it traces the program (refused.h) */
	bool gave_up;  /* for SIGNAL: code of the program has called abort() in a thread that a fault had refused a
			  resource (rfs_faults_excuse_exit()) */
	char *message; /* for DIVERGED and UNCONTROLLED: one line; for RESTART: the first file that was created; or NULL
			*/
	struct rfs_divergence divergence; /* for DIVERGED */
	struct rfs_blob said; /* the last bytes that the controlled program wrote to its descriptors 1 and 2 */
	uint64_t hash[2];     /* of the chain of visible operations */
	uint64_t order[2];    /* of the partial order, if spec->wanted.orders was set */
	struct rfs_run_counts counts;
	struct rfs_run_costs costs;

	struct rfs_prediction prediction;
	/* predicted deadlocks, and inversions by one thread; if spec->wanted.stood: the deadlock under test, with
	 * stacks */
	struct rfs_cycles cycles;
	bool cycles_cut;		  /* there were too many to search them all */
	struct rfs_violations violations; /* predicted atomicity violations */
	bool violations_cut;		  /* there may be more */
	bool differed;		  /* two passes of the detector (pool/passes.h) were different runs or too slow */
	bool shares_calls;	  /* system calls of two threads may affect each other (kernel/shared_calls.h) */
	bool overwritten;	  /* the program wrote to the filter of stubs, so accesses may be missing */
	struct rfs_blob suspects; /* what a pass of the detector has saved (policy/passes.h) */
	struct rfs_blob
		covered;     /* of each site of spec->wanted.covers: a byte, enum rfs_covered; empty: not asked for */
	uint64_t addresses;  /* with a detector: the sum of the addresses that stubs recorded or dropped */
	uint64_t reached[2]; /* how often a thread was parked at each statement of the pair */
	/* If spec->stops_per_run: how often each statement was executed after main began, and how often of these it
	 * stopped. */
	uint64_t executed[2], stopped[2];
	struct rfs_evidence stood[2]; /* if spec->wanted.stood: for each statement, a thread that was parked there */
	uint64_t n_created;	      /* how many races the run created */
	struct rfs_race created;      /* the first created race, if n_created > 0 */
	struct rfs_place
		*created_at; /* if spec->wanted.lists_created: the sites of created races in twos, each two once */
	size_t n_created_at;

	struct rfs_waiters deadlock; /* for DEADLOCK: the cycle, or every thread that waits */
	struct rfs_waiters threads;  /* every thread, for HANG, TIMEOUT, SIGNAL and a non-zero EXIT */
	struct rfs_place *fault;     /* for SIGNAL: the stack of the thread that got the signal */
	size_t n_fault;
	int fault_thread; /* the thread that got the signal; valid if n_fault is not 0 */
	/* for SIGNAL with SIGABRT, and a non-zero EXIT: what the thread last wrote to descriptor 2; NULL: nothing */
	char *last_words;
	struct rfs_bad_block bad_block; /* for SIGNAL, with the guard heap */

	/* for RESTART; with another end, LOCK says that the run has predicted nothing and should be made again */
	enum rfs_restart restart;
	/* The spin reads and sites of locks (rfs_lesson_of_lock()) that this run found. Also set without a restart. */
	struct rfs_place *spin;
	size_t n_spin;
	struct rfs_run_module *modules;
	size_t n_modules;
	/* The file names of other processes that had several threads. Such processes are not controlled. */
	char **threaded;
	size_t n_threaded;
	char **warnings; /* lines for the user, for example that lock memory was overwritten */
	size_t n_warnings;
	struct rfs_misuse *misuses; /* wrong uses of the thread library, each once */
	size_t n_misuses;
	struct rfs_fault_taken *faults; /* what --faults has let happen, in order */
	size_t n_faults;
	struct rfs_stub_counts stubs;
	struct rfs_blob blob;		      /* what the policy saved */
	struct rfs_blob schedule;	      /* if spec->wanted.schedule: an array of struct rfs_directive */
	uint64_t counters[RFS_COUNTER_COUNT]; /* the policy's counters that the campaign reads */
	struct rfs_run_stats policy_stats;    /* all counters of the policy */
	struct rfs_run_nondet nondet;
};

/* Frees what the result owns. */
void rfs_run_result_release(struct rfs_run_result *result);
/* Frees what the race owns, and sets it to zero. */
void rfs_race_release(struct rfs_race *race);
/* Whether the run had this end and detail, and executed the operations with this hash. */
bool rfs_run_ended_as(const struct rfs_run_result *result, enum rfs_run_end end, int detail, const uint64_t hash[2]);

/* Adds a counter. The key is copied. */
void rfs_run_stats_add(struct rfs_run_stats *stats, const char *key, uint64_t value);
/* 0: it has no such counter. */
uint64_t rfs_run_stats_value(const struct rfs_run_stats *stats, const char *key);
void rfs_run_stats_release(struct rfs_run_stats *stats);

#endif
