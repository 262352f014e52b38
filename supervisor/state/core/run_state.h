/* run_state.h - the state of one controlled run, shared by all rooms that take part in a run. */
#ifndef RFS_RUN_STATE_H
#define RFS_RUN_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/model/sync.h"
#include "supervisor/state/core/follow.h"
#include "supervisor/state/core/run_parts.h"

struct rfs_address_set;
struct rfs_run_spec;
struct rfs_run_result;
struct rfs_tracer;
struct rfs_decoder;
struct rfs_stream;
struct rfs_thread;
struct rfs_watchdog;
struct rfs_thread_view;
struct rfs_children;
struct rfs_follow;
struct rfs_kernel;
struct rfs_last_words;
struct rfs_read_cache;
struct rfs_module_info;
struct rfs_hook;
struct rfs_known_object;
struct rfs_processes;
struct rfs_pthread_functions;
struct rfs_openmp_layer;
struct rfs_stubs;
struct rfs_recorded_calls;
struct rfs_word_locks;
struct rfs_stores;
struct rfs_faults;
struct rfs_trace;
struct rfs_partial_order;
struct rfs_gdb;
struct rfs_run_observer;
struct rfs_shared;
struct rfs_kernel_objects;
struct rfs_unsafe_calls;
struct rfs_aliases;
struct rfs_family;
struct rfs_generated;

/* Virtual time that one visible operation takes, in nanoseconds. */
#define RFS_OPERATION_NANOS 1000
/*
 * The period of the checks of limits and of the watchdog. It is short, so that a spinning thread wastes little time.
 * It is much longer than a stop takes, so that the checks cost little.
 */
#define RFS_TICK_USEC 20000
/* One controlled run. Pointers belong to the run unless a comment says otherwise. */
struct rfs_run {
	const struct rfs_run_spec *spec;
	struct rfs_run_result *result;
	struct rfs_tracer *tracer;
	struct rfs_decoder *decoder;
	void *policy; /* state of spec->policy */
	/*
	 * State of spec->detector; NULL: no detector. If there is a stream, only the stream uses this state until
	 * rfs_stream_drain().
	 */
	void *detector;
	struct rfs_stream *stream;
	struct rfs_atomicity_graph *atomicity; /* predicts atomicity violations; NULL: not needed */
	struct rfs_lock_order *lock_order; /* which locks threads acquired while they held others; NULL: not needed */
	struct rfs_shared *shared;	   /* what calls of threads have touched (shared_things.c); NULL: nothing */
	struct rfs_unsafe_calls *unsafe_calls;	   /* state/findings/unsafe_calls.c; NULL: no signal may come */
	struct rfs_kernel_objects *kernel_objects; /* state/core/kernel_objects.c; NULL: no call has used one */
	struct rfs_aliases *aliases;		   /* state/core/aliases.c; NULL: no file is mapped as shared memory */
	struct rfs_hold_stack *hold_stacks;	   /* one for each number in spec->wanted.stacks_at; NULL: none yet */

	struct rfs_thread **threads; /* indexed by their numbers */
	size_t n_threads;
	struct rfs_sync sync;	    /* locks and waits of the same threads */
	struct rfs_thread *running; /* the thread that runs now; NULL: every live thread is parked or in the kernel */
	struct rfs_watchdog *watchdog; /* NULL until the first check */
	struct rfs_thread_view *view;
	int current;	 /* number of the thread of the last choice */
	bool ended;	 /* result->end is set */
	bool had_fault;	 /* an instruction of the target has caused a signal */
	bool asan, msan; /* the target has this sanitizer (access/sanitizer.c) */
	bool explains;	 /* the target has a sanitizer whose reports show stacks */

	struct {
		uint64_t steps, position; /* position: the position in the trace */
	} checked;			  /* the values at the last choice, for rfs_invariants_check() */
	uint64_t spin_reads;		  /* how many spin reads were executed */
	struct rfs_loop_state loop;
	struct rfs_virtual_time time;
	struct rfs_heap heap;
	unsigned n_object_stacks; /* how many stacks of objects were kept (misuse_objects.c) */
	uint64_t frame_lives;	  /* the last `life` of a struct rfs_pending_return */
	bool main_reached;	  /* main has begun, or its address is not known */
	struct rfs_tsc_state tsc;
	struct rfs_served served;
	bool signals;	/* some thread may have a pending signal */
	uint64_t armed; /* bit signo - 1: the signal may come from now on, and its handler is no thread yet */
	struct rfs_children *children;	 /* NULL: there was no child process */
	size_t n_children;		 /* live tasks of child processes */
	struct rfs_processes *processes; /* run/stops/processes.c; NULL: the program has forked none */
	struct rfs_family *family;	 /* state/core/family.c; NULL: processes that the program forks are foreign */
	const struct rfs_thread *turn;	 /* whose memory is read and written; NULL: the program's */
	/* state of --follow; if glob is NULL, the target is the program that rfsup itself started */
	struct rfs_follow follow;
	struct rfs_kernel *kernel;    /* what the target sees of the kernel; kernel/ owns it */
	struct rfs_read_cache *cache; /* state/core/target_memory.c */

	struct rfs_module_info **modules; /* indexed by their numbers */
	struct rfs_address_set *left_out; /* if the spec has sites to cover: sites that are not watched */
	size_t n_modules;
	struct rfs_hook *hooks;
	struct rfs_stubs *stubs;
	struct rfs_hot *hot; /* access/hot_statements.c; NULL: no statement of the pair was executed since main */
	rfs_addr ocaml_lock; /* the mutex of OCaml's master lock; 0: none */
	struct rfs_word_locks *word_locks;     /* locks that are no pthread locks (access/word_locks.c) */
	struct rfs_recorded_calls *recorded;   /* the functions whose calls are recorded by stubs; NULL: none */
	struct rfs_known_object *objects;      /* of the thread library (model/objects.h) */
	struct rfs_address_set *written_locks; /* readers-writer locks whose annotations say that a thread writes */
	struct rfs_address_set *atomics;       /* addresses that an atomic instruction accessed */
	struct rfs_address_set *code_pages;    /* pages that were made code and belong to no module (tsc_insns.h) */
	struct rfs_generated *generated;       /* access/generated_code.c; NULL: there is one thread so far */
	struct rfs_pthread_functions *pthread; /* addresses of the C library's functions; NULL: none was found yet */
	struct rfs_openmp_layer *openmp;       /* NULL: the program has called no function of libgomp */
	struct rfs_stores *stores;	       /* delayed stores (access/store_buffers.h); NULL: there was none */
	struct rfs_faults *faults;	   /* state/operations/faults.c; NULL: no operation could have a fault so far */
	struct rfs_quarantine *quarantine; /* access/quarantine.c; NULL: no block is in quarantine */
	struct rfs_last_words *last_words; /* state/findings/program_output.c; NULL: nothing was written */
	struct rfs_trace *trace;
	struct rfs_partial_order *partial_order; /* NULL: the spec does not ask for it */
	const struct rfs_run_observer *observer; /* set by gdb/; NULL: no observer */
	struct rfs_gdb *gdb;			 /* the debugger's state; gdb/ owns it */
};

#endif
