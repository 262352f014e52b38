/*
 * sync_run.h - a run without the main loop, for tests of the handlers of library calls. The test says which thread
 * runs.
 */
#ifndef RFS_TEST_SYNC_RUN_H
#define RFS_TEST_SYNC_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/operations.h"
#include "tests/supervisor/fake_tracer/fake_tracer.h"

struct rfs_thread;

/* Starts a thread for each of the first n scripts. Each runs until it is parked. */
void sync_open(const struct fake_step *const *scripts, size_t n);
void sync_close(void);
struct rfs_thread *sync_thread(size_t number);
/* Whether the thread is parked at an operation of this kind on this object. */
bool sync_is_at(size_t number, enum rfs_op_kind kind, rfs_addr object);
/* The flags (enum rfs_thread_flags) of the operation that the thread is parked at. */
unsigned sync_flags(size_t number);
/* Executes the thread's operation, which must be possible. The thread runs until it is parked again or has ended. */
void sync_go(size_t number);
/* The same, with this outcome. waiter: the thread that a signal wakes; -1: the one that has waited longest. */
void sync_go_with(size_t number, enum rfs_outcome outcome, int waiter);
/* Virtual time passes, so that each timeout at this date can be chosen. The run begins one second before it. */
#define SYNC_SOON INT64_C(1577836801)
void sync_time_passes(void);
/* The test has changed the target's memory, which is allowed only while a thread might run. */
void sync_memory_changed(void);
/* Whether the run has ended in a deadlock. */
bool sync_has_deadlock(void);
/* Whether the thread holds the lock. */
bool sync_holds(size_t number, rfs_addr lock);

#endif
