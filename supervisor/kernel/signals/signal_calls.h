/* signal_calls.h - signals that threads of the target send, accept and wait for. */
#ifndef RFS_SIGNAL_CALLS_H
#define RFS_SIGNAL_CALLS_H

#include <stdbool.h>

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_syscall;
struct rfs_thread;

/*
 * Called instead of the thread's go handler if a signal is pending. The operation is not executed; the thread continues
 * with its signal handler.
 */
enum rfs_then rfs_go_interrupt(struct rfs_run *run, struct rfs_thread *thread);

/* kill and rt_sigqueueinfo, which signal a process */
enum rfs_then rfs_sys_kill(struct rfs_run *run, struct rfs_thread *thread);
/* tkill, tgkill and rt_tgsigqueueinfo, which signal one thread */
enum rfs_then rfs_sys_tkill(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_sigaction(struct rfs_run *run, struct rfs_thread *thread);
/* Call at the entry of each call in a run with a detector: notes if it changes the mask of blocked signals. */
void rfs_signal_mask_note(struct rfs_run *run, struct rfs_thread *thread, long number, const unsigned long *args);
/* The thread has made a process. What precedes that happens before the signals that this process causes. */
void rfs_signal_forked(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_signalfd(struct rfs_run *run, struct rfs_thread *thread);
enum rfs_then rfs_sys_sigtimedwait(struct rfs_run *run, struct rfs_thread *thread);
/* Call when the target, or a child, makes a call with this row: notes if it sends SIGKILL. */
void rfs_signal_note_kill(struct rfs_run *run, const struct rfs_syscall *row, const unsigned long *args);
/* Whether SIGKILL was sent in the run. Otherwise nobody in it can have killed the target. */
bool rfs_signal_kills(const struct rfs_run *run);
void rfs_sigtimedwait_returned(struct rfs_run *run, struct rfs_thread *thread, long result);

#endif
