/*
 * gdb.h - a debugger at one controlled run, as a server of gdb's remote serial protocol (The GDB manual, appendix
 * "GDB Remote Serial Protocol").
 *
 * rfsup stays the only tracer: gdb asks, the server answers, and the run goes on under its own schedule. The run is
 * synchronous, so the server is too: a hook that finds a reason to stop talks to gdb until gdb says how to go on, and
 * returns. A hook costs one comparison where no debugger was asked for. After a hook the run may have ended.
 *
 * While gdb has control, one thread stands at an instruction (after a breakpoint, a step or a signal) or none does
 * (before a choice); the others are parked before their next visible operation. Stepping or continuing any thread lets
 * the schedule go on: a thread that is stepped moves when its turn comes.
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
	int listener;		     /* socket that gdb will connect to */
	const char *path;	     /* … and its name, removed once gdb has connected */
	int control;		     /* a message here starts gdb (gdb_session.h); readable: the session is over */
	uint64_t stop_at;	     /* visible operations before the first stop; RFS_GDB_NO_STEP: at the first race */
	struct rfs_symbols *symbols; /* names for what is shown */
};

/* Does nothing where the spec names no debugger. */
void rfs_gdb_init(struct rfs_run *run);
void rfs_gdb_release(struct rfs_run *run);
/* True once gdb has connected: real time stands still for the run then. */
bool rfs_gdb_attached(const struct rfs_run *run);

/* The policy has chosen, and nothing of it was carried out. */
void rfs_gdb_chosen(struct rfs_run *run, const struct rfs_choice *choice);
/* The thread has come to a breakpoint, whoever's it is. */
void rfs_gdb_arrived(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address);
/* … or after an instruction that touched what gdb watches. */
void rfs_gdb_watched(struct rfs_run *run, struct rfs_thread *thread);
void rfs_gdb_stepped(struct rfs_run *run, struct rfs_thread *thread);
/* The thread has answered rfs_task_interrupt(). */
void rfs_gdb_interrupted(struct rfs_run *run, struct rfs_thread *thread);
/* The last moment of the process. */
void rfs_gdb_exiting(struct rfs_run *run, struct rfs_thread *thread);
/* Now and then while the target runs: does gdb want it back? */
void rfs_gdb_look(struct rfs_run *run);
/* The code in [start, end) is gone. */
void rfs_gdb_forget(struct rfs_run *run, rfs_addr start, rfs_addr end);
/* The run has ended: shows gdb how, and waits until gdb is done with it. */
void rfs_gdb_ended(struct rfs_run *run);

#endif
