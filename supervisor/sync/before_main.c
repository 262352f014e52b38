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

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "disasm/addr.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/access/tsc_insns.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "tracer/breakpoint.h"
#include "tracer/tracer.h"

/* The number that replaces the seed before main, also for getrandom (kernel/calls/random_calls.c). */
#define BEFORE_MAIN 0

void rfs_before_main(unsigned char at_random[RFS_AT_RANDOM_SIZE])
{
	for (size_t i = 0; i < RFS_AT_RANDOM_SIZE; i++)
		at_random[i] = (unsigned char)XXH64(&i, sizeof(i), BEFORE_MAIN);
}

/* Finds the 16 bytes of AT_RANDOM in the target. 0: they are not known. */
static rfs_addr find_at_random(const struct rfs_run *run)
{
	char path[64];
	Elf64_auxv_t entry;
	rfs_addr found = 0;
	FILE *file;

	if (!run->n_threads || !run->threads[0]->task)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)rfs_task_pid(run->threads[0]->task));
	file = fopen(path, "re");
	while (file && !found && fread(&entry, sizeof(entry), 1, file) == 1)
		found = entry.a_type == AT_RANDOM ? entry.a_un.a_val : 0;
	if (file)
		fclose(file);
	return found;
}

/*
 * What the program sees of its start from now on is that of the seed. The C library has taken the canary and the
 * pointer guard from AT_RANDOM before main, so these stay.
 */
static void start_from_seed(struct rfs_run *run)
{
	unsigned char bytes[RFS_AT_RANDOM_SIZE];
	rfs_addr at = find_at_random(run);

	rfs_clock_seed(run, run->spec->seed);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)XXH64(&i, sizeof(i), run->spec->seed);
	if (at)
		rfs_poke(run, at, bytes, sizeof(bytes));
}

void rfs_seed_counts(struct rfs_run *run)
{
	run->main_reached = true;
	/* the original of a fork server has no seed: each copy has its own */
	if (run->spec->start_from_seed && run->served.as != RFS_SERVED_ORIGINAL)
		start_from_seed(run);
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
	run->served.at_main = run->served.as == RFS_SERVED_ORIGINAL;
	return run->served.at_main;
}
