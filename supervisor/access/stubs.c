/*
 * stubs.c - which sites of the target get stubs, and what the stub records mean.
 *
 * A stub replaces a breakpoint at a site at which the policy chooses nothing, because no stop is needed there. Other
 * sites keep breakpoints: those at which a thread parks, and those for which no stub is possible. access.c makes the
 * same events at a breakpoint, at the cost of a stop.
 */
#include "supervisor/access/stubs.h"
#include "supervisor/base/memory_name.h"
#include "supervisor/state/core/thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "disasm/addr.h"
#include "disasm/elf/elf.h"
#include "disasm/insn/insn.h"
#include "disasm/rewrite/code.h"
#include "disasm/rewrite/plan.h"
#include "disasm/rewrite/stub.h"
#include "policy/passes.h"
#include "policy/policy.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/access/calls/range_call.h"
#include "supervisor/access/calls/recorded_calls.h"
#include "supervisor/access/code_cache.h"
#include "supervisor/access/sites.h"
#include "supervisor/base/alloc.h"
#include "supervisor/model/word_lock.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/aliases.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stream.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/operations/faults.h"
#include "tracer/breakpoint.h"
#include "tracer/module.h"
#include "tracer/patch.h"
#include "tracer/stub_buffer.h"
#include "tracer/tracer.h"

/*
 * If a module has too much code for one run (rfs_code_cache_parts()), each run watches a part of it. A part consists of
 * chunks of code, because functions that share data are often neighbours. The seed decides which chunks, so any two
 * chunks are watched together in some runs.
 */
#define CHUNK 65536

/* A plan for a part of a module. It is made during the run, so it is in no cache. */
struct rfs_partial_plan {
	struct rfs_plan *plan;
	struct rfs_partial_plan *next;
};

struct rfs_stubs {
	bool accesses;			   /* stubs record accesses of watched modules */
	enum rfs_stub_filter filter;	   /* of these stubs */
	const struct rfs_thread *filtered; /* the thread that had the filter last */
	uint64_t changes;		   /* rfs_stream_changes() when that thread was resumed */
	bool counts;			   /* stubs only count, for the debugger */
	bool lends;			   /* stubs record calls of allocators, and mutex calls that were lent */
	struct rfs_operand *operands;	   /* index: the number in a stub record */
	struct rfs_stream_site *sites;	   /* of the operands; valid if the run has no stream */
	size_t n_operands;
	struct rfs_partial_plan *plans;
};

/* The arguments of the functions that patch a module. */
struct batch {
	struct rfs_run *run;
	struct rfs_task *task;
	const struct rfs_module *module;
	const struct rfs_code_site *sites; /* of the module */
	bool *recorded; /* for each element of `sites`: whether a stub records it; NULL: not needed */
};

void rfs_stubs_init(struct rfs_run *run)
{
	run->stubs = xcalloc(1, sizeof(*run->stubs));
}

/* On these families, pext takes several hundred cycles. */
static bool has_pext(void)
{
	return __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("amdfam15h") && !__builtin_cpu_is("amdfam17h");
}

static void add_place(void *space, rfs_addr address, uint64_t size)
{
	rfs_stub_buffer_filter_place(space, rfs_memory_address(address), size);
}

/* Decides what stubs drop, if the run is a pass of a detector. The result of the run does not depend on it. */
static enum rfs_stub_filter open_filter(const struct rfs_run *run, struct rfs_space *space)
{
	const struct rfs_run_spec *spec = run->spec;
	const struct rfs_detector_passes *passes = spec->detector->passes;
	const bool first = passes && spec->detector == passes->first,
		   second = passes && spec->detector == passes->second;
	const enum rfs_stub_filter filter = first ? RFS_FILTER_REPEATS : RFS_FILTER_PLACES;

	if (!(first || (second && spec->detector_blob)) || !has_pext() || !rfs_stub_buffer_filter_open(space, filter))
		return RFS_FILTER_NONE;
	if (second)
		passes->places(spec->detector_blob, add_place, space);
	else
		rfs_stream_filtered(run->stream);
	return filter;
}

void rfs_stubs_filter(const struct rfs_run *run, struct rfs_thread *thread)
{
	rfs_addr held[RFS_WORDS_HELD];

	/*
	 * A store to a word that the thread may hold can release a lock, so it is needed in any pass. It also ends a
	 * segment. Accesses to the shadow memory of a sanitizer are not counted, so they must be recorded. The filter
	 * knows addresses, and memory at two of them has one location.
	 */
	if (!run->stubs->filter || thread->watched.unfiltered || run->asan || run->msan || rfs_aliases_any(run) ||
	    rfs_words_held(run->word_locks, (size_t)thread->number, held))
		return;
	/* a full buffer is no event */
	rfs_stub_buffer_filter(thread->task, run->stubs->filtered == thread &&
						     run->stubs->changes == rfs_stream_changes(run->stream));
	run->stubs->filtered = thread;
	run->stubs->changes = rfs_stream_changes(run->stream);
}

void rfs_stubs_check_table(struct rfs_run *run, const struct rfs_task *task)
{
	if (run->result->overwritten || !run->stubs)
		return;
	/* An access that failed has left a key that no access could have: its address may be any number. */
	if (run->had_fault && run->stubs->filter == RFS_FILTER_REPEATS)
		return;
	if (!rfs_stub_buffer_overwritten(rfs_task_space(task)))
		return;
	run->result->overwritten = true;
	rfs_run_warn(run, "memory that rfsup had mapped for its stubs was changed by a store or a system call of the "
			  "program; it may use a wild pointer");
}

void rfs_stubs_open(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct rfs_run_spec *spec = run->spec;
	int error;

	run->stubs->accesses = run->stubs->lends = run->stubs->counts = false;
	run->stubs->filter = RFS_FILTER_NONE;
	run->stubs->filtered = NULL;
	rfs_recorded_calls_forget(run, 0, RFS_NEVER);
	if (spec->accesses != RFS_ACCESSES_STUBS)
		return;
	error = rfs_stub_buffer_open(thread->task);
	/* the user of gdb may set a breakpoint anywhere, and a stub must not be in the way */
	if (spec->gdb) {
		run->stubs->counts = error == 0;
		return;
	}
	run->stubs->lends = error == 0;
	if (!spec->detector || spec->points == RFS_POINTS_MEMORY)
		return;
	run->stubs->accesses = error == 0;
	if (!error)
		run->stubs->filter = open_filter(run, rfs_task_space(thread->task));
	if (error && error != -ESRCH)
		rfs_run_warn(run,
			     "the program cannot map memory for stubs (%s); breakpoints are used for all accesses, "
			     "which is slower",
			     strerror(-error));
}

/* Describes the accesses of this operand for the detector. */
static struct rfs_stream_site stubs_site_of(const struct rfs_run *run, const struct rfs_module *module,
					    const struct rfs_plan_record *record)
{
	struct rfs_stream_site site = {.site = rfs_site_of(run, record->site->vaddr + module->bias)};

	if (record->flags & RFS_MEM_READ)
		site.access |= RFS_ACCESS_READ;
	if (record->flags & RFS_MEM_WRITE)
		site.access |= RFS_ACCESS_WRITE;
	if (record->kind != RFS_OPERAND_MEMORY) {
		site.access |= RFS_ACCESS_RANGE | (record->kind == RFS_OPERAND_BLOCK ? RFS_ACCESS_FREE : 0u);
		return site;
	}
	site.size = record->size;
	if (site.access == (RFS_ACCESS_READ | RFS_ACCESS_WRITE))
		site.access |= RFS_ACCESS_RMW;
	else if ((record->plain_move || site.access == RFS_ACCESS_READ) && rfs_is_word_size(record->size))
		site.access |= RFS_ACCESS_ALIGNED_MOVE;
	return site;
}

/* Numbers the operands that the plan records; *first: the first number. 0, or -ENOSPC if there are too many. */
static int number_records(struct rfs_run *run, const struct rfs_module *module, const struct rfs_plan *plan,
			  uint32_t *first)
{
	const struct rfs_plan_record *records;
	size_t n = rfs_plan_records(plan, &records);

	*first = (uint32_t)run->stubs->n_operands;
	run->stubs->operands =
		xreallocarray(run->stubs->operands, run->stubs->n_operands + n + 1, sizeof(*run->stubs->operands));
	if (!run->stream)
		run->stubs->sites =
			xreallocarray(run->stubs->sites, run->stubs->n_operands + n + 1, sizeof(*run->stubs->sites));
	for (size_t i = 0; i < n; i++) {
		const struct rfs_stream_site site = stubs_site_of(run, module, &records[i]);
		uint32_t number = (uint32_t)run->stubs->n_operands;
		/*
		 * the stream numbers its sites too; only this function adds sites to the stream, so both numbers are
		 * equal
		 */
		int error = run->stream ? rfs_stream_site(run->stream, &site, &number) : 0;

		if (error)
			return error;
		if (!run->stream)
			run->stubs->sites[number] = site;
		run->stubs->operands[number] = (struct rfs_operand){.kind = records[i].kind,
								    .fs = records[i].fs,
								    .writes = records[i].flags & RFS_MEM_WRITE,
								    .size = records[i].size};
		run->stubs->n_operands = (size_t)number + 1;
	}
	return 0;
}

static void note_tactic(struct rfs_run *run, const struct rfs_plan_group *group)
{
	if (group->n_insns == 1 && group->lengths[0] >= RFS_JUMP_LENGTH)
		run->result->stubs.single++;
	else if (group->n_starts == group->n_insns)
		run->result->stubs.groups++;
	else
		run->result->stubs.padded++;
}

static void install(struct batch *batch, const struct rfs_plan *plan, const struct rfs_plan_group *const *groups,
		    size_t n)
{
	const struct rfs_plan_record *records;
	bool *done = xcalloc(n + 1, sizeof(*done));
	size_t n_done = 0;
	uint32_t first;
	int error = number_records(batch->run, batch->module, plan, &first);

	if (!error)
		error = rfs_patches_add(batch->task, groups, n, batch->module->bias, first, done);
	rfs_plan_records(plan, &records);
	if (error && error != -ESRCH)
		rfs_run_warn(batch->run, "cannot patch %s (%s); breakpoints are used for its accesses, which is slower",
			     batch->module->path, strerror(-error));
	for (size_t i = 0; i < n; i++) {
		n_done += done[i];
		if (!done[i])
			continue;
		note_tactic(batch->run, groups[i]);
		for (uint32_t k = 0; batch->recorded && k < groups[i]->n_records; k++)
			batch->recorded[records[groups[i]->first_record + k].site - batch->sites] = true;
	}
	if (n && !n_done && !error)
		rfs_run_warn(batch->run,
			     "no free memory for stubs near %s; breakpoints are used for its accesses, which is slower",
			     batch->module->path);
	free(done);
}

static void install_all(struct batch *batch, const struct rfs_plan *plan)
{
	const struct rfs_plan_group *groups, **chosen;
	size_t n = rfs_plan_groups(plan, &groups);

	chosen = xcalloc(n + 1, sizeof(*chosen));
	for (size_t i = 0; i < n; i++)
		chosen[i] = &groups[i];
	install(batch, plan, chosen, n);
	free(chosen);
}

/* Whether the address has a breakpoint, or gets one when the program has a second thread. */
static bool is_trapped(const struct batch *batch, rfs_addr vaddr)
{
	const struct rfs_module_info *info = batch->module->data;

	if (rfs_breakpoint_at(rfs_task_space(batch->task), vaddr + batch->module->bias))
		return true;
	for (size_t i = 0; i < info->n_waiting; i++)
		if (info->waiting[i]->vaddr == vaddr)
			return true;
	return false;
}

/*
 * The addresses in [start, end) that have or get a breakpoint; start, end and the result are addresses of the ELF file.
 * The caller frees the array.
 */
static rfs_addr *breakpoints_in(const struct batch *batch, rfs_addr start, rfs_addr end, size_t *n)
{
	rfs_addr *found = NULL;

	*n = 0;
	for (rfs_addr vaddr = start; vaddr < end; vaddr++) {
		if (!is_trapped(batch, vaddr))
			continue;
		found = xreallocarray(found, *n + 1, sizeof(*found));
		found[(*n)++] = vaddr;
	}
	return found;
}

/* Makes a plan for this run only. NULL: not possible. Borrowed. */
static const struct rfs_plan *make_plan(struct rfs_run *run, const struct rfs_module *module,
					const struct rfs_plan_request *request)
{
	const struct rfs_code *code = rfs_code_cache_get(module->elf);
	struct rfs_partial_plan *partial;
	struct rfs_plan *plan;

	if (!code || rfs_plan_make(module->elf, run->decoder, code, request, &plan) != 0)
		return NULL;
	partial = xcalloc(1, sizeof(*partial));
	*partial = (struct rfs_partial_plan){plan, run->stubs->plans};
	run->stubs->plans = partial;
	return plan;
}

/*
 * Makes a new plan for the code in [start, end), and patches that code. The new plan leaves out instructions with a
 * breakpoint. leader: one more address that control may jump to; 0: none.
 */
static void plan_again(struct batch *batch, rfs_addr start, rfs_addr end, rfs_addr leader)
{
	struct rfs_run *run = batch->run;
	struct rfs_plan_request request = {.start = start,
					   .end = end,
					   .leaders = &leader,
					   .n_leaders = leader != 0,
					   .call = rfs_range_call_recorded,
					   .filter = run->stubs->filter};
	rfs_addr *barriers = breakpoints_in(batch, start, end, &request.n_barriers);
	const struct rfs_plan *plan;

	request.barriers = barriers;
	plan = make_plan(run, batch->module, &request);
	if (plan)
		install_all(batch, plan);
	free(barriers);
}

static bool has_breakpoint(const struct batch *batch, const struct rfs_plan_group *group)
{
	struct rfs_space *space = rfs_task_space(batch->task);
	rfs_addr at = group->vaddr + batch->module->bias;

	for (unsigned i = 0; i < group->n_starts; i++) {
		if (rfs_breakpoint_at(space, at))
			return true;
		at += group->lengths[i];
	}
	return false;
}

bool rfs_stubs_is_in_part(const struct rfs_run *run, const struct rfs_module_info *info, uint64_t vaddr)
{
	const uint64_t key[2] = {vaddr / CHUNK, run->spec->seed};

	return !info->parts || XXH64(key, sizeof(key), 0) % info->parts == 0;
}

struct part {
	const struct rfs_run *run;
	const struct rfs_module_info *info;
};

static bool in_part(const void *arg, rfs_addr vaddr)
{
	const struct part *part = arg;

	return rfs_stubs_is_in_part(part->run, part->info, vaddr);
}

static void warn_of_parts(struct rfs_run *run, const struct rfs_module_info *info)
{
	rfs_run_warn(
		run,
		"%s has too much code to watch all its accesses in one run; each run with a detector watches about "
		"1/%u of it, which its seed decides; more runs watch more",
		info->path, info->parts);
}

/* The plan for what this run watches of the module. NULL: not possible. */
static const struct rfs_plan *plan_module(struct rfs_run *run, const struct rfs_module *module)
{
	struct rfs_module_info *info = module->data;
	const struct part part = {run, info};
	const struct rfs_plan_request request = {.end = ~(rfs_addr)0,
						 .in_part = in_part,
						 .arg = &part,
						 .ledges = true,
						 .call = rfs_range_call_recorded,
						 .filter = run->stubs->filter};

	info->parts = rfs_code_cache_parts(module->elf);
	if (info->parts)
		warn_of_parts(run, info);
	if (rfs_elf_relocates_code(module->elf)) /* breakpoints execute what is in memory */
		return NULL;
	return info->parts ? make_plan(run, module, &request) : rfs_plan_cache_get(module->elf, run->stubs->filter);
}

bool *rfs_stubs_add_module(struct rfs_run *run, struct rfs_thread *thread, struct rfs_module *module,
			   bool (*skip)(const struct rfs_module *module, uint64_t vaddr))
{
	const struct rfs_code *code = rfs_code_cache_get(module->elf);
	const struct rfs_plan *plan = run->stubs->accesses ? plan_module(run, module) : NULL;
	struct batch batch = {.run = run, .task = thread->task, .module = module};
	const struct rfs_plan_group *groups, **chosen;
	size_t n = plan ? rfs_plan_groups(plan, &groups) : 0, n_chosen = 0, n_sites;

	if (!n)
		return NULL;
	n_sites = rfs_code_sites(code, &batch.sites);
	batch.recorded = xcalloc(n_sites + 1, sizeof(*batch.recorded));
	chosen = xcalloc(n, sizeof(*chosen));
	for (size_t i = 0; i < n; i++) {
		if (skip && skip(module, groups[i].vaddr))
			continue;
		if (has_breakpoint(&batch, &groups[i]))
			plan_again(&batch, groups[i].vaddr, groups[i].vaddr + groups[i].length, 0);
		else
			chosen[n_chosen++] = &groups[i];
	}
	install(&batch, plan, chosen, n_chosen);
	free(chosen);
	return batch.recorded;
}

void rfs_stubs_add_allocators(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module)
{
	const struct rfs_module_info *info = module->data;
	/* when the record of a stub is read, the thread has left the callers of the allocation */
	const bool wanted = run->stubs->lends && run->heap.tracked && (info->libc || info->allocates) &&
			    !info->watched && !run->spec->wanted.block_stacks &&
			    !rfs_faults_possible(run, RFS_FAULT_MALLOC);
	struct batch batch = {.run = run, .task = thread->task, .module = module};
	const struct rfs_code *code;
	const struct rfs_plan *plan = wanted ? rfs_allocator_cache_get(module->elf, &code) : NULL;
	size_t n, next;

	if (!plan)
		return;
	n = rfs_code_sites(code, &batch.sites);
	batch.recorded = xcalloc(n + 1, sizeof(*batch.recorded));
	install_all(&batch, plan);
	for (size_t i = 0; i < n; i = next) {
		const struct rfs_function *f = rfs_elf_function_at(module->elf, batch.sites[i].vaddr);
		const rfs_addr start = f->start + module->bias, end = f->end + module->bias;
		bool whole = batch.recorded[i];

		for (next = i + 1; next < n && batch.sites[next].kind == RFS_CODE_EXIT; next++)
			whole = whole && batch.recorded[next];
		if (!whole) {
			rfs_patches_remove(rfs_task_space(thread->task), start, end);
			continue;
		}
		rfs_recorded_calls_add(run, start, end);
	}
	free(batch.recorded);
}

void rfs_stubs_add_locks(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module)
{
	const struct rfs_module_info *info = module->data;
	struct batch batch = {.run = run, .task = thread->task, .module = module};
	const struct rfs_plan *plan =
		run->stubs->lends && info->libc && !info->watched ? rfs_lock_calls_cache_get(module->elf) : NULL;

	if (plan)
		install_all(&batch, plan);
}

/* No group is longer than this. */
#define GROUP_BYTES (RFS_STUB_INSNS * RFS_INSN_MAX)

/* Lets a stub decide at which executions of the instruction the breakpoint stops. */
static bool add_counting(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, enum rfs_stub_filter filter)
{
	const struct rfs_module *module = rfs_module_at(rfs_task_space(thread->task), address);
	struct batch batch = {.run = run, .task = thread->task, .module = module};
	struct rfs_plan_request request = {.filter = filter};
	const struct rfs_plan_group *groups;
	const struct rfs_plan *plan;
	rfs_addr *barriers;

	if (!module || rfs_elf_relocates_code(module->elf))
		return false;
	request.start = address - module->bias;
	request.end = request.start + GROUP_BYTES;
	barriers = breakpoints_in(&batch, request.start + 1, request.end, &request.n_barriers);
	request.barriers = barriers;
	plan = make_plan(run, module, &request);
	free(barriers);
	return plan && rfs_plan_groups(plan, &groups) == 1 && groups->vaddr == request.start &&
	       rfs_patch_add_hot(thread->task, groups, module->bias) == 0;
}

bool rfs_stubs_add_hot(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, unsigned counter)
{
	return run->stubs->lends && has_pext() && rfs_stub_buffer_can_pass(rfs_task_space(thread->task)) &&
	       !rfs_hook_always_stops(rfs_hook_at(run, thread->task, address)) &&
	       add_counting(run, thread, address, RFS_STUB_PASS + counter);
}

bool rfs_stubs_add_count(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, unsigned counter)
{
	const struct rfs_breakpoint *breakpoint = rfs_breakpoint_at(rfs_task_space(thread->task), address);

	return run->stubs->counts && breakpoint && !rfs_breakpoint_data(breakpoint) &&
	       add_counting(run, thread, address, RFS_STUB_COUNT + counter);
}

void rfs_stubs_learn(struct rfs_run *run, struct rfs_task *task, rfs_addr address)
{
	struct rfs_space *space = rfs_task_space(task);
	const struct rfs_module *module = rfs_module_at(space, address);
	struct batch batch = {.run = run, .task = task, .module = module};
	const struct rfs_code *code;
	rfs_addr start, end;
	size_t n, first;

	if (!rfs_patch_at(space, address, &start, &end) || rfs_recorded_calls_remove_patches(run, task, start, end))
		return;
	rfs_patches_remove(space, start, end);
	/* the patches of mutex functions and of hot statements also have breakpoints */
	if (!run->stubs->accesses || !module || !((const struct rfs_module_info *)module->data)->watched)
		return;
	code = rfs_code_cache_get(module->elf);
	n = rfs_code_sites(code, &batch.sites);
	batch.recorded = xcalloc(n + 1, sizeof(*batch.recorded));
	run->result->stubs.learned++;
	plan_again(&batch, start - module->bias, end - module->bias, address - module->bias);
	for (first = 0; first < n && batch.sites[first].vaddr < start - module->bias; first++)
		;
	for (; first < n && batch.sites[first].vaddr < end - module->bias; first++)
		if (!batch.recorded[first])
			rfs_site_add(run, task, module, &batch.sites[first]);
	free(batch.recorded);
}

/*
 * Needed for code that changes while it runs. Accesses there are no longer watched, because breakpoints would change
 * the code as well.
 */
void rfs_stubs_remove_patches(struct rfs_run *run, struct rfs_thread *thread, rfs_addr start, uint64_t size)
{
	struct rfs_space *space = rfs_task_space(thread->task);
	const struct rfs_module_info *info = rfs_info_at(run, start);
	size_t before;

	if (!(run->stubs->accesses || run->stubs->lends || run->stubs->counts) || start + size < start)
		return;
	(void)rfs_recorded_calls_remove_patches(run, thread->task, start, start + size);
	before = rfs_patches_count(space);
	rfs_patches_remove(space, start, start + size);
	if (rfs_patches_count(space) < before && info && info->watched)
		rfs_run_warn(run, "%s makes its code writable; accesses from that code are no longer watched",
			     info->path);
}

/* Replaces the stubs of allocators by breakpoints, and lends no more operations. Stubs of watched modules stay. */
static void give_up_functions(struct rfs_run *run, struct rfs_thread *thread)
{
	run->stubs->lends = false;
	(void)rfs_recorded_calls_remove_patches(run, thread->task, 0, RFS_NEVER);
}

void rfs_stubs_stop_lending(struct rfs_run *run, struct rfs_thread *thread)
{
	if (run->stubs->lends && !run->stubs->accesses) {
		rfs_patches_give_up(rfs_task_space(thread->task));
		give_up_functions(run, thread);
	}
	run->stubs->lends = false;
}

void rfs_stubs_give_up(struct rfs_run *run, struct rfs_thread *thread, const char *why)
{
	const bool stubs = run->stubs->accesses;

	if (!run->stubs->accesses && !run->stubs->lends && !run->stubs->counts)
		return;
	run->stubs->accesses = run->stubs->counts = false;
	rfs_patches_give_up(rfs_task_space(thread->task));
	give_up_functions(run, thread);
	if (!stubs)
		return;
	rfs_sites_trap_all(run, thread);
	rfs_run_warn(run, "%s; breakpoints are used for all accesses, which is slower", why);
}

void rfs_stubs_release(struct rfs_run *run)
{
	while (run->stubs->plans) {
		struct rfs_partial_plan *next = run->stubs->plans->next;

		rfs_plan_free(run->stubs->plans->plan);
		free(run->stubs->plans);
		run->stubs->plans = next;
	}
	free(run->stubs->operands);
	free(run->stubs->sites);
	free(run->stubs);
}

void rfs_stubs_copy(const struct rfs_run *from, struct rfs_run *to)
{
	const struct rfs_stubs *s = from->stubs;

	to->stubs->lends = s->lends;
	to->stubs->operands = xcalloc(s->n_operands + 1, sizeof(*s->operands));
	if (s->n_operands)
		memcpy(to->stubs->operands, s->operands, s->n_operands * sizeof(*s->operands));
	to->stubs->n_operands = s->n_operands;
	for (size_t i = 0; to->stream && i < s->n_operands; i++) {
		uint32_t number;

		/* the original has as many sites, so there is room */
		(void)!rfs_stream_site(to->stream, &s->sites[i], &number);
	}
}

bool rfs_stubs_lend(const struct rfs_run *run)
{
	return run->stubs->lends;
}

size_t rfs_stubs_operands(const struct rfs_run *run, const struct rfs_operand **out)
{
	*out = run->stubs->operands;
	return run->stubs->n_operands;
}
