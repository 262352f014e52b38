/*
 * gdb-priv.h - the state of the server for gdb, and what its files offer to each other:
 * - gdb_stop.c decides when gdb gets control, and resumes the run afterwards
 * - gdb_server.c answers gdb's packets
 * - gdb_query.c answers the q packets, gdb_lldb.c those of lldb
 * - gdb_encode.c has the digits, ids of threads and text of packets
 * - gdb_registers.c reads and writes registers
 * - gdb_moment.c names moments of a run, gdb_travel.c goes to another one
 * - gdb_points.c has breakpoints, gdb_count.c counts their hits
 * - gdb_watch.c has watchpoints, gdb_pages.c those without debug registers
 * - gdb_tls.c finds thread-local variables
 * - gdb_monitor.c writes text for the user, with names from gdb_names.h
 */
#ifndef RFS_GDB_PRIV_H
#define RFS_GDB_PRIV_H

#include <stdio.h>

#include "disasm/addr.h"
#include "disasm/rewrite/stub_control.h"
#include "supervisor/gdb/gdb_link.h"
#include "supervisor/gdb/gdb_pages.h"
#include "supervisor/gdb/gdb_travel.h"
#include "tracer/debugreg.h"
#include "tracer/tracer.h"

struct rfs_run;

/* A breakpoint set by gdb. */
struct rfs_gdb_point {
	rfs_addr address;
	struct rfs_breakpoint *breakpoint; /* shared with hooks of the run: breakpoints are counted; NULL: nothing is
					      mapped there yet */
	bool outside;			   /* the code is in no module: the program has made it */
	bool gone;			   /* it stopped too often, and is not needed any more */
	bool wanted;			   /* false: gdb has removed it; see gdb_points.c */
	uint64_t hits, since_stop;	   /* since the last choice; since then or the last stop */
	uint64_t all_hits;		   /* since the run has begun */
	bool whole;			   /* `hits` has all hits since the last choice */
	unsigned passed;		   /* how often it has stopped the run on the way to another moment */
	int counter;			   /* of its stub (gdb_count.c), from 1 on; 0: not tried; -1: it has none */
};

/* A stop: the moment at which gdb has control, and the reason. */
struct rfs_gdb_stop {
	struct rfs_thread *thread; /* the thread that the stop is about; NULL: no thread is left */
	int signo;		   /* 0: no signal */
	bool breakpoint;	   /* the thread reached a breakpoint of gdb */
	bool begin;		   /* there is nothing before this moment */
	bool end;		   /* there is nothing after it */
	bool race;		   /* the next operation creates the race that the message describes */
	/*
	 * "watch" (a watchpoint for writes) or "awatch" (for all accesses) if the thread accessed watched memory at
	 * `address`; otherwise NULL.
	 */
	const char *watch;
	rfs_addr address;
	char *message; /* a line for the user, owned; NULL: none */
};

/* How watchpoints find accesses. */
enum rfs_gdb_watches_by {
	RFS_WATCHES_BY_REGISTERS, /* the debug registers */
	RFS_WATCHES_BY_PAGES,	  /* gdb_pages.c; if that cannot be, by steps */
	RFS_WATCHES_BY_STEPS,	  /* threads are stepped, and the memory is compared */
};

struct rfs_gdb {
	const struct rfs_gdb_settings *settings;
	struct rfs_gdb_link link;     /* its fd is -1 as long as gdb has not connected */
	bool lldb;		      /* the debugger is lldb: ids of threads are plain numbers */
	bool swbreak;		      /* gdb understands the stop reason "swbreak" (a breakpoint) */
	bool changed;		      /* gdb has changed memory or registers */
	bool wanted;		      /* the user has pressed Ctrl-C in gdb, and gdb has no control yet */
	struct rfs_gdb_stop stop;     /* the current stop, or the last one */
	struct rfs_thread *general;   /* the thread that packet Hg selected for packets about registers */
	struct rfs_thread *continued; /* the thread that packet Hc selected for bs; NULL: any */

	bool begun;		    /* history has begun: main, or the first choice */
	bool exits;		    /* the program has begun to exit */
	uint64_t stops;		    /* of this run, only for the debugger */
	struct rfs_gdb_moment here; /* valid while gdb has control: the current moment */
	struct rfs_gdb_travel travel;
	struct rfs_gdb_moment *checkpoints;
	size_t n_checkpoints;

	struct rfs_gdb_point *points;
	size_t n_points;
	const struct rfs_task *counted; /* the task that was told how many hits may pass, and these numbers */
	uint64_t given[RFS_STUB_COUNTS];

	struct rfs_watched watched[RFS_DEBUG_REGISTERS];
	size_t n_watched;
	unsigned watches; /* counts changes of `watched`; a thread's debug registers are up to date if its `watches` is
			     equal */
	enum rfs_gdb_watches_by watches_by;
	bool watches_step; /* by pages: the thread that runs is stepped */
	struct rfs_gdb_pages pages;
	uint64_t values[RFS_DEBUG_REGISTERS]; /* of each watched address, if it is in `known` */
	unsigned known;			      /* a bit for each watched address */
	unsigned moved;	      /* a bit for each one that changed without a trap, not reported to gdb yet */
	int moved_by;	      /* the number of the thread; -1: the next one that runs */
	uint64_t signals;     /* delivered since the last choice, or since the last stop after it */
	uint64_t all_signals; /* since the run has begun */
	uint64_t watch_hits[RFS_DEBUG_REGISTERS]; /* of each watched address, since the last choice */
	size_t n_lent;				  /* this many of `watched`, the last ones, are only for the travel */

	struct rfs_thread *stepping; /* the thread that gdb steps; NULL: none */
	/* The step ends when the thread leaves this range. If both are 0, the step ends after one instruction. */
	rfs_addr range_start, range_end;
};

/* How gdb wants the run to be resumed. */
struct rfs_gdb_resume {
	struct rfs_thread *step; /* the thread to step; NULL: all threads continue */
	rfs_addr range_start, range_end;
	/*
	 * The other threads continue too. False: gdb steps one thread alone, over a breakpoint that gdb has removed for
	 * this step.
	 */
	bool others;
	bool pass_signo; /* deliver the signal signo to the thread of the stop */
	int signo;
};

/* ---- gdb_server.c ---- */

/* Answers packets until gdb resumes the run. False: the run must end, because gdb kills it, detaches, or is gone. */
bool rfs_gdb_serve(struct rfs_run *run, struct rfs_gdb_resume *out);
/* Sends gdb the reason of the stop. gdb waits for this message after it has resumed the run. */
void rfs_gdb_send_stop(struct rfs_run *run);

/* ---- gdb_query.c ---- */

/* Answers a q packet: writes the reply to `out`. False if the server does not know the packet. */
bool rfs_gdb_query(struct rfs_run *run, const struct rfs_gdb_packet *packet, FILE *out);

/* ---- gdb_lldb.c ---- */

/* Answers a packet of lldb: writes the reply to `out`. False if this is no such packet. */
bool rfs_gdb_lldb(struct rfs_run *run, const char *request, FILE *out);
/* Writes why the thread is stopped. */
void rfs_gdb_lldb_write_stop(struct rfs_run *run, struct rfs_thread *thread, FILE *out);

/* ---- gdb_encode.c ---- */

/* The target's process for gdb. */
#define RFS_GDB_PROCESS 1
/* Writes the thread's id as gdb knows it: "pPID.TID". */
void rfs_gdb_write_id(const struct rfs_thread *thread, FILE *out);
/* The thread with this id. NULL: there is no such thread, or the id means any thread or all threads. */
struct rfs_thread *rfs_gdb_parse_id(const struct rfs_run *run, const char *id);
/* Writes n bytes as hexadecimal digits. */
void rfs_gdb_write_hex(const void *data, size_t n, FILE *out);
/* Reads n bytes from hexadecimal digits. False if there are fewer digits. */
bool rfs_gdb_read_hex(const char *digits, void *out, size_t n);
/* Prints text on gdb's console. gdb accepts text only while it waits for an answer. */
void rfs_gdb_send_text(const struct rfs_gdb *gdb, const char *text);

/* ---- gdb_registers.c ---- */

extern const size_t rfs_gdb_n_registers;
/* Writes the list of registers for gdb (the GDB manual, appendix "Target Descriptions"). */
void rfs_gdb_write_description(FILE *out);
/*
 * Writes registers number `from` to `to` - 1 as hexadecimal digits, in the order of rfs_gdb_write_description(). Writes
 * "x" for each digit of an unknown value.
 */
void rfs_gdb_write_registers(struct rfs_thread *thread, size_t from, size_t to, FILE *out);
/*
 * Sets registers number `from` to `to` - 1 from hexadecimal digits. A register with "x" digits keeps its value. 0,
 * -EINVAL, -ESRCH, or -EPERM if rfsup has parked the thread.
 */
int rfs_gdb_read_registers(struct rfs_thread *thread, size_t from, size_t to, const char *digits)
	__attribute__((warn_unused_result));

/* ---- gdb_points.c ---- */

int rfs_gdb_point_add(struct rfs_run *run, rfs_addr address) __attribute__((warn_unused_result));
void rfs_gdb_point_remove(struct rfs_gdb *gdb, rfs_addr address);
/* Counts a hit of the point at this address. NULL: there is none. */
struct rfs_gdb_point *rfs_gdb_point_hit(struct rfs_gdb *gdb, rfs_addr address);
/* Another process begins, in which no point is set: forgets those that gdb has removed. */
void rfs_gdb_points_renew(struct rfs_gdb *gdb);
/* Adds points that a travel needs: those of a moment, or one. gdb does not see them. */
void rfs_gdb_points_lend(struct rfs_gdb *gdb, const struct rfs_gdb_moment *moment);
void rfs_gdb_point_lend(struct rfs_gdb *gdb, rfs_addr address);
/* NULL: there is none. */
struct rfs_gdb_point *rfs_gdb_point_at(const struct rfs_gdb *gdb, rfs_addr address);
/*
 * Puts points into the code that was not there before. The task is stopped. Code of a module is there when the run
 * knows the module: the loader first maps the whole file, and then parts of it again at the same place.
 */
void rfs_gdb_points_plant(struct rfs_run *run, struct rfs_task *task);
/* A choice was executed: hits are counted from 0. stop: only those since the last stop. */
void rfs_gdb_points_count(struct rfs_gdb *gdb, bool stop);
/* Takes the breakpoints that gdb has removed out of the code. */
void rfs_gdb_points_sweep(struct rfs_run *run);

/* ---- gdb_watch.c ---- */

/* Sets a watchpoint. reads: reads count too, not only writes. 0, or -ENOSPC if there are not enough debug registers. */
int rfs_gdb_watchpoint_add(struct rfs_run *run, rfs_addr address, uint64_t size, bool reads)
	__attribute__((warn_unused_result));
void rfs_gdb_watchpoint_remove(struct rfs_gdb *gdb, rfs_addr address, uint64_t size, bool reads);
/*
 * Call when a stopped thread is about to run, with the signal signo (0: none): puts the watchpoints into its debug
 * registers, or closes the pages that they are in. free: nobody else steps the thread.
 */
void rfs_gdb_watchpoint_apply(struct rfs_run *run, struct rfs_thread *thread, bool free, enum rfs_resume *how,
			      int signo);
/* Whether threads are stepped because of watchpoints. */
bool rfs_gdb_watchpoints_step(const struct rfs_gdb *gdb);
/* Watches what the way to the moment counts, too. */
void rfs_gdb_watchpoints_lend(struct rfs_gdb *gdb, const struct rfs_gdb_moment *moment);
void rfs_gdb_watchpoints_return(struct rfs_gdb *gdb);
/* Takes the memory as it is: what gdb itself has changed is no event. */
void rfs_gdb_watchpoints_look(struct rfs_run *run);
/*
 * Call after a stop that is no trap: notes what has changed, by a system call or because threads are stepped. by: the
 * thread that ran; NULL: rfsup has written.
 */
void rfs_gdb_watchpoints_compare(struct rfs_run *run, const struct rfs_thread *by);
/* The index of what has changed and was not reported, or -1. It counts as reported then. */
int rfs_gdb_watchpoint_changed(struct rfs_gdb *gdb);
/* The index of the watched memory that the thread has accessed, or -1. */
int rfs_gdb_watchpoint_hit(struct rfs_run *run, struct rfs_thread *thread);
/* Says in the stop what was accessed. */
void rfs_gdb_watchpoint_tell(const struct rfs_gdb *gdb, int i, struct rfs_gdb_stop *out);

/* ---- gdb_tls.c ---- */

/*
 * Sets *out to the address of a thread-local variable of the thread. map: the address of the struct link_map of the
 * variable's module. offset: the variable's offset in the module's block. 0; -ENOENT: the address cannot be found;
 * -ENODATA: the thread has no block for this module yet.
 */
int rfs_gdb_tls(const struct rfs_run *run, const struct rfs_thread *thread, rfs_addr map, uint64_t offset,
		rfs_addr *out) __attribute__((warn_unused_result));

/* ---- gdb_monitor.c ---- */

/* Executes a command of gdb's `monitor`, and writes its text to `out`. */
void rfs_gdb_monitor(struct rfs_run *run, const char *command, FILE *out);

#endif
