/* gdb_signal.h - converts signal numbers. The numbers that gdb uses are the same for every system (gdb/signals.def). */
#ifndef RFS_GDB_SIGNAL_H
#define RFS_GDB_SIGNAL_H

#include <stdbool.h>

struct rfs_run;

/* gdb's number for a signal of this system; 143 (unknown) if gdb has no number for it. */
int rfs_gdb_signal_to(int signo);
/* This system's number for a signal number of gdb; 0 if this system has no such signal. */
int rfs_gdb_signal_from(int number);
/* True if this signal kills the target, because the target neither handles nor ignores the signal. */
bool rfs_gdb_signal_kills(const struct rfs_run *run, int signo);

#endif
