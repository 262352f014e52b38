/*
 * stepped_run.h - a run on the fake tracer without the main loop, for tests of handlers. The test says which thread
 * runs.
 */
#ifndef RFS_TEST_STEPPED_RUN_H
#define RFS_TEST_STEPPED_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/operations.h"
#include "supervisor/state/core/thread.h"
#include "tests/supervisor/fake_tracer/fake_tracer.h"

struct rfs_run;
struct rfs_stop;

/* What the tests of a room add. */
struct step_room {
	void (*open)(struct rfs_run *run);
	void (*begin)(struct rfs_run *run, struct rfs_thread *thread); /* a thread was added to the run */
	/* Handles a stop of a running thread. Its end, which is its last step, is handled before. */
	enum rfs_then (*stopped)(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop);
	void (*close)(struct rfs_run *run);
};

/* Makes the run, and a thread for each of the first n scripts. None of them runs yet: the first step_go() begins it. */
void step_open(const struct fake_step *const *scripts, size_t n, const struct step_room *room);
void step_close(void);
struct rfs_run *step_run(void);
struct rfs_thread *step_thread(size_t number);
/* Whether the thread is parked at an operation of this kind on this object. */
bool step_is_at(size_t number, enum rfs_op_kind kind, rfs_addr object);
/* The flags (enum rfs_thread_flags) of the operation that the thread is parked at. */
unsigned step_flags(size_t number);
/* Executes the thread's operation, which must be possible. The thread runs until it is parked again or has ended. */
void step_go(size_t number);
/* The same, with this outcome. waiter: the thread that a signal wakes; -1: the one that has waited longest. */
void step_go_with(size_t number, enum rfs_outcome outcome, int waiter);
/* Virtual time passes, so that each timeout at this date can be chosen. The run begins one second before it. */
#define STEP_SOON INT64_C(1577836801)
void step_time_passes(void);
/* The test has changed the target's memory, which is allowed only while a thread might run. */
void step_memory_changed(void);
/* Whether the run has ended in a deadlock. */
bool step_has_deadlock(void);
/* Whether the thread holds the lock. */
bool step_holds(size_t number, rfs_addr lock);

#endif
