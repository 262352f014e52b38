/* hooks.h - what each breakpoint of a run is for. */
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
	const struct rfs_code_site *code; /* NULL: the spec names the site, but it is in no watched module's list */
	unsigned statements;		  /* bits 0 and 1: the statements of the pair under test */
	bool visible;			  /* a thread parks at it */
	bool watched;			  /* its accesses go to the detector */
	bool spin;			  /* a spin read */
	bool atomic;
};

/* What a breakpoint is for; the data of struct rfs_breakpoint. */
struct rfs_hook {
	const struct rfs_call *call;
	struct rfs_site_hook *site;
	bool returns;	       /* it is the return address of an intercepted call */
	bool main;	       /* it is the program's main function, which has not begun yet */
	uint8_t rdtsc;	       /* size of an instruction that reads the time stamp counter; 0: it is not one */
	struct rfs_hook *next; /* list of all hooks of the run, to free them */
};

/*
 * The hook at this address, made if needed, with its breakpoint. Belongs to the run. NULL: no instruction is mapped
 * there.
 */
struct rfs_hook *rfs_hook_at(struct rfs_run *run, struct rfs_task *task, rfs_addr address);
/* The same for many addresses at which instructions begin, in ascending order. The caller frees the array. */
struct rfs_hook **rfs_hooks_at(struct rfs_run *run, struct rfs_task *task, const rfs_addr *addresses, size_t n);
/* Frees all hooks of the run. */
void rfs_hooks_release(struct rfs_run *run);

#endif
