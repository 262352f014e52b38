/* gdb_signal.h - signal numbers: gdb has its own, the same for every system (gdb/signals.def). */
#ifndef RFS_GDB_SIGNAL_H
#define RFS_GDB_SIGNAL_H

/* gdb's number for one of this system's; 143 (unknown) where it has none. */
int rfs_gdb_signal_to(int signo);
/* The other way; 0 where this system has none. */
int rfs_gdb_signal_from(int number);

#endif
