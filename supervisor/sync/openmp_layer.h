/* openmp_layer.h - what a run knows of OpenMP, and what the handlers of libgomp's functions have in common. */
#ifndef RFS_OPENMP_LAYER_H
#define RFS_OPENMP_LAYER_H

#include <stdbool.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/state/core/thread.h"

struct rfs_openmp;
struct rfs_run;
struct rfs_thread;

/* What a run knows of OpenMP. */
struct rfs_openmp_layer {
	struct rfs_run *run;
	struct rfs_thread *speaker; /* the thread whose call goes to the model now; NULL at the end */
	struct rfs_openmp *model;
	/* Stand for the lock of critical constructs without a name, and of atomic constructs. 0: not used yet. */
	rfs_addr critical, atomic;
	int taker; /* the thread that took the last share of work: a chunk, a section, a single region or a task */
};

/* The layer of this run. Made when it is first needed. */
struct rfs_openmp_layer *rfs_openmp_layer_of(struct rfs_run *run);
/* The model, ready for what this thread has done. */
struct rfs_openmp *rfs_openmp_of(struct rfs_run *run, struct rfs_thread *thread);
/* The function of the parallel region that the thread is in; 0: it is in none. */
rfs_addr rfs_openmp_region_of(struct rfs_run *run, struct rfs_thread *thread);
/*
 * Parks the thread before it takes a share of work. In half of the cases, a thread that also took the last share yields
 * until another thread has taken one. Otherwise the thread that comes first often takes all: the others still have to
 * start.
 */
enum rfs_then rfs_openmp_park_taker(struct rfs_run *run, struct rfs_thread *thread, rfs_site site, rfs_addr object,
				    rfs_go_fn go);
/* A go() for such a thread has executed its operation: the thread has its share. */
void rfs_openmp_taken(struct rfs_run *run, struct rfs_thread *thread);
/* Forgets everything, because the run ends or another program is executed. */
void rfs_openmp_release(struct rfs_run *run);
/*
 * The thread continues at the entry of a function that libgomp calls. If its first instruction is a site of its own,
 * the thread arrives there.
 */
enum rfs_then rfs_openmp_begin_code(struct rfs_run *run, struct rfs_thread *thread);
/* Whether libgomp itself makes the call of the function that the thread is at. */
bool rfs_openmp_calls_itself(const struct rfs_run *run, struct rfs_thread *thread);

#endif
