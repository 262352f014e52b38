/* evidence.h - collects what a finding shows: places in the code, objects, stacks, held locks. */
#ifndef RFS_EVIDENCE_H
#define RFS_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"

struct rfs_run;
struct rfs_thread;
struct rfs_choice;
struct rfs_object;
struct rfs_place;

/*
 * Call this when the thread is parked at statement i (0 or 1) of the pair. If result->stood[i] is empty, describes the
 * thread there. Also replaces an earlier description, if this thread and result->stood[1 - i] look more like a race
 * than the thread described earlier. If spec->wanted.stood_thread, describes instead the threads of the violation under
 * test.
 */
void rfs_evidence_reached(struct rfs_run *run, struct rfs_thread *thread, int i);
/*
 * Call this when the policy reports a race of two parked threads in choice->race. Checks and counts the race. If the
 * race is the first one of the run, describes it in result->created.
 */
void rfs_evidence_race(struct rfs_run *run, const struct rfs_choice *choice);
/*
 * rfs_evidence_expect_meeting(): a policy has created a race of the parked thread with the handler that interrupts it
 * now or, if `after` is set, after its statement (run/stops/handlers.h). rfs_evidence_meet(): the handler is parked; if
 * the two do race, the race is counted as in rfs_evidence_race(). rfs_evidence_drop_meeting(): the handler has ended.
 */
void rfs_evidence_expect_meeting(struct rfs_run *run, struct rfs_thread *handler, struct rfs_thread *thread,
				 bool after);
void rfs_evidence_meet(struct rfs_run *run, struct rfs_thread *handler);
void rfs_evidence_drop_meeting(struct rfs_thread *handler);
/*
 * Call this when the thread got a signal that may end the run. Stores the thread's stack in the result, and what it
 * said last if it aborts the program.
 */
void rfs_evidence_fault(struct rfs_run *run, struct rfs_thread *thread, bool aborts);
/* Stores the races that the detector predicted in the result. */
void rfs_evidence_predicted(struct rfs_run *run);
/* Describes what an address is: static, stack, heap or other. The caller frees what out owns. */
void rfs_describe(const struct rfs_run *run, rfs_addr address, struct rfs_object *out);
/* The same for a lock: *out also has a site that acquires it, if it is a word lock. */
void rfs_describe_lock(const struct rfs_run *run, rfs_addr lock, struct rfs_object *out);
/* The module and offset of an address. The caller frees out->module. */
void rfs_place_of(const struct rfs_run *run, rfs_addr address, struct rfs_place *out);
/* The places of the thread's call stack, innermost first. The caller frees *out with rfs_places_free(). */
void rfs_stack_places(struct rfs_run *run, struct rfs_thread *thread, struct rfs_place **out, size_t *n);

#endif
