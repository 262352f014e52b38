/*
 * input.h - what comes from outside: written down while a run takes it, and given back when it is replayed, without
 * whoever it came from (rfsup-record(5), "The input file").
 *
 * The results of all calls on sockets, named FIFOs and terminals go in, and those of poll and its kin; also before
 * which choice of the policy a thread that waits for such a descriptor became able to go on, came back from the kernel,
 * or the target got a signal from us. Pipes and eventfds inside of the target are not outside: the schedule orders
 * them.
 */
#ifndef RFS_INPUT_H
#define RFS_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;

/* As spec->input_out and spec->input_in say. 0, or -errno and a line in why. */
int rfs_input_open(struct rfs_run *run, char *why, size_t n) __attribute__((warn_unused_result));
/* The file is written where something did come from outside. */
void rfs_input_close(struct rfs_run *run);

/* A call that the thread parks before, whose descriptor is fd (ours; -1: several): is it one that is written down? */
void rfs_input_consider(struct rfs_run *run, struct rfs_thread *thread, int fd);
/* Whether it can go on: as the kernel says, or as it was in the recorded run. */
bool rfs_input_ready(struct rfs_run *run, struct rfs_thread *thread, bool now);
/* The call is executed. RFS_THEN_UNDECIDED: not from the record, the kernel executes it. */
enum rfs_then rfs_input_answer(struct rfs_run *run, struct rfs_thread *thread);
/* The same for a call that may wait in the kernel: true where the thread waits for its recorded return. */
bool rfs_input_wait(struct rfs_run *run, struct rfs_thread *thread);
/* At the exit of a call. back: it had been waiting in the kernel. */
void rfs_input_returned(struct rfs_run *run, struct rfs_thread *thread, bool back);
/* At the entry of getpeername and its kin, which never wait. RFS_THEN_UNDECIDED: nothing is recorded or given back. */
enum rfs_then rfs_input_query(struct rfs_run *run, struct rfs_thread *thread);
/* The same for bind: whether a port is free is somebody else's doing, and nobody calls there in a replay. Names of
 * local sockets are files, and made. */
enum rfs_then rfs_input_bind(struct rfs_run *run, struct rfs_thread *thread);
/* Before the choice: what was recorded of this moment takes place. True where a signal was sent. */
bool rfs_input_due(struct rfs_run *run);
/* Nobody can go on, so the horizon, or the time, becomes this (RFS_NEVER: nothing is due). True where a replay ends
 * there: somebody waits for input that was not recorded. */
bool rfs_input_idle(struct rfs_run *run, bool horizon, uint64_t due);
/* The choice is made now: who can go on is written down. */
void rfs_input_chosen(struct rfs_run *run);
/* The target is sent a signal from outside. */
void rfs_input_signal(struct rfs_run *run, int signo);
bool rfs_input_replays(const struct rfs_run *run);
/*
 * A look at the real clock (thread NULL: the run begins), *now as virtual time: it is written down. True where *now was
 * replaced by what was recorded.
 */
bool rfs_input_clock(struct rfs_run *run, const struct rfs_thread *thread, uint64_t *now);

#endif
