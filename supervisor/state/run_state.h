/* run_state.h - the state of one controlled run, shared by all folders that a run consists of. */
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
struct rfs_openmp_layer;
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
/*
 * How often limits and the watchdog are checked. Short compared with a spin that costs time, long compared with a stop.
 */
#define RFS_TICK_USEC 20000

/* One controlled run. Pointers belong to the run unless a comment says otherwise. */
struct rfs_run {
	const struct rfs_run_spec *spec;
	struct rfs_run_result *result;
	struct rfs_tracer *tracer;
	struct rfs_decoder *decoder;
	void *policy;	/* state of spec->policy */
	void *detector; /* state of spec->detector; NULL: none. Belongs to the stream while there is one */
	struct rfs_stream *stream;

	struct rfs_thread **threads; /* by number */
	size_t n_threads;
	struct rfs_sync sync;	    /* the same threads */
	struct rfs_thread *running; /* NULL: every live thread is parked or in the kernel */
	bool settling;		    /* some thread settles */
	struct rfs_thread
		*falls_asleep;	       /* went into a call that may block; NULL once it sleeps there or has returned */
	struct rfs_watchdog *watchdog; /* NULL: it has not checked yet */
	struct rfs_thread_view *view;
	int current; /* thread of the last choice */
	bool ended;  /* result->end is set */
	bool dying;  /* threads are being ended: all of them, or all but one that executes another program */
	bool track_heap;

	struct {
		uint64_t steps, position; /* of the trace */
	} checked;			  /* as they were at the last choice; see invariants.c */
	uint64_t spin_reads;		  /* executed */
	struct rfs_hint hint;
	size_t n_steady;     /* threads alive when the hint was given */
	uint64_t now;	     /* virtual nanoseconds since the start */
	uint64_t epoch;	     /* `now` when the run began; 0 unless the clock is real */
	uint64_t horizon;    /* sleepers and timeouts due by then may be chosen */
	uint64_t next_order; /* of the next heap block */
	bool main_reached;   /* main has begun, or its address is not known */
	bool unknown_code;   /* unknown code may be executed (access/tsc_insns.c) */
	bool reads_tsc;	     /* rdtsc no longer traps */
	/*
	 * Called at a system call. Set by server/ for its own run and the copies. True if no other run stops at the
	 * call; the call is then simply executed. NULL: this run is none of these.
	 */
	bool (*server_syscall)(struct rfs_run *run, const struct rfs_stop *stop);
	bool stops_at_main, at_main; /* the run ends at main, where copies continue (server/server.c) */
	const char *telling; /* for stops_at_main: the first thing done that a copy would not repeat; NULL: none */
	bool copied;	     /* made from another run, which owns the decoder */
	bool signals;	     /* some thread may have a pending signal */
	struct rfs_children *children; /* NULL: there were none */
	size_t n_children;	       /* live tasks of child processes */
	struct rfs_follow follow;      /* glob NULL: the program is the one that was started */
	struct rfs_kernel *kernel;     /* what the target sees of the kernel; kernel/ owns it */
	bool driver_ended;
	double started;	    /* monotonic seconds */
	double started_cpu; /* rfsup's own CPU seconds at the start */

	struct rfs_read_ahead ahead[RFS_READ_AHEAD_MAX];
	size_t n_ahead; /* how many of them are valid */

	struct rfs_module_info **modules; /* by number */
	size_t n_modules;
	struct rfs_hook *hooks;
	struct rfs_block *blocks;
	struct rfs_stubs *stubs;
	struct rfs_recorded_calls *recorded;   /* NULL: none */
	struct rfs_address_set *atomics;       /* addresses that an atomic instruction reached */
	struct rfs_pthread_functions *pthread; /* NULL: none found yet */
	struct rfs_openmp_layer *openmp;       /* NULL: libgomp is not mapped */
	struct rfs_trace *trace;
	struct rfs_partial_order *partial_order; /* NULL: not wanted */
	const struct rfs_run_observer *observer; /* set by gdb/; NULL: no observer */
	struct rfs_gdb *gdb;			 /* the debugger's state; gdb/ owns it */
};

#endif
