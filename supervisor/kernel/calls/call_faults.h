/*
 * call_faults.h - faults of system calls (state/operations/faults.h): EINTR, and fewer bytes than asked for.
 *
 * A call can be interrupted if it may wait, a handler without SA_RESTART is installed for a signal, and the thread does
 * not block this signal during the call. The handler does not run: the signal may have come earlier, or may have no
 * effect.
 *
 * A read or write of at least 2 bytes moves half of them: on regular files and stream sockets, and on pipes if more
 * than PIPE_BUF bytes are left, because pipe(7) does not split fewer. A write that waits is only shortened if a signal
 * could have ended it.
 */
#ifndef RFS_CALL_FAULTS_H
#define RFS_CALL_FAULTS_H

#include <stdbool.h>

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_choice;

/* The thread is about to park at this call, which never waits if `at_once`. Returns the access of its operation. */
unsigned rfs_call_fault_offer(struct rfs_run *run, struct rfs_thread *thread, bool at_once);
/* The same for a read or write of a regular file. */
unsigned rfs_call_fault_of_file(struct rfs_run *run, struct rfs_thread *thread);
/*
 * Begin the go handler with this. True if the call was interrupted: *then is the decision. Otherwise the call is made,
 * maybe with fewer bytes.
 */
bool rfs_call_fault(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice,
		    enum rfs_then *then);

#endif
