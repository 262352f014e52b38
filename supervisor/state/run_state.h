#ifndef RFS_RUN_STATE_H
#define RFS_RUN_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include <uthash.h>

#include "policy/core/hint.h"
#include "supervisor/model/sync.h"
#include "supervisor/state/follow.h"
#include "supervisor/state/target_memory.h"

struct rfs_address_set;
struct rfs_run_spec;
struct rfs_run_result;
struct rfs_tracer;
struct rfs_decoder;
struct rfs_stream;
struct rfs_thread;
struct rfs_watchdog;
struct rfs_thread_view;
struct rfs_hint;
struct rfs_children;
struct rfs_follow;
struct rfs_kernel;
struct rfs_read_ahead;
struct rfs_module_info;
struct rfs_hook;
struct rfs_block;
struct rfs_pthread_functions;
struct rfs_stubs;
struct rfs_recorded_calls;
struct rfs_address_set;
struct rfs_trace;
struct rfs_partial_order;
struct rfs_gdb;
struct rfs_run_observer;
struct rfs_stop;

/* Virtual time that one visible operation takes. */
#define RFS_OPERATION_NANOS 1000
/* How often limits and the watchdog are looked at. Short against a spin that costs time, long against a stop. */
#define RFS_TICK_USEC 20000

struct rfs_run {
	const struct rfs_run_spec *spec;
	struct rfs_run_result *result;
	struct rfs_tracer *tracer;
	struct rfs_decoder *decoder;
	void *policy;	/* state of spec->policy */
	void *detector; /* state of spec->detector, NULL where none; the stream's while there is one */
	struct rfs_stream *stream;

	struct rfs_thread **threads; /* by number */
	size_t n_threads;
	struct rfs_sync sync;		 /* the same threads */
	struct rfs_thread *running;	 /* NULL: every live thread is parked or in the kernel */
	struct rfs_thread *settling;	 /* runs, but stands at the exit of a call until those that it woke rest */
	struct rfs_thread *falls_asleep; /* went into a call that may wait; NULL once it sleeps there or is back */
	struct rfs_watchdog *watchdog;	 /* NULL: it has not looked yet */
	struct rfs_thread_view *view;
	int current; /* thread of the last choice */
	bool ended;  /* result->end is set */
	bool dying;  /* a thread goes that did not end by itself: all go, or one of them executes another program */
	bool track_heap;

	struct {
		uint64_t steps, position; /* of the trace */
	} checked;			  /* as the last choice saw them: invariants.c */
	uint64_t spin_reads;		  /* executed */
	struct rfs_hint hint;
	size_t n_steady;     /* threads alive when it was given */
	uint64_t now;	     /* virtual nanoseconds since the start */
	uint64_t epoch;	     /* `now` as the run began: 0 but for a real clock */
	uint64_t horizon;    /* sleepers and timeouts due by then may be chosen */
	uint64_t next_order; /* of heap blocks */
	bool main_reached;   /* or it is not known where it is */
	bool unknown_code;   /* may be executed (tsc_insns.c) */
	bool reads_tsc;	     /* rdtsc does not trap any more */
	/* Set by server/ for its run and the copies of it: at a system call, true if no other run stops there, so that
	 * it is simply executed. NULL: the run is none of these. */
	bool (*server_syscall)(struct rfs_run *run, const struct rfs_stop *stop);
	bool stops_at_main, at_main;   /* the run goes no further: copies of it will (server.c) */
	const char *telling;	       /* stops_at_main: the first thing done that a copy would not have; NULL: none */
	bool copied;		       /* made of another run, to which the decoder belongs */
	bool signals;		       /* some thread may have a pending signal */
	struct rfs_children *children; /* NULL: there were none */
	size_t n_children;	       /* tasks of child processes that live */
	struct rfs_follow follow;      /* glob NULL: the program is the one that was launched */
	struct rfs_kernel *kernel;     /* what the target sees of the kernel (kernel/) */
	bool driver_ended;
	double started;	    /* monotonic seconds */
	double started_cpu; /* CPU seconds of ours */

	struct rfs_read_ahead ahead[RFS_READ_AHEAD_MAX];
	size_t n_ahead; /* valid ones */

	struct rfs_module_info **modules; /* by number */
	size_t n_modules;
	struct rfs_hook *hooks;
	struct rfs_block *blocks;
	struct rfs_stubs *stubs;
	struct rfs_recorded_calls *recorded;   /* NULL: none */
	struct rfs_address_set *atomics;       /* that an atomic instruction reached */
	struct rfs_pthread_functions *pthread; /* NULL: none found yet */
	struct rfs_trace *trace;
	struct rfs_partial_order *partial_order; /* NULL: not asked for */
	const struct rfs_run_observer *observer; /* set by gdb/; NULL: nobody looks on */
	struct rfs_gdb *gdb;			 /* … and its state, gdb/'s own */
};

#endif
