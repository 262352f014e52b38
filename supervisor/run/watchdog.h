/* watchdog.h - looks after a thread that runs without stopping; see watchdog.c. */
#ifndef RFS_WATCHDOG_H
#define RFS_WATCHDOG_H

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_stub_record;

/* At every tick: whether the running thread gets anywhere. */
void rfs_watchdog_look(struct rfs_run *run);
/* The run ends as a hang, once the running thread stands still and its stack can be shown. */
void rfs_watchdog_end_hang(struct rfs_run *run);
/* It waits for the running thread to stand still, or steps it: ticks have to wait. */
bool rfs_watchdog_is_busy(const struct rfs_run *run);
/* The running thread has answered an interrupt, executed one instruction. UNDECIDED: it was not the watchdog's. */
enum rfs_then rfs_watchdog_interrupted(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_watchdog_stepped(struct rfs_run *run, struct rfs_thread *thread);
/* The buffer of the thread's stub records is full: it runs on, or turns out to spin. */
enum rfs_then rfs_watchdog_records(struct rfs_run *run, struct rfs_thread *thread,
				   const struct rfs_stub_record *records, size_t n);
/* After every stop: the thread that the watchdog waits for or steps may have come to an operation instead. */
void rfs_watchdog_after_stop(struct rfs_run *run, const struct rfs_thread *stopped, enum rfs_then then);
void rfs_watchdog_release(struct rfs_run *run);

#endif
