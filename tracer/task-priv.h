/* task-priv.h - one kernel thread: what the tracer knows of it, and its life. */
#ifndef RFS_TRACER_TASK_PRIV_H
#define RFS_TRACER_TASK_PRIV_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>
#include <uthash.h>

#include "disasm/addr.h"
#include "tracer/tracer.h"

struct rfs_stub_control;
struct rfs_stub_record;

enum rfs_task_state { RFS_TASK_RUNNING, RFS_TASK_STOPPED, RFS_TASK_GONE };

struct rfs_task {
	pid_t tid, pid;
	struct rfs_tracer *tracer;
	struct rfs_space *space; /* NULL until the event of its maker arrives */
	enum rfs_task_state state;
	enum rfs_stop_kind kind; /* of the last stop presented */
	bool announced;		 /* RFS_STOP_NEW was presented; for the first task, RFS_STOP_EXEC */
	bool held;		 /* its first status came before its maker's event */
	int held_status;
	int group_stopped; /* its first stop was a group stop by this signal: presented after NEW is resumed */
	bool stepping;	   /* resumed with PTRACE_SINGLESTEP */
	bool listening;	   /* resumed with PTRACE_LISTEN */
	bool left_syscall; /* stopped by an event inside a system call, and inject.c has continued to its exit */
	rfs_addr passing;  /* the breakpoint that was presented, but whose instruction was not executed yet; 0: none */
	rfs_addr
		start; /* made by fork inside a slot: the program's address at which it starts; 0: nothing to correct */
	rfs_addr inside; /* is before this instruction inside a patch, and enters the stub when resumed; 0: is not */
	struct rfs_stub_control *control; /* stub_buffer.c; NULL: none */
	struct rfs_stub_record *left;	  /* records that were not taken before it lost its control block; owned */
	size_t n_left;
	bool foreign_gs; /* made by fork: gs points to the control block of its maker */
	double cpu;	 /* leader: seconds used by the process, at the last exit of one of its threads */

	struct user_regs_struct regs;
	bool regs_valid, regs_dirty, rip_dirty; /* rip_dirty: we changed only rip */
	unsigned char *xstate;			/* PTRACE_GETREGSET NT_X86_XSTATE, allocated at first use */
	bool xstate_valid;
	void *data;

	UT_hash_handle hh;			  /* tracer->tasks */
	struct rfs_task *prev, *next;		  /* tracer->gone */
	struct rfs_task *space_prev, *space_next; /* space->tasks, while alive */
};

struct rfs_task *rfs_task_new(struct rfs_tracer *tracer, pid_t tid); /* NULL: no memory */
void rfs_task_join_space(struct rfs_task *task, struct rfs_space *space);
void rfs_task_leave_space(struct rfs_task *task);
/* The kernel has removed the task: takes it out of the look-up tables. The caller still has it until rfs_task_forget().
 */
void rfs_task_retire(struct rfs_task *task);

#endif
