/* space-priv.h - one address space of the target. Each layer above keeps its own part of it. */
#ifndef RFS_TRACER_SPACE_PRIV_H
#define RFS_TRACER_SPACE_PRIV_H

#include <stdint.h>

#include "disasm/addr.h"

struct rfs_tracer;
struct rfs_task;

#define RFS_PAGE 4096UL

struct rfs_space {
	struct rfs_tracer *tracer;
	unsigned references;	/* how many tasks refer to the space; a dead task counts until rfs_task_forget() */
	struct rfs_task *tasks; /* list of the tasks that are alive */
	int mem; /* code_bytes.c: /proc/PID/mem of a task. It works even after that task's end, because it is bound to
		    the address space. -1: not open, because most copies do not need it */
	uint64_t writes; /* incremented by each write */
	rfs_addr gate;	 /* the gate page, whose code rfs_task_inject() lets a task execute; 0: none */
	/*
	 * A child that stays under control (rfs_tracer_keep_forks()) has the code of its parent. Its space uses the
	 * parts below of the root, the space of the selected program. What is written there goes to all of them.
	 */
	struct rfs_space *root; /* NULL: the parts below are its own */
	struct rfs_space *kin;	/* of a root: list of the spaces that use its parts */
	struct rfs_space *next_kin;

	struct rfs_space_places *places; /* memory that we mapped */
	struct rfs_space_code *code;	 /* our bytes in the program's code */
	struct rfs_space_files *files;	 /* the ELF files that are mapped */
};

#endif
