/* watchdog.h - looks at a thread that runs without stopping: does it compute, spin or sleep? */
#ifndef RFS_WATCHDOG_H
#define RFS_WATCHDOG_H

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_stub_record;

/* At every tick: checks whether the running thread makes progress. */
void rfs_watchdog_look(struct rfs_run *run);
/* Ends the run as a hang, once the running thread has stopped and its stack can be shown. */
void rfs_watchdog_end_hang(struct rfs_run *run);
/* The watchdog waits for the running thread to stop, or single-steps it. Ticks have to wait. */
bool rfs_watchdog_is_busy(const struct rfs_run *run);
/*
 * The running thread has answered an interrupt, or executed one instruction. UNDECIDED: the watchdog did not ask for
 * it.
 */
enum rfs_then rfs_watchdog_interrupted(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_watchdog_stepped(struct rfs_run *run, struct rfs_thread *thread);
/* The buffer of the thread's stub records is full: the thread continues, or turns out to spin. */
enum rfs_then rfs_watchdog_records(struct rfs_run *run, struct rfs_thread *thread,
				   const struct rfs_stub_record *records, size_t n);
/* After every stop: the thread that the watchdog waits for or steps may have arrived at an operation instead. */
void rfs_watchdog_after_stop(struct rfs_run *run, const struct rfs_thread *stopped, enum rfs_then then);
/* Frees the watchdog's state. */
void rfs_watchdog_release(struct rfs_run *run);

#endif
