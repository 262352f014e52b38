/*
 * before_main.c - what a program does before its main function begins.
 *
 * What happens before main is the same in every run. The loader and the constructors work in one thread, and random
 * bytes do not depend on the seed. Random bytes are those of getrandom and of AT_RANDOM, from which the C library
 * derives the stack protector's canary and the pointer guard. The seed counts from main on.
 *
 * Therefore runs of different seeds can continue from copies of one process that is stopped at main (server/server.c).
 * Each such run has the same result as a run that starts the program from its beginning.
 *
 * The program's start code calls __libc_start_main in the C library (glibc or musl). The first argument of this call is
 * the address of main.
 */
#include "supervisor/sync/before_main.h"

#include <string.h>
#include <xxhash.h>

#include "disasm/addr.h"
#include "supervisor/access/hooks.h"
#include "supervisor/access/tsc_insns.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/thread.h"
#include "tracer/breakpoint.h"
#include "tracer/tracer.h"

/* The number that replaces the seed before main, also for getrandom (kernel/random_calls.c). */
#define BEFORE_MAIN 0

void rfs_before_main(unsigned char at_random[RFS_AT_RANDOM_SIZE])
{
	for (size_t i = 0; i < RFS_AT_RANDOM_SIZE; i++)
		at_random[i] = (unsigned char)XXH64(&i, sizeof(i), BEFORE_MAIN);
}

void rfs_seed_counts(struct rfs_run *run)
{
	run->main_reached = true;
}

enum rfs_then rfs_enter_start_main(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	rfs_addr at = rfs_task_regs(thread->task)->rdi;
	struct rfs_hook *hook = run->main_reached ? NULL : rfs_hook_at(run, thread->task, at);

	(void)call;
	if (hook)
		hook->main = true;
	return RFS_THEN_EXECUTE;
}

/* Removes the breakpoint at main, because it is needed only once. Keeps it if it has another purpose too. */
static void take_away(struct rfs_thread *thread, struct rfs_hook *hook, struct rfs_breakpoint *breakpoint)
{
	hook->main = false;
	if (!hook->call && !hook->site && !hook->returns)
		rfs_breakpoint_remove(rfs_task_space(thread->task), breakpoint);
}

bool rfs_main_begins(struct rfs_run *run, struct rfs_thread *thread, struct rfs_hook *hook,
		     struct rfs_breakpoint *breakpoint)
{
	take_away(thread, hook, breakpoint);
	if (run->main_reached)
		return false;
	rfs_seed_counts(run);
	rfs_tsc_insns_at_main(run, thread);
	run->at_main = run->stops_at_main;
	return run->at_main;
}
