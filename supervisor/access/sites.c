/*
 * sites.c - which statements of which modules get a breakpoint, and why.
 *
 * Watched modules are the program, libraries outside the system's folders, and those that --module names, but never
 * libgomp: sync/openmp_calls.c says what its accesses order. A file that Go's linker made is watched only if
 * --module names it. Atomic instructions, atomic moves and `pause` of watched modules always get a breakpoint. Their
 * other accesses get one only if --points memory asks for it, or if a detector runs and no stub records them. In the
 * second case, they get it when the program has a second thread.
 *
 * In any module, three kinds of statements get a breakpoint: those of the pair under test, those of predicted pairs
 * (--points races), and spin reads that earlier runs found.
 */
#include "supervisor/access/sites.h"

#include <stdlib.h>
#include <string.h>

#include "disasm/addr.h"
#include "disasm/elf/elf.h"
#include "disasm/insn/insn.h"
#include "disasm/insn/insn_call.h"
#include "disasm/rewrite/asan.h"
#include "disasm/rewrite/code.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/access/code_cache.h"
#include "supervisor/access/generated_code.h"
#include "supervisor/access/sanitizer.h"
#include "supervisor/access/stubs.h"
#include "supervisor/access/word_locks.h"
#include "supervisor/base/address_set.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/site.h"
#include "supervisor/base/siteset.h"
#include "supervisor/record/lessons.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stream.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "tracer/breakpoint.h"
#include "tracer/module.h"
#include "tracer/tracer.h"

static const char *const system_folders[] = {"/lib/",	    "/lib64/",	   "/lib32/",	   "/usr/lib/",
					     "/usr/lib64/", "/usr/lib32/", "/usr/libexec/"};

bool rfs_is_watched(const struct rfs_run *run, const struct rfs_module *module)
{
	if (((const struct rfs_module_info *)module->data)->openmp)
		return false;
	for (char *const *path = run->spec->unwatched; path && *path; path++)
		if (strcmp(*path, module->path) == 0)
			return false;
	for (char *const *glob = run->spec->modules; glob && *glob; glob++)
		if (rfs_names_module(*glob, module->path))
			return true;
	/* Go's runtime runs many goroutines on a thread, so a thread's access does not show which goroutine made it. */
	if (module->is_interpreter || rfs_elf_is_go(module->elf))
		return false;
	/* files of supervisor/generate, which are not a part of the library under test */
	if (rfs_names_module("rfsup-driver", module->path) || rfs_names_module("rfsup-guard.so", module->path))
		return false;
	if (((const struct rfs_module_info *)module->data)->program)
		return true;
	for (size_t i = 0; i < sizeof(system_folders) / sizeof(*system_folders); i++)
		if (strncmp(module->path, system_folders[i], strlen(system_folders[i])) == 0)
			return false;
	return true;
}

static struct rfs_site_hook *sites_site_of(struct rfs_run *run, struct rfs_hook *hook, rfs_addr address)
{
	if (!hook)
		return NULL;
	if (!hook->site) {
		hook->site = xcalloc(1, sizeof(*hook->site));
		hook->site->site = rfs_site_of(run, address);
	}
	return hook->site;
}

static bool of_module(const struct rfs_site_ref *ref, const struct rfs_module *module)
{
	return strcmp(ref->module, module->path) == 0;
}

static const struct rfs_code_site *find_code(const struct rfs_elf *elf, uint64_t vaddr)
{
	const struct rfs_code *code = rfs_code_cache_get(elf);
	const struct rfs_code_site *sites;
	const size_t n = code ? rfs_code_sites(code, &sites) : 0, i = n ? rfs_code_sites_from(sites, n, vaddr) : 0;

	return i < n && sites[i].vaddr == vaddr ? &sites[i] : NULL;
}

/* Notes that the run does not watch a site of a watched module. */
static void sites_leave_out(struct rfs_run *run, const struct rfs_module_info *info, uint64_t vaddr)
{
	if (run->spec->wanted.n_covers)
		rfs_address_set_add(&run->left_out, rfs_site_make(info->number, vaddr));
}

/*
 * Whether the place is the last byte of a call instruction. This is how a statement that is a system call is named
 * (kernel/object_calls.h): the thread parks at the system call, not at a breakpoint.
 */
static bool is_system_call(struct rfs_run *run, const struct rfs_module *module, uint64_t vaddr)
{
	const rfs_addr end = vaddr + module->bias + 1;
	uint8_t bytes[RFS_CALL_LENGTH_MAX];

	return !find_code(module->elf, vaddr) && rfs_peek(run, end - sizeof(bytes), bytes, sizeof(bytes)) &&
	       rfs_insn_call_ends(run->decoder, bytes, end);
}

static struct rfs_site_hook *named_site(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module,
					const struct rfs_site_ref *ref)
{
	const rfs_addr address = ref->offset + module->bias;
	struct rfs_site_hook *hook;

	if (!of_module(ref, module) || is_system_call(run, module, ref->offset))
		return NULL;
	hook = sites_site_of(run, rfs_hook_at(run, thread->task, address), address);
	if (!hook) {
		rfs_run_warn(run, "%s+0x%llx is not the start of an instruction; it is not watched", ref->module,
			     (unsigned long long)ref->offset);
		return NULL;
	}
	if (!hook->code)
		hook->code = find_code(module->elf, ref->offset);
	return hook;
}

/*
 * Threads park at the check of the access, if a sanitizer makes one. An access that is already checked would not be
 * reported, even if another thread frees the memory meanwhile.
 */
static void park_at_check(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module,
			  struct rfs_site_hook *hook, uint64_t vaddr)
{
	rfs_addr check = run->asan && !hook->spin ? rfs_asan_check_of(module->elf, run->decoder, vaddr) : 0;
	struct rfs_site_hook *at = NULL;

	if (check)
		at = sites_site_of(run, rfs_hook_at(run, thread->task, check + module->bias), check + module->bias);
	if (at)
		at->checks = hook;
}

static void add_checks(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module)
{
	const struct rfs_run_spec *spec = run->spec;

	for (int s = 0; spec->plan.pair && s < 2; s++)
		for (size_t i = 0; i < spec->plan.pair->statement[s].n_sites; i++) {
			const struct rfs_site_ref *ref = &spec->plan.pair->statement[s].sites[i];
			struct rfs_site_hook *hook = named_site(run, thread, module, ref);

			if (hook)
				park_at_check(run, thread, module, hook, ref->offset);
		}
	for (size_t i = 0; spec->points == RFS_POINTS_RACES && i < spec->sites.n_visible; i++) {
		struct rfs_site_hook *hook = named_site(run, thread, module, &spec->sites.visible[i]);

		if (hook)
			park_at_check(run, thread, module, hook, spec->sites.visible[i].offset);
	}
}

/* True if the lesson says whether a site acquires a lock. */
static bool sites_add_lock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module,
			   const struct rfs_site_ref *lesson)
{
	struct rfs_site_ref ref = *lesson;
	const enum rfs_word_role role = rfs_lesson_of_lock(lesson->module, &ref.module);
	struct rfs_site_hook *hook;

	if (role == RFS_WORD_UNKNOWN)
		return false;
	if (!of_module(&ref, module))
		return true;
	rfs_word_locks_named(run, module, ref.offset, role);
	hook = role == RFS_WORD_NONE ? NULL : named_site(run, thread, module, &ref);
	if (hook)
		hook->visible = hook->always = true;
	return true;
}

static void sites_add_pair(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module)
{
	const struct rfs_statement_pair *pair = run->spec->plan.pair;

	for (int s = 0; pair && s < 2; s++)
		for (size_t i = 0; i < pair->statement[s].n_sites; i++) {
			struct rfs_site_hook *hook = named_site(run, thread, module, &pair->statement[s].sites[i]);

			if (hook) {
				hook->statements |= 1u << s;
				hook->visible = true;
			}
		}
}

void rfs_sites_add_pair(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_module *const *modules;
	const size_t n = rfs_modules(rfs_task_space(thread->task), &modules);

	for (size_t i = 0; i < n; i++)
		sites_add_pair(run, thread, modules[i]);
}

static void sites_forget(struct rfs_task *task, const struct rfs_module *module, const struct rfs_statement *statement)
{
	for (size_t i = 0; i < statement->n_sites; i++) {
		const struct rfs_site_ref *ref = &statement->sites[i];
		struct rfs_breakpoint *breakpoint =
			of_module(ref, module) ? rfs_breakpoint_at(rfs_task_space(task), ref->offset + module->bias)
					       : NULL;
		struct rfs_hook *hook = breakpoint ? rfs_breakpoint_data(breakpoint) : NULL;

		if (hook && hook->site)
			hook->site->statements = 0;
	}
}

void rfs_sites_forget_pair(struct rfs_task *original, const struct rfs_statement_pair *pair)
{
	struct rfs_module *const *modules;
	const size_t n = rfs_modules(rfs_task_space(original), &modules);

	for (size_t i = 0; i < n; i++)
		for (int s = 0; s < 2; s++)
			sites_forget(original, modules[i], &pair->statement[s]);
}

static void add_named(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module)
{
	const struct rfs_run_spec *spec = run->spec;
	struct rfs_site_hook *hook;

	sites_add_pair(run, thread, module);
	for (size_t i = 0; spec->points == RFS_POINTS_RACES && i < spec->sites.n_visible; i++) {
		hook = named_site(run, thread, module, &spec->sites.visible[i]);
		if (hook)
			hook->visible = true;
	}
	for (size_t i = 0; i < spec->lessons.n_spin; i++) {
		if (sites_add_lock(run, thread, module, &spec->lessons.spin[i]))
			continue;
		hook = named_site(run, thread, module, &spec->lessons.spin[i]);
		if (hook)
			hook->spin = hook->visible = true;
	}
}

/*
 * Whether the address belongs to the C library in a static program. The C library is then part of the program's file,
 * but must not be watched. Its functions have reserved names (`_` first) or are thread functions. Mangled C++ names
 * (`_Z`) are the program's.
 */
static bool is_static_libc(const struct rfs_module *module, uint64_t vaddr)
{
	const struct rfs_function *f = rfs_elf_function_at(module->elf, vaddr);

	if (!f || !f->name)
		return false;
	return (f->name[0] == '_' && f->name[1] != 'Z') || strncmp(f->name, "pthread_", 8) == 0 ||
	       strcmp(f->name, "start_thread") == 0;
}

static bool sites_is_access(const struct rfs_code_site *site)
{
	return site->kind == RFS_CODE_ACCESS || site->kind == RFS_CODE_CALL;
}

static void sites_watch(struct rfs_site_hook *hook, const struct rfs_code_site *site)
{
	hook->code = site;
	hook->atomic = site->atomic;
	hook->watched = sites_is_access(site);
}

/*
 * Whether the breakpoint can wait for the second thread. Until then, no access can be part of a race (stub_drain.c
 * leaves out such records, too), but a loop that stops at each of its accesses takes thousands of times as long as
 * without.
 */
static bool can_wait(const struct rfs_run *run, const struct rfs_code_site *site, const bool *recorded)
{
	return recorded && run->n_threads == 1 && run->spec->points != RFS_POINTS_MEMORY &&
	       !run->spec->wanted.n_covers && sites_is_access(site) && !site->atomic && !site->atomic_move;
}

/* Sets breakpoints at swept sites of the module, which info->sites counts. */
static void sites_trap(struct rfs_run *run, struct rfs_task *task, const struct rfs_module *module,
		       const struct rfs_code_site *const *chosen, size_t n)
{
	const bool all_visible = run->spec->points == RFS_POINTS_MEMORY;
	struct rfs_module_info *info = module->data;
	rfs_addr *addresses = xcalloc(n + 1, sizeof(*addresses));
	struct rfs_hook **hooks;

	for (size_t i = 0; i < n; i++)
		addresses[i] = chosen[i]->vaddr + module->bias;
	hooks = rfs_hooks_at(run, task, addresses, n);
	for (size_t i = 0; i < n; i++) {
		const struct rfs_code_site *site = chosen[i];
		struct rfs_site_hook *hook = sites_site_of(run, hooks[i], addresses[i]);

		if (!hook) {
			sites_leave_out(run, info, site->vaddr);
			info->sites -= sites_is_access(site);
			continue;
		}
		sites_watch(hook, site);
		hook->always = hook->always || site->atomic || site->atomic_move || site->kind == RFS_CODE_PAUSE;
		hook->visible = hook->visible || hook->always || (all_visible && sites_is_access(site));
	}
	free(hooks);
	free(addresses);
}

static void add_swept(struct rfs_run *run, struct rfs_thread *thread, struct rfs_module *module)
{
	const struct rfs_code *code = rfs_code_cache_get(module->elf);
	struct rfs_module_info *info = module->data;
	const struct rfs_code_site *sites;
	size_t n = code ? rfs_code_sites(code, &sites) : 0;
	bool all_visible = run->spec->points == RFS_POINTS_MEMORY;
	bool all = run->spec->detector != NULL || all_visible;
	bool is_static = info->program && !rfs_elf_interpreter(module->elf);
	const struct rfs_code_site **chosen = xcalloc(n + 1, sizeof(*chosen));
	bool (*skip)(const struct rfs_module *module, uint64_t vaddr) = is_static ? is_static_libc : NULL;
	bool *recorded;
	size_t n_chosen = 0;

	free(info->waiting);
	info->waiting = xcalloc(n + 1, sizeof(const struct rfs_code_site *));
	info->n_waiting = 0;
	if (rfs_sanitizer_runtime_in(module->elf))
		skip = rfs_sanitizer_owns;
	recorded = rfs_stubs_add_module(run, thread, module, skip);
	for (size_t i = 0; i < n; i++) {
		info->sites += recorded && recorded[i];
		if ((recorded && recorded[i]) || sites[i].kind == RFS_CODE_RDTSC ||
		    (sites_is_access(&sites[i]) && !sites[i].atomic && !sites[i].atomic_move &&
		     !(all && rfs_stubs_is_in_part(run, info, sites[i].vaddr))))
			continue;
		if (skip && skip(module, sites[i].vaddr)) {
			sites_leave_out(run, info, sites[i].vaddr);
			continue;
		}
		info->sites += sites_is_access(&sites[i]);
		if (can_wait(run, &sites[i], recorded))
			info->waiting[info->n_waiting++] = &sites[i];
		else
			chosen[n_chosen++] = &sites[i];
	}
	sites_trap(run, thread->task, module, chosen, n_chosen);
	free(chosen);
	free(recorded);
}

void rfs_sites_new_thread(struct rfs_run *run, struct rfs_task *task)
{
	struct rfs_module *const *modules;
	size_t n;

	rfs_generated_new_thread(run);
	if (run->n_threads != 2)
		return;
	n = rfs_modules(rfs_task_space(task), &modules);
	for (size_t i = 0; i < n; i++) {
		struct rfs_module_info *info = modules[i]->data;

		sites_trap(run, task, modules[i], info->waiting, info->n_waiting);
		info->n_waiting = 0;
	}
}

void rfs_sites_trap_all(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_module *const *modules;
	size_t n = rfs_modules(rfs_task_space(thread->task), &modules);

	for (size_t i = 0; i < n; i++) {
		struct rfs_module_info *info = modules[i]->data;

		if (!info->watched)
			continue;
		info->sites = 0;
		add_swept(run, thread, modules[i]);
	}
}

void rfs_site_add(struct rfs_run *run, struct rfs_task *task, const struct rfs_module *module,
		  const struct rfs_code_site *site)
{
	rfs_addr address = site->vaddr + module->bias;
	struct rfs_site_hook *hook = sites_site_of(run, rfs_hook_at(run, task, address), address);

	if (hook)
		sites_watch(hook, site);
}

/* Marks the atomic moves of the run's spec in the module. */
static void mark_moves(const struct rfs_run *run, const struct rfs_module *module)
{
	const struct rfs_run_spec *spec = run->spec;
	rfs_addr *vaddrs = xcalloc(spec->sites.n_moves + 1, sizeof(*vaddrs));
	size_t n = 0;

	for (size_t i = 0; i < spec->sites.n_moves; i++)
		if (of_module(&spec->sites.moves[i], module))
			vaddrs[n++] = spec->sites.moves[i].offset;
	rfs_code_cache_mark_moves(module->elf, vaddrs, n);
	free(vaddrs);
}

void rfs_sites_add_module(struct rfs_run *run, struct rfs_thread *thread, struct rfs_module *module)
{
	const struct rfs_module_info *info = module->data;

	mark_moves(run, module);
	/* named sites come first, because stubs leave out instructions that have a breakpoint */
	rfs_sanitizer_add_module(run, module);
	add_named(run, thread, module);
	if (run->asan)
		add_checks(run, thread, module);
	if (info->watched)
		add_swept(run, thread, module);
}

void rfs_sites_modules(struct rfs_run *run)
{
	struct rfs_run_result *result = run->result;

	result->n_modules = run->n_modules;
	result->modules = xcalloc(run->n_modules ? run->n_modules : 1, sizeof(*result->modules));
	for (size_t i = 0; i < run->n_modules; i++) {
		const struct rfs_module_info *info = run->modules[i];

		result->modules[i] = (struct rfs_run_module){
			.path = xstrdup(info->path),
			.build_id = xstrdup(info->elf ? rfs_elf_build_id(info->elf) : ""),
			.watched = info->watched,
			.sites = info->sites,
		};
	}
}

/* What the run knows of the site. sites: those that it has executed. */
static enum rfs_covered covered_at(const struct rfs_run *run, const struct rfs_site_ref *ref,
				   const struct rfs_address_set *sites)
{
	const struct rfs_module_info *info = NULL;
	rfs_site site;

	for (size_t i = 0; i < run->n_modules && !info; i++)
		if (strcmp(run->modules[i]->path, ref->module) == 0)
			info = run->modules[i];
	if (!info || !info->watched || !find_code(info->elf, ref->offset))
		return RFS_COVERED_UNKNOWN;
	site = rfs_site_make(info->number, ref->offset);
	if (rfs_address_set_has(sites, site))
		return RFS_COVERED_RAN;
	return rfs_stubs_is_in_part(run, info, ref->offset) && !rfs_address_set_has(run->left_out, site)
		       ? RFS_COVERED_NEVER
		       : RFS_COVERED_UNKNOWN;
}

void rfs_sites_covered(struct rfs_run *run)
{
	const struct rfs_run_spec *spec = run->spec;
	struct rfs_address_set *sites = NULL;
	const bool all = rfs_stream_covered(run->stream, &sites);
	uint8_t *covered = xcalloc(spec->wanted.n_covers, 1);

	for (size_t i = 0; all && i < spec->wanted.n_covers; i++)
		covered[i] = (uint8_t)covered_at(run, &spec->wanted.covers[i], sites);
	run->result->covered = (struct rfs_blob){covered, spec->wanted.n_covers};
	rfs_address_set_release(&sites);
}
