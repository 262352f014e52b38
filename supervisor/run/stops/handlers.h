/*
 * handlers.h - signal handlers as threads.
 *
 * A handler runs on the stack of the thread that it interrupts, but it is concurrent with this thread: it may come
 * between any two instructions. So the handler of each signal that may come at any time is a struct rfs_thread of its
 * own, without a task while it does not run. When the signal is delivered, the task of the interrupted thread becomes
 * that of the handler, and the interrupted thread waits for the end of the handler as if it joined it. So detectors see
 * two threads, and locks, deadlocks, traces and policies need not know of handlers.
 *
 * Signals that an instruction or a call of the thread itself causes (a fault, raise(), SIGPIPE) come at one place only.
 * Their handlers belong to the thread.
 *
 * A policy sees a handler that does not run as a thread before its start, which is enabled if a timer may send its
 * signal now. In a run of a pair, this is so only while the thread is parked at a statement of the pair. The handler is
 * then shown at the other statement: if it goes first, the signal comes before the statement of the thread, otherwise
 * right after. The race counts as created only when the handler has reached its statement.
 */
#ifndef RFS_HANDLERS_H
#define RFS_HANDLERS_H

#include <stdbool.h>

struct rfs_choice;
struct rfs_run;
struct rfs_stop;
struct rfs_task;
struct rfs_thread;
struct rfs_thread_view;

/* Makes threads of the handlers in run->armed. creator: the thread that has made the call. */
void rfs_handlers_make(struct rfs_run *run, struct rfs_thread *creator);
/* Whether the thread is a handler that does not run. */
bool rfs_handler_is_idle(const struct rfs_thread *thread);
/* What a policy sees of a handler that does not run. Sets the thread's flags and its next operation, too. */
void rfs_handler_view(struct rfs_run *run, struct rfs_thread *handler, struct rfs_thread_view *out);
/* A policy has created a race with a handler that does not run. False: neither of the two is one. */
bool rfs_handler_race(struct rfs_run *run, const struct rfs_choice *choice);
/*
 * The thread is resumed with its pending signal. Returns the thread that runs then: the handler, if it has its own
 * thread, otherwise the same one.
 */
struct rfs_thread *rfs_handler_delivers(struct rfs_run *run, struct rfs_thread *thread);
/* The thread is about to run on. Returns the thread that runs: the handler that follows its statement, or itself. */
struct rfs_thread *rfs_handler_follows(struct rfs_run *run, struct rfs_thread *thread);
/*
 * Looks whether the task, which has stopped, has left its handler by longjmp() or has not begun it. If so, the
 * interrupted thread runs again.
 */
void rfs_handler_looks(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop);
/* The handler ends: the interrupted thread runs again, and is returned. */
struct rfs_thread *rfs_handler_ends(struct rfs_run *run, struct rfs_thread *handler);
/*
 * The thread is about to make this call. If it may end the process or stop a timer, a handler that has not run yet runs
 * before it in a run with a detector. So each handler is seen at least once. True if one runs.
 */
bool rfs_handlers_before_call(struct rfs_run *run, struct rfs_thread *thread, long call);

#endif
