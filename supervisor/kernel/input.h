/*
 * input.h - recorded input: what comes from outside is stored during a run and given back in a replay, without its
 * source (rfsup-record(5), "The input file").
 *
 * It contains the results of all calls on sockets, named FIFOs and terminals, and of poll and similar calls. It also
 * says before which choice of the policy some things happened: a thread that waited for such a descriptor was enabled,
 * a thread returned from the kernel, or rfsup sent a signal. Pipes and eventfds inside the target are not outside,
 * because the schedule orders them.
 */
#ifndef RFS_INPUT_H
#define RFS_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;

/* Opens the files that spec->input_out and spec->input_in name. 0, or -errno and one line in why. */
int rfs_input_open(struct rfs_run *run, char *why, size_t n) __attribute__((warn_unused_result));
/* Writes the file, if anything came from outside, and frees the input. */
void rfs_input_close(struct rfs_run *run);

/* The thread is about to park at a call on fd (our duplicate; -1: several). Notes whether the call is recorded. */
void rfs_input_consider(struct rfs_run *run, struct rfs_thread *thread, int fd);
/* Whether the call can continue: as the kernel says (now), or as in the recorded run. */
bool rfs_input_ready(struct rfs_run *run, struct rfs_thread *thread, bool now);
/* Executes the call. RFS_THEN_UNDECIDED: it is not in the record, so the kernel executes it. */
enum rfs_then rfs_input_answer(struct rfs_run *run, struct rfs_thread *thread);
/* The same for a call that may wait in the kernel. True if the thread waits for its recorded return. */
bool rfs_input_wait(struct rfs_run *run, struct rfs_thread *thread);
/* At the exit of a call. back: it had been waiting in the kernel. */
void rfs_input_returned(struct rfs_run *run, struct rfs_thread *thread, bool back);
/*
 * At the entry of getpeername and similar calls, which never wait. RFS_THEN_UNDECIDED: nothing is recorded or given
 * back.
 */
enum rfs_then rfs_input_query(struct rfs_run *run, struct rfs_thread *thread);
/*
 * The same for bind: other programs decide whether a port is free, and no client calls there in a replay. Names of
 * local sockets are files, which bind really makes.
 */
enum rfs_then rfs_input_bind(struct rfs_run *run, struct rfs_thread *thread);
/* Before a choice: makes happen what was recorded for this moment. True if it sent a signal. */
bool rfs_input_due(struct rfs_run *run);
/*
 * No thread can continue, so the horizon or the time becomes `due` (RFS_NEVER: nothing is due). True if a replay ends
 * here, because a thread waits for input that was not recorded.
 */
bool rfs_input_idle(struct rfs_run *run, bool horizon, uint64_t due);
/* The choice is made now: records which threads could continue. */
void rfs_input_chosen(struct rfs_run *run);
/* Sends the target a signal from outside, and records it. */
void rfs_input_signal(struct rfs_run *run, int signo);
/* Whether the input comes from a file. */
bool rfs_input_replays(const struct rfs_run *run);
/*
 * Records a read of the real clock. thread NULL: the run begins. *now is virtual time. True if *now was replaced by the
 * recorded time.
 */
bool rfs_input_clock(struct rfs_run *run, const struct rfs_thread *thread, uint64_t *now);

#endif
