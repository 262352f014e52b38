/*
 * gdb.h - lets gdb debug one controlled run, as a server of gdb's remote serial protocol (the GDB manual, appendix "GDB
 * Remote Serial Protocol").
 *
 * rfsup is still the only tracer: gdb asks, the server answers, and the run continues under its own schedule. The run
 * is synchronous, so the server is too. A hook that finds a reason to stop talks to gdb until gdb resumes the run, then
 * returns. Without a debugger, a hook costs one comparison. After a hook, the run may have ended.
 *
 * While gdb has control, one thread is stopped at an instruction (after a breakpoint, a step or a signal), or no thread
 * is (before a choice). The other threads are parked before their next visible operation. If gdb steps or continues any
 * thread, the schedule continues: a stepped thread moves when the schedule chooses it.
 */
#ifndef RFS_GDB_H
#define RFS_GDB_H

#include <stdbool.h>
#include <stdint.h>

#include "disasm/addr.h"

struct rfs_choice;
struct rfs_run;
struct rfs_symbols;
struct rfs_thread;

#define RFS_GDB_NO_STEP UINT64_MAX

struct rfs_gdb_settings {
	int listener;		     /* socket that gdb connects to */
	const char *path;	     /* the socket's path; the file is removed once gdb has connected */
	int control;		     /* a message here starts gdb (gdb_session.h); readable: the session has ended */
	uint64_t stop_at;	     /* visible operations before the first stop; RFS_GDB_NO_STEP: at the first race */
	struct rfs_symbols *symbols; /* for the names of what is shown */
};

/* Does nothing if the spec has no debugger. */
void rfs_gdb_init(struct rfs_run *run);
void rfs_gdb_release(struct rfs_run *run);
/* True once gdb has connected; real time then does not pass for the run. */
bool rfs_gdb_attached(const struct rfs_run *run);

/* Call when the policy has chosen, before any of the choice is executed. */
void rfs_gdb_chosen(struct rfs_run *run, const struct rfs_choice *choice);
/* Call when the thread has reached a breakpoint, of gdb or of the run. */
void rfs_gdb_arrived(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address);
/* Call after an instruction of the thread that accessed watched memory. */
void rfs_gdb_watched(struct rfs_run *run, struct rfs_thread *thread);
void rfs_gdb_stepped(struct rfs_run *run, struct rfs_thread *thread);
/* Call when the thread has stopped because of rfs_task_interrupt(). */
void rfs_gdb_interrupted(struct rfs_run *run, struct rfs_thread *thread);
/* Call right before the process exits. */
void rfs_gdb_exiting(struct rfs_run *run, struct rfs_thread *thread);
/* Call now and then while the target runs: checks if gdb asks for control. */
void rfs_gdb_look(struct rfs_run *run);
/* The code in [start, end) is gone. */
void rfs_gdb_forget(struct rfs_run *run, rfs_addr start, rfs_addr end);
/* Call when the run has ended: shows gdb the end, and waits until gdb is done with it. */
void rfs_gdb_ended(struct rfs_run *run);

#endif
