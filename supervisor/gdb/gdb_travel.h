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
struct rfs_gdb_point;
struct rfs_gdb_stop;
struct rfs_run;
struct rfs_thread;

enum rfs_gdb_travel_mode {
	RFS_TRAVEL_NONE,
	RFS_TRAVEL_TO,	    /* to the goal, where gdb gets control */
	RFS_TRAVEL_SEARCH,  /* to the goal, and notes the last breakpoint or watchpoint on the way */
	RFS_TRAVEL_MARKERS, /* to the goal, and notes when the thread has last passed each marker */
	RFS_TRAVEL_STEPS,   /* to the goal, and notes where the last instruction of a thread began */
};

/* Why gdb gets control at the goal. */
enum rfs_gdb_arrival {
	RFS_ARRIVES_ASKED, /* the user has named the moment */
	RFS_ARRIVES_STEP,
	RFS_ARRIVES_BREAK,
	RFS_ARRIVES_WATCH,
	RFS_ARRIVES_BEGIN, /* there is nothing before the goal */
};

#define RFS_GDB_MARKERS 12
/* An instruction that may lead to where the thread is (gdb_before.h). It has a point. */
struct rfs_gdb_marker {
	rfs_addr address;
	/* when the thread passed it last: how many choices were executed, and how many hits the point had since then */
	uint64_t choices, hits; /* no hits: never */
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
	bool to_end; /* the goal is the last moment, because the one that was named is not in this run */
	enum rfs_gdb_arrival arrival;
	rfs_addr watched; /* RFS_ARRIVES_WATCH */
	bool watch_reads;

	/*
	 * For a step back, what RFS_TRAVEL_MARKERS finds out. RFS_TRAVEL_STEPS then begins at the last marker
	 * (`by_markers`), instead of at the moment `from`.
	 */
	struct rfs_gdb_marker markers[RFS_GDB_MARKERS];
	size_t n_markers;
	rfs_addr at;	  /* the address of the thread at the goal; it has a point; 0: it needs none */
	uint64_t at_hits; /* of that point, before the goal, since the run has begun */
	uint64_t signals; /* how many were delivered before the goal */
	bool by_markers;

	/* RFS_TRAVEL_SEARCH: the last breakpoint or watchpoint that the user has set */
	bool has_event;
	struct rfs_gdb_moment event;
	int event_thread;
	rfs_addr event_at; /* the address of that thread */

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
void rfs_gdb_travel_step_back(struct rfs_run *run, struct rfs_thread *thread);
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
/*
 * The run has ended in such a way, and no thread is left: goes to the last moment at which gdb can have control. False
 * if the run has not reached that one either.
 */
bool rfs_gdb_travel_to_end(struct rfs_run *run);

/*
 * The thread has hit the point; this was not the goal. True if gdb gets control here, because the next instruction
 * leads to the goal of a step back.
 */
bool rfs_gdb_travel_hits(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_gdb_point *point);
/* How many hits of a point at the address, with so many hits since the last choice, cannot change the way. */
uint64_t rfs_gdb_travel_may_pass(const struct rfs_gdb *gdb, rfs_addr address, uint64_t hits);
/*
 * The point at the address stops often, and has no stub. True if the travel can do without it: a step back then cannot
 * tell that it is at its goal, and needs one more replay.
 */
bool rfs_gdb_travel_forgets(struct rfs_gdb *gdb, rfs_addr address);
/* The thread has hit the point n times without a stop. `hits` of the point counts them. */
void rfs_gdb_travel_skip(struct rfs_gdb *gdb, const struct rfs_thread *thread, const struct rfs_gdb_point *point,
			 uint64_t n);
/* Whether the thread is stepped, and its next instruction leads to the goal of a step back. Then this is the goal. */
bool rfs_gdb_travel_is_before(struct rfs_run *run, const struct rfs_thread *thread);
/* Notes a watchpoint, or a breakpoint; `mark` counts since the last choice. wanted: the user has set it. */
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
