/* gdb_names.h - text for gdb's user. Callers free it. */
#ifndef RFS_GDB_NAMES_H
#define RFS_GDB_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "disasm/addr.h"

struct rfs_choice;
struct rfs_gdb_opening;
struct rfs_run;
struct rfs_thread;

/* What is at an address: a variable, a heap block, a stack. */
char *rfs_gdb_object(struct rfs_run *run, rfs_addr address);
/*
 * Function and line of an address in code. returns: the address is a return address, so the line of the call before the
 * address is used.
 */
char *rfs_gdb_place(struct rfs_run *run, rfs_addr address, bool returns);
/* What an access does: "writes 4 bytes of z". size: 0: it is not said. object: NULL: it has no name. */
char *rfs_gdb_access_text(unsigned access, uint64_t size, const char *object);
/* Fills in the frame of the user's code that the thread is in. */
void rfs_gdb_own_frame(struct rfs_run *run, struct rfs_thread *thread, struct rfs_gdb_opening *out);
/*
 * Reads the debug information that rfs_gdb_next() needs. That may take seconds, and a debugger that the user starts
 * waits only two seconds for an answer.
 */
void rfs_gdb_read_names(struct rfs_run *run);
/* Why the run stops before this choice: the race that it creates, or its number. */
char *rfs_gdb_choice_text(struct rfs_run *run, const struct rfs_choice *choice);
/* What the thread will do next, such as "writes 4 bytes of z at figure1.c:38". */
char *rfs_gdb_next(struct rfs_run *run, struct rfs_thread *thread);

#endif
