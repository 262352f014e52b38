#ifndef RFS_SIGNALS_H
#define RFS_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

struct rfs_run;
struct rfs_thread;

void rfs_signals_init(struct rfs_run *run);
void rfs_signals_release(struct rfs_run *run);
void rfs_signals_copy(const struct rfs_run *from, struct rfs_run *to);

/* action: handler, flags, restorer, mask, as the kernel has them (struct kernel_sigaction). */
void rfs_signal_set_action(struct rfs_run *run, unsigned long signo, const uint64_t action[4]);
/* The same of SIGSEGV, NULL if the target does not handle it. */
const uint64_t *rfs_signal_segv_action(const struct rfs_run *run);
/* The handler was installed with SA_RESTART. */
bool rfs_signal_restarts(const struct rfs_run *run, int signo);
/* No handler, and not ignored by sigaction(2). */
bool rfs_signal_is_default(const struct rfs_run *run, int signo);
/* The signal does nothing to the target: it is ignored, or not handled and ignored by default (signal(7)). */
bool rfs_signal_is_ignored(const struct rfs_run *run, int signo);
/* One of these signals is not ignored. */
bool rfs_signal_matters(const struct rfs_run *run, unsigned long mask);
/* Signals that are pending for the thread, not blocked and not ignored: bit signo - 1 of *mask. */
bool rfs_signal_waits(struct rfs_run *run, struct rfs_thread *thread, unsigned long *mask);
/* The target has made a descriptor of signalfd(2). */
void rfs_signal_descriptor_made(struct rfs_run *run);
bool rfs_signal_descriptors(const struct rfs_run *run);

#endif
