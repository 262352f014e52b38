/*
 * word_locks.c - says what each atomic instruction and store does to the locks of model/word_lock.c, and what stops
 * and lessons follow from it.
 */
#include "supervisor/access/word_locks.h"

#include <stdlib.h>

#include "disasm/elf/elf.h"
#include "disasm/insn/insn.h"
#include "disasm/insn/insn_compare.h"
#include "disasm/rewrite/code.h"
#include "policy/builtin.h"
#include "policy/policy.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/base/alloc.h"
#include "supervisor/record/lessons.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/findings/evidence.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/park.h"
#include "tracer/module.h"
#include "tracer/tracer.h"

/* How many operations others may execute first: enough to create some threads, and for these to reach the lock. */
#define YIELD_STEPS 400

static void word_acquired(void *arg, size_t thread, rfs_addr word, rfs_site site, bool shared)
{
	struct rfs_run *run = arg;

	rfs_word_acquired(run, run->threads[thread], word, site, shared ? RFS_OP_RDLOCK : RFS_OP_LOCK);
}

static void word_released(void *arg, size_t thread, rfs_addr word)
{
	struct rfs_run *run = arg;

	rfs_released(run, run->threads[thread], word);
}

/* Whether --no-lock names the module, or the function at this address. */
static bool is_switched_off(const struct rfs_run *run, const struct rfs_elf *elf, const char *path, rfs_addr vaddr)
{
	const struct rfs_function *f = rfs_elf_function_at(elf, vaddr);

	for (char *const *glob = run->spec->no_locks; glob && *glob; glob++)
		if (rfs_names_module(*glob, path) || (f && f->name && rfs_names_module(*glob, f->name)))
			return true;
	return false;
}

static void word_learnt(void *arg, rfs_site site, enum rfs_word_role role)
{
	struct rfs_run *run = arg;
	struct rfs_run_result *result = run->result;
	const rfs_addr address = rfs_site_address(run, site);
	const struct rfs_module_info *info = rfs_info_at(run, address);
	struct rfs_place *place;

	if (!info || is_switched_off(run, info->elf, info->path, address - info->bias))
		return;
	result->spin = xreallocarray(result->spin, result->n_spin + 1, sizeof(*result->spin));
	place = &result->spin[result->n_spin++];
	*place = (struct rfs_place){rfs_lesson_about_lock(info->path, role), address - info->bias};
}

/* With a detector, a word must be treated in one way from its first use on. */
static void word_changed(void *arg, rfs_site site, enum rfs_word_role role)
{
	struct rfs_run *run = arg;
	const size_t before = run->result->n_spin;

	word_learnt(run, site, role);
	if (!run->spec->detector || run->ended || run->result->n_spin == before)
		return;
	run->result->restart = RFS_RESTART_LOCK;
	rfs_run_end(run, RFS_END_RESTART, 0);
}

static const struct rfs_word_lock_ops ops = {word_acquired, word_released, word_changed};

void rfs_word_locks_open(struct rfs_run *run)
{
	run->word_locks = xcalloc(1, sizeof(*run->word_locks));
	rfs_word_locks_init(run->word_locks, &ops, run);
}

void rfs_word_locks_close(struct rfs_run *run)
{
	if (run->word_locks)
		rfs_word_locks_release(run->word_locks);
	free(run->word_locks);
}

void rfs_word_locks_named(struct rfs_run *run, const struct rfs_module *module, rfs_addr vaddr, enum rfs_word_role role)
{
	if (is_switched_off(run, module->elf, module->path, vaddr))
		role = RFS_WORD_NONE;
	rfs_word_locks_give(run->word_locks, rfs_site_of(run, vaddr + module->bias), role);
}

/* The thread is at a site that the run has not met before. */
static void introduce(struct rfs_run *run, const struct rfs_thread *thread, rfs_site site, const struct rfs_insn *insn)
{
	const rfs_addr address = rfs_site_address(run, site);
	const struct rfs_module_info *info = rfs_info_at(run, address);
	const struct rfs_code_site *code = thread->access.site->code;

	if (rfs_insn_is_cmpxchg(insn))
		rfs_word_site_compares(run->word_locks, site, code && code->expects_constant);
	if (info && is_switched_off(run, info->elf, info->path, address - info->bias))
		rfs_word_locks_give(run->word_locks, site, RFS_WORD_NONE);
}

void rfs_word_locks_update(struct rfs_run *run, struct rfs_thread *thread, rfs_site site, const struct rfs_insn *insn,
			   const struct rfs_part *part)
{
	const size_t number = (size_t)thread->number;
	uint64_t old = 0, new = 0;

	if (!rfs_is_word_size(part->size) || !rfs_peek(run, part->address, &old, part->size) ||
	    !rfs_insn_update(insn, rfs_task_regs(thread->task), old, &new))
		return;
	if (!insn->atomic) {
		rfs_word_stored(run->word_locks, number, part->address, new);
		return;
	}
	if (rfs_word_site_meet(run->word_locks, site))
		introduce(run, thread, site, insn);
	rfs_word_update(run->word_locks, number, site, part->address, part->size, old, new);
	if (rfs_insn_counts(insn))
		rfs_word_counted(run->word_locks, number, part->address, old, new);
}

bool rfs_word_locks_store(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_insn *insn,
			  const struct rfs_part *part)
{
	uint64_t old = 0, new = 0;

	if (!rfs_word_may_hold(run->word_locks, (size_t)thread->number, part->address))
		return false;
	if (rfs_is_word_size(part->size) && rfs_peek(run, part->address, &old, part->size) &&
	    rfs_insn_update(insn, rfs_task_regs(thread->task), old, &new))
		rfs_word_stored(run->word_locks, (size_t)thread->number, part->address, new);
	return rfs_word_locks_is_lock(run, part->address);
}

bool rfs_word_locks_is_lock(const struct rfs_run *run, rfs_addr address)
{
	return rfs_word_is_lock(run->word_locks, address);
}

bool rfs_word_locks_is_access(const struct rfs_run *run, rfs_addr address, uint64_t size)
{
	return rfs_word_locks_is_lock(run, address) && size <= rfs_word_size(run->word_locks, address);
}

bool rfs_word_locks_acquires(const struct rfs_run *run, const struct rfs_op *op)
{
	return op->kind == RFS_OP_ACCESS && (op->access & RFS_ACCESS_ATOMIC) && (op->access & RFS_ACCESS_WRITE) &&
	       rfs_word_site_acquires(run->word_locks, op->site);
}

/*
 * Only one thread at a time lets others run first; if several did, no other would be preferred. A thread at a word that
 * it alone has used continues if another thread reaches a word of several threads.
 */
static bool may_yield(struct rfs_run *run, bool several)
{
	for (size_t i = 0; i < run->n_threads; i++) {
		struct rfs_thread *other = run->threads[i];

		if (other->state == RFS_STATE_ENDED || other->contention.yields_until <= run->result->counts.steps)
			continue;
		if (!several || other->contention.yields_at_shared)
			return false;
		other->contention.yields_until = 0;
		other->yielded = false;
	}
	return true;
}

bool rfs_word_locks_forced(const struct rfs_run_spec *spec)
{
	return spec->policy == &rfs_policy_random || spec->policy == &rfs_policy_rff || spec->forces_contention;
}

/* drfinder itself reverses the order of locks that the run knows. */
static bool may_contend(const struct rfs_run *run, rfs_site site)
{
	return rfs_word_locks_forced(run->spec) ||
	       (run->spec->policy == &rfs_policy_drfinder && !rfs_word_site_acquires(run->word_locks, site));
}

/* Not after an instruction that adds or subtracts: most of these change reference counts. */
bool rfs_word_locks_stops_after(struct rfs_run *run, struct rfs_thread *thread, rfs_site site,
				const struct rfs_insn *insn, rfs_addr address)
{
	const bool several = rfs_word_has_several_threads(run->word_locks, address);

	if (!run->spec->detector || !may_contend(run, site) || run->n_threads < 2 || rfs_insn_counts(insn) ||
	    !may_yield(run, several))
		return false;
	thread->contention.yields_at_shared = several;
	return rfs_word_wants_contention(run->word_locks, (size_t)thread->number, site, address);
}

enum rfs_then rfs_word_locks_stepped(struct rfs_run *run, struct rfs_thread *thread)
{
	enum rfs_then then;

	thread->contention.parks_after_step = false;
	then = rfs_park(run, thread, rfs_op_make(RFS_OP_YIELD, rfs_site_of(run, rfs_task_regs(thread->task)->rip), 0),
			rfs_ready_always, rfs_go_on);
	thread->yielded = true;
	thread->contention.yields_until = run->result->counts.steps + YIELD_STEPS;
	return then;
}

void rfs_word_locks_look(struct rfs_run *run, struct rfs_thread *thread)
{
	rfs_addr held[RFS_WORDS_HELD];
	const size_t n = rfs_words_held(run->word_locks, (size_t)thread->number, held);

	for (size_t i = 0; i < n; i++) {
		uint64_t value = 0;

		if (rfs_peek(run, held[i], &value, rfs_word_size(run->word_locks, held[i])))
			rfs_word_value(run->word_locks, (size_t)thread->number, held[i], value);
	}
}

void rfs_word_locks_stored(struct rfs_run *run, struct rfs_thread *thread, rfs_addr word)
{
	uint64_t value = 0;

	if (rfs_peek(run, word, &value, rfs_word_size(run->word_locks, word)))
		rfs_word_stored(run->word_locks, (size_t)thread->number, word, value);
}

bool rfs_word_locks_collect(struct rfs_run *run)
{
	const size_t before = run->result->n_spin;

	if (run->result->end == RFS_END_RESTART || !run->spec->detector)
		return false;
	rfs_word_locks_learnt(run->word_locks, word_learnt, run);
	return run->result->n_spin > before;
}
