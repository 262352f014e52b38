/* signals.h - which signals have an effect on the target, and which are pending for one of its threads. */
#ifndef RFS_SIGNALS_H
#define RFS_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

struct rfs_run;
struct rfs_thread;

void rfs_signals_init(struct rfs_run *run);
void rfs_signals_release(struct rfs_run *run);
void rfs_signals_copy(const struct rfs_run *from, struct rfs_run *to);
/* The process has another image: signals with a handler have the default action again. */
void rfs_signals_exec(struct rfs_run *run);

/*
 * Called at sigaction(2). action: handler, flags, restorer and mask, in the kernel's format (struct kernel_sigaction).
 */
void rfs_signal_set_action(struct rfs_run *run, unsigned long signo, const uint64_t action[4]);
/*
 * The action of SIGSEGV, valid until the target sets another action for it. NULL: the default action.
 */
const uint64_t *rfs_signal_segv_action(const struct rfs_run *run);
/* Whether a signal outside the mask has a handler without SA_RESTART. Signals of faults and of the C library do not
 * count. */
bool rfs_signal_interrupts(const struct rfs_run *run, unsigned long blocked);
/* Whether the handler was installed with SA_RESTART. */
bool rfs_signal_restarts(const struct rfs_run *run, const struct rfs_thread *thread, int signo);
/*
 * The handlers of another process (family.h), of which only SA_RESTART is followed: the thread is that of a new
 * process, which has the handlers of its parent; it makes a call of rt_sigaction with these arguments.
 */
void rfs_signal_family_born(struct rfs_run *run, const struct rfs_thread *parent, const struct rfs_thread *thread);
void rfs_signal_family_action(struct rfs_run *run, const struct rfs_thread *thread, const unsigned long *args);
/* The handler of the signal begins: with SA_RESETHAND, it has none from now on. */
void rfs_signal_handled(struct rfs_run *run, int signo);
bool rfs_signal_has_handler(const struct rfs_run *run, int signo);
/* The address of the handler; 0 or 1: there is none. */
uint64_t rfs_signal_handler(const struct rfs_run *run, int signo);
/*
 * The thread has made a call from which on the signal may come, or no longer comes. What precedes the call happens
 * before the next run of the handler, and what the handler has done happens before the return of the call.
 */
void rfs_signal_armed(struct rfs_run *run, struct rfs_thread *thread, int signo, bool comes);
/*
 * Tells the detector that the thread, or the handler that runs on it, blocks these signals from now on, or no longer
 * does (state/core/signal_mask.h). Bit signo - 1 of a mask stands for signo.
 */
void rfs_signal_blocks(struct rfs_run *run, struct rfs_thread *by, unsigned long before, unsigned long after);
/* The same for a thread that has blocked the signal, which now gets a handler or has none any more. */
void rfs_signal_handler_appears(struct rfs_run *run, const struct rfs_thread *thread, int signo, bool appears);
/* The signals that the handler of this one blocks while it runs, itself included. */
unsigned long rfs_signal_handler_mask(const struct rfs_run *run, int signo);
/* Whether a signal that may come at any time has or had a handler. */
bool rfs_signal_is_caught(const struct rfs_run *run);
/* Whether the signal has no handler and is not ignored by sigaction(2). */
bool rfs_signal_is_default(const struct rfs_run *run, int signo);
/* Whether the signal has no effect: it is ignored, or has no handler and is ignored by default (signal(7)). */
bool rfs_signal_is_ignored(const struct rfs_run *run, int signo);
/* Whether at least one of these signals is not ignored. */
bool rfs_signal_matters(const struct rfs_run *run, const struct rfs_thread *thread, unsigned long mask);
/*
 * Whether the thread of another process (family.h) ignores the signal. The kernel is asked, because only the program's
 * own actions are followed.
 */
bool rfs_signal_is_ignored_by(const struct rfs_thread *thread, int signo);
/* Whether signals are pending for the thread that it neither blocks nor ignores. *mask has bit signo - 1 for each. */
bool rfs_signal_waits(struct rfs_run *run, struct rfs_thread *thread, unsigned long *mask);
/*
 * rfs_signal_descriptor_made() is called when the target makes a signalfd. rfs_signal_descriptors() says whether the
 * target ever made one.
 */
void rfs_signal_descriptor_made(struct rfs_run *run);
bool rfs_signal_descriptors(const struct rfs_run *run);

#endif
