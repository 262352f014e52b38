/* task-priv.h - what the tracer knows of one kernel thread. A task's maker is the task that created it by clone or
 * fork. */
#ifndef RFS_TRACER_TASK_PRIV_H
#define RFS_TRACER_TASK_PRIV_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>
#include <uthash.h>

#include "disasm/addr.h"
#include "tracer/tracer.h"

struct rfs_task_stub;

enum rfs_task_state { RFS_TASK_RUNNING, RFS_TASK_STOPPED, RFS_TASK_GONE };

struct rfs_task {
	pid_t tid, pid;
	struct rfs_tracer *tracer;
	struct rfs_space *space; /* NULL until the event of the task's maker arrives */
	enum rfs_task_state state;
	enum rfs_stop_kind kind; /* kind of the last stop presented */
	bool announced;		 /* RFS_STOP_NEW was presented (RFS_STOP_EXEC for the first task) */
	bool held; /* the first status of the task came before the event of its maker, and is kept in held_status */
	int held_status;
	int group_stopped; /* signal of a group stop that was the task's first stop; presented when RFS_STOP_NEW is
			      resumed */
	bool stepping;	   /* resumed with PTRACE_SINGLESTEP */
	bool listening;	   /* resumed with PTRACE_LISTEN */
	bool left_syscall; /* inject.c has continued the task from an event in a system call to the call's exit */
	rfs_addr passing;  /* a breakpoint was presented at this address, and its instruction was not executed yet; 0:
			      none */
	rfs_addr start;	   /* a fork made the task inside a slot: the program's address where it starts; 0: nothing to
			      correct */
	rfs_addr inside;   /* the task is at this instruction inside a patch, and enters the stub when resumed; 0: it is
			      not */
	struct rfs_task_stub *stub; /* what the stubs of the program need (stub_buffer.c) */
	double cpu; /* if it is a leader: CPU seconds of the process, measured when one of its threads last exited */

	struct user_regs_struct regs;
	bool regs_valid, regs_dirty, rip_dirty; /* regs_dirty: all must be written back; rip_dirty: only rip */
	unsigned char *xstate; /* what PTRACE_GETREGSET returns for NT_X86_XSTATE; allocated at first use */
	bool xstate_valid;
	void *data;

	UT_hash_handle hh;			  /* in tracer->tasks */
	struct rfs_task *prev, *next;		  /* in tracer->gone */
	struct rfs_task *space_prev, *space_next; /* in space->tasks, while alive */
};

#endif
