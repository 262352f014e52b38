/* watchdog.h - looks at a thread that runs without stopping: does it compute, spin or sleep? */
#ifndef RFS_WATCHDOG_H
#define RFS_WATCHDOG_H

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/record/run_result.h"
#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_stub_record;

/* At every tick: checks whether the running thread makes progress. */
void rfs_watchdog_look(struct rfs_run *run);
/*
 * Ends the run as a hang or a timeout, once the running thread has stopped, so that its place can be shown. May be
 * called again before that.
 */
void rfs_watchdog_end(struct rfs_run *run, enum rfs_run_end end);
/*
 * Whether the watchdog waits for the running thread to stop, or single-steps it. A tick then starts no other check of
 * the thread.
 */
bool rfs_watchdog_is_busy(const struct rfs_run *run);
/*
 * Call these when the running thread has answered an interrupt, or has executed one instruction. They return UNDECIDED
 * if the watchdog did not cause the stop.
 */
enum rfs_then rfs_watchdog_interrupted(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_watchdog_stepped(struct rfs_run *run, struct rfs_thread *thread);
/*
 * Call this when the thread's records fill the stub buffer. If the records look as if the thread spins, it is
 * single-stepped. Otherwise it continues.
 */
enum rfs_then rfs_watchdog_records(struct rfs_run *run, struct rfs_thread *thread,
				   const struct rfs_stub_record *records, size_t n);
/*
 * Call this after every stop. Clears the watchdog's state if the thread that it interrupted or steps has arrived at
 * an operation instead.
 */
void rfs_watchdog_after_stop(struct rfs_run *run, const struct rfs_thread *stopped, enum rfs_then then);
/* Frees the watchdog's state. */
void rfs_watchdog_release(struct rfs_run *run);

#endif
