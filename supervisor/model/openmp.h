/*
 * openmp.h - what OpenMP's constructs order: teams, barriers, ordered regions, tasks and their dependences.
 *
 * Pure: the caller says what a thread has done, and gets the happens-before messages that this sends or receives. The
 * rules are those of the OpenMP specification 5.0, sections 2.17 (synchronisation) and 2.10 (tasking).
 */
#ifndef RFS_MODEL_OPENMP_H
#define RFS_MODEL_OPENMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/operations.h"

struct rfs_openmp;

/* Gets each message: SEND, RECEIVE or FORGET. */
typedef void (*rfs_openmp_tell)(void *arg, enum rfs_event_kind kind, uint64_t message);

struct rfs_openmp *rfs_openmp_new(rfs_openmp_tell tell, void *arg); /* rfs_openmp_free() */
void rfs_openmp_free(struct rfs_openmp *openmp);		    /* NULL: nothing happens */

/* ---- teams ---- */

/* The thread begins a parallel region: function(data) is about to be executed by a team. */
void rfs_openmp_fork(struct rfs_openmp *openmp, int thread, rfs_addr function, rfs_addr data);
/*
 * The thread enters the region's function. creator: the thread that created it, -1: none. False if no region with this
 * function and data was begun.
 */
bool rfs_openmp_begin(struct rfs_openmp *openmp, int thread, int creator, rfs_addr function, rfs_addr data);
/* The thread has left the region's function. Until the team joins, it may still execute tasks of the team. */
void rfs_openmp_end(struct rfs_openmp *openmp, int thread);
/* The thread that began the region continues behind it. */
void rfs_openmp_join(struct rfs_openmp *openmp, int thread);
/* The function of the innermost region that the thread is in. 0: it is in none. */
rfs_addr rfs_openmp_region(const struct rfs_openmp *openmp, int thread);

/* ---- within a team; a thread that is in no team is alone, and nothing happens ---- */

/* The thread arrives at a barrier, and leaves it. */
void rfs_openmp_arrive(struct rfs_openmp *openmp, int thread);
void rfs_openmp_leave(struct rfs_openmp *openmp, int thread);
/* The thread reaches the next work-sharing construct (a loop, sections or single). */
void rfs_openmp_share(struct rfs_openmp *openmp, int thread);
/* The thread begins and ends an ordered region of its current loop. */
void rfs_openmp_ordered_begin(struct rfs_openmp *openmp, int thread);
void rfs_openmp_ordered_end(struct rfs_openmp *openmp, int thread);
/*
 * ordered depend(source) and depend(sink) of the current loop: an iteration was posted, and is waited for. iteration: a
 * hash of the iteration's numbers.
 */
void rfs_openmp_post(struct rfs_openmp *openmp, int thread, uint64_t iteration);
bool rfs_openmp_posted(const struct rfs_openmp *openmp, int thread, uint64_t iteration);
void rfs_openmp_wait(struct rfs_openmp *openmp, int thread, uint64_t iteration);

/* ---- tasks ---- */

/* One address of a depend clause. */
struct rfs_openmp_depend {
	rfs_addr address;
	bool out; /* out, inout or mutexinoutset; otherwise in */
};
/* A task, or the tasks of a taskloop, that a call creates. */
struct rfs_openmp_task {
	rfs_addr function;
	bool many;	/* taskloop */
	uint64_t first; /* the number that the creator's next allocation on the heap gets */
	const struct rfs_openmp_depend *depends;
	size_t n_depends;
};
/* The thread is about to create it. */
void rfs_openmp_create(struct rfs_openmp *openmp, int thread, const struct rfs_openmp_task *made);
/* Its call has returned. end: the number that its next allocation gets. */
void rfs_openmp_created(struct rfs_openmp *openmp, int thread, uint64_t end);
/*
 * The thread begins to execute a task. Its data is in the allocation with this number, made by the thread `creator`;
 * -1: the data is no allocation, so the thread executes a task that it is just creating.
 */
void rfs_openmp_task_begin(struct rfs_openmp *openmp, int thread, rfs_addr function, int creator, uint64_t allocation);
void rfs_openmp_task_end(struct rfs_openmp *openmp, int thread);
/* A taskwait is over. depends: those of its depend clause; n = 0: it waited for all children. */
void rfs_openmp_task_wait(struct rfs_openmp *openmp, int thread, const struct rfs_openmp_depend *depends, size_t n);
void rfs_openmp_group_begin(struct rfs_openmp *openmp, int thread);
void rfs_openmp_group_end(struct rfs_openmp *openmp, int thread);
/* The thread fulfils the event of a detached task. */
void rfs_openmp_fulfil(struct rfs_openmp *openmp, int thread);

#endif
