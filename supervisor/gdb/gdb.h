/*
 * gdb.h - lets gdb debug a controlled run. rfsup is a server of gdb's remote serial protocol (the GDB manual, appendix
 * "GDB Remote Serial Protocol").
 *
 * rfsup is still the only tracer. The functions below are called at points of the run at which gdb might want control.
 * If there is a reason to stop, such a function talks to gdb until gdb resumes the run, and then returns. The run may
 * have ended when the function returns. Without a debugger, a call costs one comparison.
 *
 * While gdb has control, at most one thread is stopped at an arbitrary instruction, after a breakpoint, a step or a
 * signal. All other threads are parked before their next visible operation.
 *
 * Whatever gdb asks to step or continue, threads still run in the order of the schedule. A step of a thread ends after
 * the schedule has chosen that thread.
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
/*
 * No program has memory at this address. gdb reads a byte there: 1 if `monitor` has named another moment, to which the
 * next `continue` goes. gdb has no packet for that.
 */
#define RFS_GDB_TRAVELS_AT 0xffffffffffff0f00

struct rfs_gdb_settings {
	int listener;	  /* the socket that gdb connects to */
	const char *path; /* the socket's path; the file is removed once gdb has connected; NULL: it has none */
	bool waits;	  /* the user starts the debugger, and the session ends with the run */
	/*
	 * A channel to the session (cli/recorded/gdb_session.h). A message that is sent to it, struct rfs_gdb_opening,
	 * starts gdb; when it becomes readable, the session has ended.
	 */
	int control;
	uint64_t stop_at;	     /* stop before this operation; RFS_GDB_NO_STEP: at the first race */
	struct rfs_symbols *symbols; /* names of functions, lines and variables */
	const char *cause;	     /* what the report says about the run; NULL: not known */
	/*
	 * Where the state of the debugger waits while the run begins again (gdb_travel.h). The run then ends with
	 * RFS_RESTART_DEBUGGER, and must be made again in the same process.
	 */
	struct rfs_gdb **kept;
};

/* The first stop, for the session. */
struct rfs_gdb_opening {
	/*
	 * The program counter of the innermost frame of the user's code, and how many inlined functions of others are
	 * inside that frame. 0: it is where the thread is, or there is none.
	 */
	rfs_addr frame;
	unsigned inlined;
	char where[1000]; /* a line for the user */
};

/* Prepares a run for gdb. Does nothing if the spec has no debugger. */
void rfs_gdb_init(struct rfs_run *run);
void rfs_gdb_release(struct rfs_run *run);
/* True if gdb has connected. Real time then does not count as time of the run. */
bool rfs_gdb_attached(const struct rfs_run *run);

/* How often the run has stopped only for the debugger: for its steps, breakpoints and watchpoints. */
uint64_t rfs_gdb_stopped(const struct rfs_run *run);

/* Call when the policy has made a choice, before the choice is executed. */
void rfs_gdb_chosen(struct rfs_run *run, const struct rfs_choice *choice);
/* Call when the thread has hit a breakpoint at `address`, of gdb or of the run. */
void rfs_gdb_arrived(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address);
/* Call when the thread has stopped, before anything else is done with it. */
void rfs_gdb_stops(struct rfs_run *run, struct rfs_thread *thread);
/* Call when a debug register has stopped the thread, after an instruction that accessed watched memory. */
void rfs_gdb_watched(struct rfs_run *run, struct rfs_thread *thread);
void rfs_gdb_stepped(struct rfs_run *run, struct rfs_thread *thread);
/* Call when the thread has stopped because of rfs_task_interrupt(). */
void rfs_gdb_interrupted(struct rfs_run *run, struct rfs_thread *thread);
/* Call right before the target exits. */
void rfs_gdb_exiting(struct rfs_run *run, struct rfs_thread *thread);
/* Call from time to time while the target runs: checks if gdb asks for control. */
void rfs_gdb_look(struct rfs_run *run);
/* Call when the code in [start, end) was unmapped: forgets gdb's breakpoints there. */
void rfs_gdb_forget(struct rfs_run *run, rfs_addr start, rfs_addr end);
/* Call when the run has ended: tells gdb how it ended, kills the target, and waits until the session has ended. */
void rfs_gdb_ended(struct rfs_run *run);

#endif
