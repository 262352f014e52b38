/* hooks.h - what each breakpoint of a run is for. */
#ifndef RFS_HOOKS_H
#define RFS_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "policy/operations.h"

struct rfs_breakpoint;
struct rfs_code_site;
struct rfs_call;
struct rfs_run;
struct rfs_task;

/* What a run does at one site. */
struct rfs_site_hook {
	rfs_site site;
	const struct rfs_code_site *code; /* NULL: the sweep did not find this site; the run spec names it */
	unsigned statements; /* bit 0 or 1: the site belongs to the first or second statement of the pair */
	bool visible;	     /* threads park at the site */
	bool always;	     /* also if the statement is hot (hot_statements.h) */
	bool watched;	     /* its accesses go to the detector */
	bool spin;	     /* a spin read */
	bool atomic;
	/* This instruction is the sanitizer's check of the access at that visible site: threads park here instead. */
	struct rfs_site_hook *checks;
};

/* What a breakpoint is for. rfs_breakpoint_data() returns it. */
struct rfs_hook {
	const struct rfs_call *call;
	struct rfs_site_hook *site;
	bool returns;	       /* an intercepted call returns to this address */
	bool main;	       /* main begins at this address; cleared when it begins */
	uint8_t rdtsc;	       /* length of the rdtsc or rdtscp instruction here; 0: there is none */
	uint8_t cpuid;	       /* length of the cpuid instruction here; 0: there is none */
	struct rfs_hook *next; /* the list of all hooks of the run, for rfs_hooks_release() */
};

/* Whether each execution of the instruction must stop, whatever it accesses. */
static inline bool rfs_hook_always_stops(const struct rfs_hook *hook)
{
	return hook && (hook->call || hook->returns || hook->main || hook->rdtsc || hook->cpuid);
}

/*
 * The hook at this address. If there is no hook, makes it together with its breakpoint. The hook belongs to the run.
 * NULL: no instruction is mapped there.
 */
struct rfs_hook *rfs_hook_at(struct rfs_run *run, struct rfs_task *task, rfs_addr address);
/* The hook of this breakpoint, which is made if there is none. It belongs to the run. */
struct rfs_hook *rfs_hook_of(struct rfs_run *run, struct rfs_breakpoint *breakpoint);
/*
 * Does for n addresses of instructions, in ascending order, what rfs_hook_at() does for one, but faster. Returns an
 * array of the hooks, which the caller frees.
 */
struct rfs_hook **rfs_hooks_at(struct rfs_run *run, struct rfs_task *task, const rfs_addr *addresses, size_t n);
/* Frees all hooks of the run. */
void rfs_hooks_release(struct rfs_run *run);

#endif
