/*
 * gdb-priv.h - the state of the debugger's server, shared by the files that make it: gdb_stop.c (when gdb gets control,
 * and how the run goes on after it), gdb_server.c (the packets), gdb_query.c (what gdb reads in pieces),
 * gdb_registers.c, gdb_points.c (breakpoints), gdb_monitor.c and gdb_names.c (text).
 */
#ifndef RFS_GDB_PRIV_H
#define RFS_GDB_PRIV_H

#include <stdio.h>

#include "disasm/addr.h"
#include "supervisor/gdb/gdb_link.h"
#include "tracer/debugreg.h"

struct rfs_run;

/* A breakpoint of gdb's. */
struct rfs_gdb_point {
	rfs_addr address;
	struct rfs_breakpoint *breakpoint; /* counted among the run's own */
	bool wanted;			   /* gdb has not taken it away */
};

/* Why gdb has control. */
struct rfs_gdb_stop {
	struct rfs_thread *thread; /* NULL: none is left */
	int signo;		   /* 0: none */
	bool breakpoint;	   /* it came to one of gdb's */
	const char *watch;	   /* "watch" or "awatch": it touched what gdb watches, at address; NULL: it did not */
	rfs_addr address;
	char *message; /* a line for the user; owned, NULL: none */
};

struct rfs_gdb {
	const struct rfs_gdb_settings *settings;
	struct rfs_gdb_link link;   /* fd -1: gdb has not connected */
	bool swbreak;		    /* gdb knows the stop reason */
	bool changed;		    /* memory or registers, through gdb */
	bool wanted;		    /* gdb has asked for the target back */
	struct rfs_gdb_stop stop;   /* the present one, or the last */
	struct rfs_thread *general; /* whose registers are meant (Hg) */

	struct rfs_gdb_point *points;
	size_t n_points;

	struct rfs_watched watched[RFS_DEBUG_REGISTERS];
	size_t n_watched;
	unsigned watches; /* changes of these so far */
	rfs_addr poked;	  /* a watched address that we wrote to; 0: none */

	struct rfs_thread *stepping;	 /* gdb waits for this one's step; NULL: for none */
	rfs_addr step_from;		 /* where it stood */
	rfs_addr range_start, range_end; /* it goes on as long as it stands in there; both 0: one instruction */
};

/* gdb_stop.c: how the run goes on, as gdb says */
struct rfs_gdb_resume {
	struct rfs_thread *step; /* NULL: all continue */
	rfs_addr range_start, range_end;
	bool others;	 /* the other threads continue; else gdb steps one over a breakpoint that it took away */
	bool pass_signo; /* the signal of the stop, or another one, is delivered */
	int signo;
};

/* gdb_server.c: answers packets until gdb resumes the run. False: the run is to end (kill, detach, gdb is gone). */
bool rfs_gdb_serve(struct rfs_run *run, struct rfs_gdb_resume *out);
/* Tells gdb, which waits for the run, why it has control. */
void rfs_gdb_send_stop(struct rfs_run *run);
/* Text on gdb's console, while it waits for the run. */
void rfs_gdb_send_text(const struct rfs_gdb *gdb, const char *text);

/* gdb_query.c: the q packets. True where it was one of them, its reply in out. */
bool rfs_gdb_query(struct rfs_run *run, const struct rfs_gdb_packet *packet, FILE *out);
/* "pPID.TID" */
void rfs_gdb_write_id(const struct rfs_run *run, const struct rfs_thread *thread, FILE *out);
/* The thread of such an id; NULL: there is none, or it stands for any or all. */
struct rfs_thread *rfs_gdb_parse_id(const struct rfs_run *run, const char *id);
/* Hexadecimal digits of n bytes. */
void rfs_gdb_write_hex(const void *data, size_t n, FILE *out);
/* Reads n bytes from digits. False where there are not so many. */
bool rfs_gdb_read_hex(const char *digits, void *out, size_t n);
/* Threads that gdb is told of. */
bool rfs_gdb_shows(const struct rfs_thread *thread);

/* gdb_registers.c */
extern const size_t rfs_gdb_n_registers;
/* The target description (The GDB manual, appendix "Target Descriptions"). */
void rfs_gdb_write_description(FILE *out);
/* Registers from, …, to - 1 in the order of the description, as digits; x where one is not known. */
void rfs_gdb_write_registers(struct rfs_thread *thread, size_t from, size_t to, FILE *out);
/* The same the other way. 0, -EPERM (parked by rfsup), -EINVAL, -ESRCH. */
int rfs_gdb_read_registers(struct rfs_thread *thread, size_t from, size_t to, const char *digits)
	__attribute__((warn_unused_result));

/* gdb_points.c */
int rfs_gdb_point_add(struct rfs_run *run, rfs_addr address) __attribute__((warn_unused_result));
void rfs_gdb_point_remove(struct rfs_gdb *gdb, rfs_addr address);
bool rfs_gdb_point_at(const struct rfs_gdb *gdb, rfs_addr address);
/* Really takes away what gdb took away. */
void rfs_gdb_points_sweep(struct rfs_run *run);

/* gdb_watch.c. reads: reads count, too. 0 or -ENOSPC: more than there are registers. */
int rfs_gdb_watchpoint_add(struct rfs_gdb *gdb, rfs_addr address, uint64_t size, bool reads)
	__attribute__((warn_unused_result));
void rfs_gdb_watchpoint_remove(struct rfs_gdb *gdb, rfs_addr address, uint64_t size, bool reads);
/* The thread, which is stopped, is about to run. */
void rfs_gdb_watchpoint_apply(struct rfs_run *run, struct rfs_thread *thread);
/* rfsup writes to the target's memory (struct rfs_run_observer). */
void rfs_gdb_watchpoint_written(struct rfs_run *run, rfs_addr address, size_t n);
/* True where the thread has touched what is watched: out's watch and address are set. */
bool rfs_gdb_watchpoint_hit(struct rfs_run *run, struct rfs_thread *thread, struct rfs_gdb_stop *out);

/* gdb_tls.c: the address of a thread-local variable, at this offset in the block of the module whose struct link_map is
 * at map. 0; -ENOENT: it cannot be told; -ENODATA: the thread has no such block yet. */
int rfs_gdb_tls(const struct rfs_run *run, const struct rfs_thread *thread, rfs_addr map, uint64_t offset,
		rfs_addr *out) __attribute__((warn_unused_result));

/* gdb_monitor.c: a command of `monitor`; its text in out. */
void rfs_gdb_monitor(struct rfs_run *run, const char *command, FILE *out);

/* gdb_names.c: text for the user. Callers free. */
char *rfs_gdb_object(struct rfs_run *run, rfs_addr address);
/* returns: it is a return address, so the instruction before it is meant. */
char *rfs_gdb_place(struct rfs_run *run, rfs_addr address, bool returns);
/* What the thread is about to do: "writes 4 bytes of z at figure1.c:38". */
char *rfs_gdb_next(struct rfs_run *run, struct rfs_thread *thread);

#endif
