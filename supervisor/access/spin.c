/*
 * spin.c - threads that wait by reading memory in a loop.
 *
 * Such a loop is found in three ways. If the reads are watched, rfs_spin_suspect() sees that a thread executes the same
 * statement again and again in the same state. If they are atomic loads, which are visible operations, rfs_spin_load()
 * sees it. Otherwise the watchdog (run/stops/watchdog.c) single-steps a thread that uses CPU time without a visible
 * operation.
 *
 * In all cases the run ends and is made again from the start. In the new run the statement is a spin read, which is a
 * visible operation. The schedule then depends on the seed alone, and not on the moment at which the loop was found.
 *
 * When a thread arrives at a spin read in the same state as last time (registers, nearby stack, value), only another
 * thread can end the loop. The spin read is then enabled only after a value that the loop read has changed. If the
 * state differs, for example because the loop counts, the spin read is enabled but the thread yields.
 */
#include "supervisor/access/spin.h"

#include <string.h>
#include <xxhash.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/access/access.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/access/store_buffers.h"
#include "supervisor/base/alloc.h"
#include "supervisor/record/run_result.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/evidence.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/park.h"
#include "tracer/tracer.h"

/*
 * States are compared only after this many accesses without a visible operation. Most loops that do real work make
 * fewer.
 */
#define SUSPECT_HITS 3000
/*
 * Comparing states costs as much as a stop. So only the first SUSPECT_WINDOW accesses of every SUSPECT_PERIOD are
 * compared.
 */
#define SUSPECT_WINDOW 256
#define SUSPECT_PERIOD 8192
/* If a statement reads the same value this often, its thread waits for a change, even if the loop counts. */
#define SUSPECT_REPEATS 2000
/* If an atomic load finds the same value and state this often, its thread waits for a change. */
#define ATOMIC_REPEATS 500
/* The part of the stack that belongs to the state: STACK_BYTES bytes from STACK_BELOW bytes below the stack pointer. */
#define STACK_BELOW 128
#define STACK_BYTES 640

uint64_t rfs_spin_state(struct rfs_run *run, struct rfs_thread *thread)
{
	struct user_regs_struct regs = *rfs_task_regs(thread->task);
	unsigned char stack[STACK_BYTES];
	uint64_t hash;

	regs.orig_rax = 0;
	hash = XXH64(&regs, sizeof(regs), 0);
	if (rfs_peek(run, regs.rsp - STACK_BELOW, stack, sizeof(stack)))
		hash = XXH64(stack, sizeof(stack), hash);
	return hash;
}

static uint64_t spin_value_of(struct rfs_run *run, const struct rfs_part *part)
{
	unsigned char buf[64] = {0};

	if (!rfs_peek(run, part->address, buf, part->size < sizeof(buf) ? part->size : sizeof(buf)))
		return 0;
	return XXH64(buf, sizeof(buf), 0);
}

static uint64_t memory_value(struct rfs_run *run, const struct rfs_spin_memory *memory)
{
	return spin_value_of(run, &(struct rfs_part){memory->address, memory->size, 0});
}

static struct rfs_spin_memory *spin_find(struct rfs_thread *thread, rfs_site site, rfs_addr address)
{
	for (unsigned i = 0; i < thread->spin.n; i++)
		if (thread->spin.reads[i].site == site && thread->spin.reads[i].address == address)
			return &thread->spin.reads[i];
	return NULL;
}

static struct rfs_spin_memory *spin_note(struct rfs_thread *thread, rfs_site site, const struct rfs_part *part)
{
	struct rfs_spin_memory *memory = spin_find(thread, site, part->address);

	if (memory)
		return memory;
	if (thread->spin.n == RFS_SPIN_SITES) {
		memmove(thread->spin.reads, thread->spin.reads + 1, sizeof(*thread->spin.reads) * (RFS_SPIN_SITES - 1));
		thread->spin.n--;
	}
	memory = &thread->spin.reads[thread->spin.n++];
	*memory = (struct rfs_spin_memory){.site = site, .address = part->address, .size = part->size};
	return memory;
}

void rfs_spin_found(struct rfs_run *run, rfs_site site)
{
	struct rfs_run_result *result = run->result;
	struct rfs_place *place;

	result->spin = xreallocarray(result->spin, result->n_spin + 1, sizeof(*result->spin));
	place = &result->spin[result->n_spin++];
	rfs_place_of(run, rfs_site_address(run, site), place);
	rfs_run_end(run, RFS_END_RESTART, 0);
}

static unsigned ready_changed(struct rfs_run *run, struct rfs_thread *thread)
{
	for (unsigned i = 0; i < thread->spin.n; i++)
		if (memory_value(run, &thread->spin.reads[i]) != thread->spin.reads[i].value)
			return RFS_THREAD_ENABLED;
	return 0;
}

static enum rfs_then spin_go_read(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	struct rfs_part part = thread->access.part[0];
	struct rfs_spin_memory *memory = spin_note(thread, thread->next.site, &part);
	struct rfs_event event = {.kind = RFS_EVENT_ACCESS, .thread = thread->number, .op = thread->next};
	bool again = memory->state != 0;

	rfs_stores_part(run, thread, &part, false, false);
	rfs_executed(run, thread, &thread->next, choice->outcome);
	run->spin_reads++;
	memory->value = spin_value_of(run, &part);
	memory->state = rfs_spin_state(run, thread);
	thread->yielded = again;
	event.op.kind = RFS_OP_ACCESS;
	if (thread->access.site->watched) {
		rfs_count_access(run);
		rfs_emit(run, &event);
	}
	rfs_access_drop(thread);
	return RFS_THEN_EXECUTE;
}

enum rfs_then rfs_spin_hit(struct rfs_run *run, struct rfs_thread *thread, struct rfs_site_hook *site,
			   const struct rfs_part *part)
{
	struct rfs_op op = rfs_op_make(RFS_OP_SPIN_READ, site->site, part->address);
	const struct rfs_spin_memory *memory = spin_find(thread, site->site, part->address);
	bool same = memory && memory->state == rfs_spin_state(run, thread) && memory->value == spin_value_of(run, part);

	op.access = part->access;
	op.size = part->size;
	op.statements = rfs_access_statements(run, thread, site, part);
	return rfs_park(run, thread, op, same ? ready_changed : rfs_ready_always, spin_go_read);
}

bool rfs_spin_load(struct rfs_run *run, struct rfs_thread *thread, rfs_site site, const struct rfs_part *part)
{
	struct rfs_spin_memory *memory = spin_note(thread, site, part);
	const uint64_t value = spin_value_of(run, part), state = rfs_spin_state(run, thread);
	const bool again = memory->repeats && memory->value == value;

	memory->repeats = again ? memory->repeats + 1 : 1;
	if ((memory->repeats > ATOMIC_REPEATS && memory->state == state) || memory->repeats > SUSPECT_REPEATS)
		rfs_spin_found(run, site);
	memory->value = value;
	memory->state = state;
	return again;
}

bool rfs_spin_suspect(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_site_hook *site,
		      const struct rfs_part *part)
{
	struct rfs_spin_memory *memory;
	uint64_t value, state;

	if (++thread->spin.hits < SUSPECT_HITS || thread->spin.hits % SUSPECT_PERIOD >= SUSPECT_WINDOW ||
	    (part->access & RFS_ACCESS_WRITE))
		return false;
	memory = spin_note(thread, site->site, part);
	value = spin_value_of(run, part);
	state = rfs_spin_state(run, thread);
	if (memory->repeats && memory->value == value) {
		memory->repeats++;
		if (memory->state == state || memory->repeats > SUSPECT_REPEATS) {
			rfs_spin_found(run, site->site);
			return true;
		}
	} else {
		memory->repeats = 1;
	}
	memory->value = value;
	memory->state = state;
	return false;
}
