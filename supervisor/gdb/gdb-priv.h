/*
 * gdb-priv.h - the state of the debugger's server, shared by its parts: gdb_stop.c decides when gdb gets control, and
 * resumes the run. gdb_server.c answers packets; gdb_query.c answers what gdb reads in pieces. gdb_registers.c has the
 * registers, gdb_points.c breakpoints, gdb_watch.c watchpoints, gdb_tls.c thread-local variables. gdb_monitor.c and
 * gdb_names.c write text.
 */
#ifndef RFS_GDB_PRIV_H
#define RFS_GDB_PRIV_H

#include <stdio.h>

#include "disasm/addr.h"
#include "supervisor/gdb/gdb_link.h"
#include "tracer/debugreg.h"

struct rfs_run;

/* A breakpoint set by gdb. */
struct rfs_gdb_point {
	rfs_addr address;
	struct rfs_breakpoint *breakpoint; /* counted together with those of the run */
	bool wanted;			   /* gdb has not removed it */
};

/* Why gdb has control. */
struct rfs_gdb_stop {
	struct rfs_thread *thread; /* NULL: no thread is left */
	int signo;		   /* 0: no signal */
	bool breakpoint;	   /* the thread reached a breakpoint of gdb */
	const char *watch; /* "watch" or "awatch": the thread accessed watched memory at address; NULL: it did not */
	rfs_addr address;
	char *message; /* a line for the user; owned, NULL: none */
};

struct rfs_gdb {
	const struct rfs_gdb_settings *settings;
	struct rfs_gdb_link link;   /* fd -1: gdb has not connected */
	bool swbreak;		    /* gdb understands stop reason "swbreak" */
	bool changed;		    /* gdb has changed memory or registers */
	bool wanted;		    /* gdb has asked for control of the target */
	struct rfs_gdb_stop stop;   /* the current stop, or the last one */
	struct rfs_thread *general; /* the thread whose registers gdb means (Hg) */

	struct rfs_gdb_point *points;
	size_t n_points;

	struct rfs_watched watched[RFS_DEBUG_REGISTERS];
	size_t n_watched;
	unsigned watches; /* how often the watchpoints were changed */
	rfs_addr poked;	  /* a watched address that rfsup wrote to; 0: none */

	struct rfs_thread *stepping;	 /* gdb waits for the step of this thread; NULL: of no thread */
	rfs_addr step_from;		 /* address of the step's first instruction */
	rfs_addr range_start, range_end; /* the step ends outside this range; both 0: after one instruction */
};

/* gdb_stop.c: how gdb wants the run to be resumed */
struct rfs_gdb_resume {
	struct rfs_thread *step; /* NULL: all continue */
	rfs_addr range_start, range_end;
	bool others; /* the other threads continue; false: gdb steps one thread over a breakpoint that gdb has removed
		      */
	bool pass_signo; /* deliver the signal of the stop, or the one in signo */
	int signo;
};

/* gdb_server.c: answers packets until gdb resumes the run. False: the run must end (kill, detach, or gdb is gone). */
bool rfs_gdb_serve(struct rfs_run *run, struct rfs_gdb_resume *out);
/* Tells gdb, which waits for the run, why gdb has control. */
void rfs_gdb_send_stop(struct rfs_run *run);
/* Prints text on gdb's console while gdb waits for the run. */
void rfs_gdb_send_text(const struct rfs_gdb *gdb, const char *text);

/* gdb_query.c: the q packets. True if the packet was one of them; the reply is in out. */
bool rfs_gdb_query(struct rfs_run *run, const struct rfs_gdb_packet *packet, FILE *out);
/* "pPID.TID" */
void rfs_gdb_write_id(const struct rfs_run *run, const struct rfs_thread *thread, FILE *out);
/* The thread of such an id; NULL if there is none, or if the id means any or all threads. */
struct rfs_thread *rfs_gdb_parse_id(const struct rfs_run *run, const char *id);
/* Hexadecimal digits of n bytes. */
void rfs_gdb_write_hex(const void *data, size_t n, FILE *out);
/* Decodes n bytes from digits. False if there are fewer. */
bool rfs_gdb_read_hex(const char *digits, void *out, size_t n);
/* True if gdb is shown the thread. */
bool rfs_gdb_shows(const struct rfs_thread *thread);

/* gdb_registers.c */
extern const size_t rfs_gdb_n_registers;
/* The target description (the GDB manual, appendix "Target Descriptions"). */
void rfs_gdb_write_description(FILE *out);
/* Writes registers from, …, to - 1 as hexadecimal digits, in the order of the description; x if the value is not known.
 */
void rfs_gdb_write_registers(struct rfs_thread *thread, size_t from, size_t to, FILE *out);
/* Sets these registers from digits. 0, -EPERM (parked by rfsup), -EINVAL, -ESRCH. */
int rfs_gdb_read_registers(struct rfs_thread *thread, size_t from, size_t to, const char *digits)
	__attribute__((warn_unused_result));

/* gdb_points.c */
int rfs_gdb_point_add(struct rfs_run *run, rfs_addr address) __attribute__((warn_unused_result));
void rfs_gdb_point_remove(struct rfs_gdb *gdb, rfs_addr address);
bool rfs_gdb_point_at(const struct rfs_gdb *gdb, rfs_addr address);
/* Removes the breakpoints that gdb has removed from the code. */
void rfs_gdb_points_sweep(struct rfs_run *run);

/* gdb_watch.c. reads: reads count too. 0, or -ENOSPC if the debug registers do not suffice. */
int rfs_gdb_watchpoint_add(struct rfs_gdb *gdb, rfs_addr address, uint64_t size, bool reads)
	__attribute__((warn_unused_result));
void rfs_gdb_watchpoint_remove(struct rfs_gdb *gdb, rfs_addr address, uint64_t size, bool reads);
/* Call when the stopped thread is about to run. */
void rfs_gdb_watchpoint_apply(struct rfs_run *run, struct rfs_thread *thread);
/* Call when rfsup writes to the target's memory (struct rfs_run_observer). */
void rfs_gdb_watchpoint_written(struct rfs_run *run, rfs_addr address, size_t n);
/* True if the thread has accessed watched memory; sets watch and address of out. */
bool rfs_gdb_watchpoint_hit(struct rfs_run *run, struct rfs_thread *thread, struct rfs_gdb_stop *out);

/* gdb_tls.c: the address of a thread-local variable. It is at this offset in the block of the module whose struct
 * link_map is at map. 0; -ENOENT: the address is unknown; -ENODATA: the thread has no such block yet. */
int rfs_gdb_tls(const struct rfs_run *run, const struct rfs_thread *thread, rfs_addr map, uint64_t offset,
		rfs_addr *out) __attribute__((warn_unused_result));

/* gdb_monitor.c: executes a command of `monitor`; its text is in out. */
void rfs_gdb_monitor(struct rfs_run *run, const char *command, FILE *out);

/* gdb_names.c: text for the user. Callers free. */
char *rfs_gdb_object(struct rfs_run *run, rfs_addr address);
/* returns: the address is a return address, so the instruction before it is meant. */
char *rfs_gdb_place(struct rfs_run *run, rfs_addr address, bool returns);
/* What the thread is about to do: "writes 4 bytes of z at figure1.c:38". */
char *rfs_gdb_next(struct rfs_run *run, struct rfs_thread *thread);

#endif
