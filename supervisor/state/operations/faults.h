/*
 * faults.h - faults of the environment as choices of the schedule (--faults): which operation of a run has one.
 *
 * A call that may fail is a visible operation at the first FAULT_USES uses of its place in a run. rfs_fault_offer()
 * says so when the thread parks. The plan of the run comes from its seed. It names the place, counted in the order in
 * which places are first used, and the use. When the policy has chosen that thread, the run changes the outcome to
 * RFS_OUTCOME_FAULT (rfs_fault_decide()). The policy "schedule" decides itself, because faults are choices that it
 * repeats.
 *
 * So that a failure has few causes, most runs have one fault, and none has more than FAULTS_MAX. All places get their
 * turn: if an earlier run has counted them (fault_points of the spec), they are equally likely; otherwise early
 * places are likelier.
 *
 * Runs with a detector, and runs that test a prediction, have no faults: they are about the order of operations. Before
 * main there are none either.
 */
#ifndef RFS_FAULTS_H
#define RFS_FAULTS_H

#include <stdbool.h>

#include "disasm/addr.h"
#include "supervisor/record/fault.h"

struct rfs_run;
struct rfs_thread;
struct rfs_choice;

/* How much longer a sleep or a timed wait lasts, if it ends late: more than most programs allow for. */
#define RFS_FAULT_LATE_NANOS 5000000000ull
#define RFS_FAULT_ENDED_LATE "ended 5 s late"

/* Whether the run can have such faults, so that their calls must stop. */
bool rfs_faults_possible(const struct rfs_run *run, enum rfs_fault fault);
/*
 * The thread is about to park before a call that returns to `back`, or is at this system call. Returns the member
 * `access` of its operation: 0 if the call cannot have the fault. Only calls of watched modules can.
 */
unsigned rfs_fault_offer(struct rfs_run *run, struct rfs_thread *thread, enum rfs_fault fault, rfs_addr back);
/* The same for a call that may have one of several faults; they take turns. set: a bit for each. */
unsigned rfs_fault_offer_any(struct rfs_run *run, struct rfs_thread *thread, unsigned set, rfs_addr back);
/* The policy has made a sound choice. Changes its outcome if the plan of the run says so. */
void rfs_fault_decide(struct rfs_run *run, struct rfs_choice *choice);
/* Whether the operation that the thread is parked at may have a fault. */
bool rfs_fault_can_happen(const struct rfs_thread *thread);
/* The operation that the thread was parked at has its fault: adds it to the result. The texts are copied. */
void rfs_fault_happened(struct rfs_run *run, const struct rfs_thread *thread, const char *call, const char *effect);
/*
 * The thread got SIGABRT. Notes in the result whether it gives up because a fault has refused it a resource: whether
 * code of the program has called abort(), and not assert() or the C++ library.
 */
void rfs_fault_aborts(struct rfs_run *run, const struct rfs_thread *thread);
void rfs_faults_release(struct rfs_run *run);

#endif
