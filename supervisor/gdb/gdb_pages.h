/* gdb_pages.h - watchpoints by memory that the program cannot write to (gdb_pages.c). */
#ifndef RFS_GDB_PAGES_H
#define RFS_GDB_PAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"
#include "supervisor/state/core/thread.h"
#include "tracer/debugreg.h"

struct rfs_run;
struct rfs_stop;
struct rfs_task;

/* One page with watched memory that the program can write to. */
struct rfs_gdb_page {
	rfs_addr address;
	int protection; /* of the program: PROT_* of mprotect(2) */
};

enum rfs_gdb_pages_state {
	RFS_PAGES_OPEN,
	RFS_PAGES_CLOSED,  /* the task runs, and stops before it writes to a page or makes a system call */
	RFS_PAGES_SKIPPED, /* the task was at the entry of a system call, and returns to the call instruction */
	RFS_PAGES_STEPPED, /* they are open, and the task executes one instruction */
};

struct rfs_gdb_pages {
	enum rfs_gdb_pages_state state;
	struct rfs_task *task; /* the task that runs, if the state is not RFS_PAGES_OPEN */
	struct rfs_gdb_page list[RFS_DEBUG_REGISTERS];
	size_t n;
	bool known;	  /* no system call was made since the list was made */
	unsigned watches; /* the list is of the watchpoints at this count of their changes (struct rfs_gdb) */
	bool never;	  /* a process shares the memory, so that pages cannot be closed for one task */
};

/*
 * The thread is about to run. Closes the pages of the watched memory. The caller then resumes the thread by
 * RFS_RESUME_SYSCALL. False: they cannot be closed for this thread now, so it must be stepped.
 */
bool rfs_gdb_pages_close(struct rfs_run *run, struct rfs_thread *thread);
/* Opens them, if they are closed. Call it before gdb gets control. */
void rfs_gdb_pages_open(struct rfs_run *run);
/*
 * Call at each stop of the thread, before anything else is done with it: opens the pages. RFS_THEN_UNDECIDED: the stop
 * has another reason. RFS_THEN_PARKED: the thread was resumed, and nothing else must be done with it. Otherwise, it has
 * executed an instruction.
 */
enum rfs_then rfs_gdb_pages_stopped(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop);

#endif
