/*
 * gdb_travel.h - goes to another moment of the run. A run cannot go back, so it ends, and the replay begins again: gdb
 * stays connected, and does not notice that the process is another one.
 */
#ifndef RFS_GDB_TRAVEL_H
#define RFS_GDB_TRAVEL_H

#include <stdbool.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "supervisor/gdb/gdb_moment.h"

struct rfs_gdb;
struct rfs_gdb_stop;
struct rfs_run;
struct rfs_thread;

enum rfs_gdb_travel_mode {
	RFS_TRAVEL_NONE,
	RFS_TRAVEL_TO,	   /* to the goal, where gdb gets control */
	RFS_TRAVEL_SEARCH, /* to the goal, and notes the last breakpoint or watchpoint on the way */
	RFS_TRAVEL_CALL,   /* to the goal, and notes when the thread has last executed a call */
	RFS_TRAVEL_STEPS,  /* to the goal, and notes where the last instruction of a thread began */
};

/* Why gdb gets control at the goal. */
enum rfs_gdb_arrival {
	RFS_ARRIVES_ASKED, /* the user has named the moment */
	RFS_ARRIVES_STEP,
	RFS_ARRIVES_BREAK,
	RFS_ARRIVES_WATCH,
	RFS_ARRIVES_BEGIN, /* there is nothing before the goal */
};

struct rfs_gdb_travel {
	enum rfs_gdb_travel_mode mode;
	/*
	 * `monitor` has named the goal, and gdb has not continued yet. If a thread is at a breakpoint, gdb first steps
	 * it over that. Until this step has ended, gdb expects no stop of another thread.
	 */
	bool waits;
	struct rfs_gdb_course to;
	bool to_operation; /* the goal is right before this operation, and `to` is not used */
	uint64_t operation;
	enum rfs_gdb_arrival arrival;
	rfs_addr watched; /* RFS_ARRIVES_WATCH */
	bool watch_reads;

	rfs_addr call; /* RFS_TRAVEL_CALL: its address */

	/* RFS_TRAVEL_SEARCH: the last breakpoint or watchpoint that the user has set; RFS_TRAVEL_CALL: the call */
	bool has_event;
	struct rfs_gdb_moment event;
	int event_thread;

	/* RFS_TRAVEL_STEPS: the thread is stepped from this moment on */
	int thread;
	struct rfs_gdb_course from;
	bool steps;	  /* the moment was reached */
	uint64_t earlier; /* how many choices before the goal the next attempt begins; 0: this is the first one */
	bool has_last;
	struct rfs_gdb_moment last; /* where the last instruction began */
	bool has_began;
	struct rfs_gdb_moment began; /* where the last complete step of the thread has ended */
};

/* These functions set the goal, seen from the current moment. When gdb resumes, the run must end. */
void rfs_gdb_travel_continue_back(struct rfs_gdb *gdb);
/* caller: as of rfs_gdb_caller() */
void rfs_gdb_travel_step_back(struct rfs_gdb *gdb, int thread, rfs_addr caller);
void rfs_gdb_travel_to(struct rfs_gdb *gdb, const struct rfs_gdb_moment *moment);
void rfs_gdb_travel_to_operation(struct rfs_gdb *gdb, uint64_t operation);
bool rfs_gdb_travels(const struct rfs_gdb *gdb);
void rfs_gdb_travel_restart(struct rfs_run *run);
void rfs_gdb_travel_release(struct rfs_gdb_travel *travel);

/* The next functions return true if this is where gdb gets control. They may end the run. */

/* This many choices were executed, or history begins. */
bool rfs_gdb_travel_choices(struct rfs_run *run);
bool rfs_gdb_travel_pass(struct rfs_run *run, const struct rfs_gdb_leg *mark);
/* The run has ended although the goal was not reached. False if the goal is the end. */
bool rfs_gdb_travel_is_lost(struct rfs_run *run);

/* Notes a breakpoint or a watchpoint; `mark` counts since the last choice. wanted: the user has set it. */
void rfs_gdb_travel_event(struct rfs_gdb *gdb, const struct rfs_thread *thread, const struct rfs_gdb_leg *mark,
			  bool wanted);
/* True if the thread must be stepped now. */
bool rfs_gdb_travel_steps(const struct rfs_gdb *gdb, const struct rfs_thread *thread);
/* The thread ends a step, which is not a part of the current moment yet. */
void rfs_gdb_travel_note_step(struct rfs_run *run, const struct rfs_thread *thread);
/* The step is a part of the current moment, and the next one begins. */
void rfs_gdb_travel_begins_step(struct rfs_gdb *gdb, const struct rfs_thread *thread);
/* Fills in why gdb gets control. */
void rfs_gdb_travel_arrive(struct rfs_gdb *gdb, struct rfs_gdb_stop *stop);

#endif
