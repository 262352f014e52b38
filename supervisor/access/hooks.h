#ifndef RFS_HOOKS_H
#define RFS_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "policy/policy.h"

struct rfs_code_site;
struct rfs_call;
struct rfs_run;
struct rfs_task;

/* A statement of a watched module. */
struct rfs_site_hook {
	rfs_site site;
	const struct rfs_code_site *code; /* NULL: named by the spec, in no watched module's list */
	unsigned statements;		  /* bits 0 and 1: the pair under test */
	bool visible;			  /* a thread parks before it */
	bool watched;			  /* its accesses go to the detector */
	bool spin;			  /* a spin read */
	bool atomic;
};

/* What a breakpoint is there for; data of struct rfs_breakpoint. */
struct rfs_hook {
	const struct rfs_call *call;
	struct rfs_site_hook *site;
	bool returns;	       /* somebody's return address */
	bool main;	       /* the program's main function, which nobody has entered yet */
	uint8_t rdtsc;	       /* bytes of an instruction that reads the time stamp counter; 0: it is none */
	struct rfs_hook *next; /* all of the run, for the end */
};

/* NULL: nothing is mapped there, or no instruction. */
struct rfs_hook *rfs_hook_at(struct rfs_run *run, struct rfs_task *task, rfs_addr address);
/* The same for many addresses, in ascending order, where instructions are known to begin. Caller frees the array. */
struct rfs_hook **rfs_hooks_at(struct rfs_run *run, struct rfs_task *task, const rfs_addr *addresses, size_t n);
void rfs_hooks_release(struct rfs_run *run);

#endif
