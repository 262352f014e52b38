/* generated_code.c - which pages of generated code are closed, and what each of their instructions accesses. */
#include "supervisor/access/generated_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "disasm/insn/insn.h"
#include "policy/policy.h"
#include "supervisor/access/access.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/process.h"
#include "supervisor/base/siteset.h"
#include "supervisor/record/lessons.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/generated_names.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/park.h"
#include "tracer/breakpoint.h"
#include "tracer/closed_code.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

#define PAGE 4096ull
/*
 * A stop takes 10 to 70 microseconds, depending on the machine, so these take 0.2 to 1.4 seconds. A program that
 * contains a compiler, as node does, executes more instructions of generated code while it starts. A program that
 * generates a few functions executes fewer.
 */
#define STOPS_MOST 20000

/* A statement that the spec names. */
struct named {
	rfs_addr address;
	unsigned statements; /* as in struct rfs_site_hook */
	bool spin;
};

struct rfs_generated {
	struct named *named;
	size_t n_named;
	bool whole;   /* the run watches all code */
	bool due;     /* the code that exists has yet to be closed */
	bool active;  /* new code is closed */
	bool missing; /* some code that should be watched was executed freely */
	uint64_t stops;
};

static void add_named(struct rfs_generated *g, const struct rfs_site_ref *ref, unsigned statements, bool spin)
{
	uint64_t base;

	if (!rfs_generated_base(ref->module, &base))
		return;
	g->named = xreallocarray(g->named, g->n_named + 1, sizeof(*g->named));
	g->named[g->n_named++] = (struct named){base + ref->offset, statements, spin};
}

static void find_named(struct rfs_generated *g, const struct rfs_run_spec *spec)
{
	for (int s = 0; spec->plan.pair && s < 2; s++)
		for (size_t i = 0; i < spec->plan.pair->statement[s].n_sites; i++)
			add_named(g, &spec->plan.pair->statement[s].sites[i], 1u << s, false);
	for (size_t i = 0; spec->points == RFS_POINTS_RACES && i < spec->sites.n_visible; i++)
		add_named(g, &spec->sites.visible[i], 0, false);
	for (size_t i = 0; i < spec->lessons.n_spin; i++) {
		const char *module;

		if (rfs_lesson_of_lock(spec->lessons.spin[i].module, &module) == RFS_WORD_UNKNOWN)
			add_named(g, &spec->lessons.spin[i], 0, true);
	}
}

void rfs_generated_new_thread(struct rfs_run *run)
{
	const struct rfs_run_spec *spec = run->spec;
	struct rfs_generated *g = run->generated;

	if (g || run->n_threads != 2)
		return;
	g = run->generated = xcalloc(1, sizeof(*g));
	g->whole = spec->detector || spec->points == RFS_POINTS_MEMORY;
	find_named(g, spec);
	g->due = g->active = g->whole || g->n_named;
}

/* Whether the mapping has a name, of a file or of the kernel, that says what code it has. */
static bool is_named(const struct rfs_mapping *mapping)
{
	static const char *const nameless[] = {"[heap]", "[stack", "[anon"};

	for (size_t i = 0; i < sizeof(nameless) / sizeof(*nameless); i++)
		if (strncmp(mapping->path, nameless[i], strlen(nameless[i])) == 0)
			return false;
	return mapping->path[0] && !mapping->path[rfs_path_without_mark(mapping->path)];
}

static bool is_other_code(void *arg, const struct rfs_mapping *mapping)
{
	struct rfs_run *run = arg;

	if (rfs_info_at(run, mapping->start))
		return true;
	/* a file that the loader does not know; code of the kernel is vdso and the like */
	run->generated->missing |= mapping->path[0] == '/' && is_named(mapping);
	return is_named(mapping);
}

/* Closes the code in [start, end) that the run watches. Returns 0 or -errno. */
static int close_code(struct rfs_run *run, struct rfs_task *task, rfs_addr start, rfs_addr end)
{
	struct rfs_generated *g = run->generated;
	int r = 0;

	if (g->whole)
		return rfs_code_close_all(task, start, end, is_other_code, run);
	for (size_t i = 0; i < g->n_named && !r; i++) {
		const rfs_addr page = g->named[i].address & ~(PAGE - 1);

		if (page >= start && page < end)
			r = rfs_code_close_all(task, page, page + PAGE, is_other_code, run);
	}
	return r;
}

/* From now on, the target executes its generated code freely. */
static void give_up(struct rfs_run *run, struct rfs_task *task)
{
	run->generated->active = false;
	run->generated->missing = true;
	rfs_code_open_all(rfs_task_space(task));
}

void rfs_generated_close(struct rfs_run *run, struct rfs_task *task)
{
	struct rfs_generated *g = run->generated;
	int r;

	if (g && rfs_code_opened(rfs_task_space(task)))
		g->missing = true;
	if (!g || !g->due || rfs_task_pid(task) != rfs_tracer_pid(run->tracer))
		return;
	r = close_code(run, task, 0, RFS_NEVER);
	if (r == -EIO || r == -ESRCH)
		return; /* at this stop, or with this task, it cannot be done */
	g->due = false;
	if (r)
		give_up(run, task);
}

static bool makes_code(long number, const unsigned long *args)
{
	return number != SYS_munmap && number != SYS_mremap && (args[2] & PROT_EXEC);
}

bool rfs_generated_calls(struct rfs_run *run, struct rfs_thread *thread, long number, const unsigned long *args)
{
	const struct rfs_module_info *caller;

	if (!run->generated || (number != SYS_mmap && number != SYS_mprotect && number != SYS_pkey_mprotect &&
				number != SYS_munmap && number != SYS_mremap))
		return false;
	/* another place of mmap has no code before the call */
	if ((number != SYS_mmap || (args[3] & (MAP_FIXED | MAP_FIXED_NOREPLACE))) &&
	    rfs_code_was_closed(rfs_task_space(thread->task), args[0], args[0] + args[1]))
		return true;
	caller = rfs_info_at(run, rfs_task_regs(thread->task)->rip);
	/* the loader maps only modules */
	return run->generated->active && makes_code(number, args) && !(caller && caller->interpreter);
}

void rfs_generated_called(struct rfs_run *run, struct rfs_thread *thread, long number, const unsigned long *args,
			  long result)
{
	struct rfs_space *space = rfs_task_space(thread->task);
	rfs_addr start, end;

	if (!run->generated || (result < 0 && result > -(long)PAGE))
		return;
	if (number == SYS_mremap) {
		/* without memory for the table, the code would never be executable again */
		if (rfs_code_move(space, args[0], (rfs_addr)result, args[1] < args[2] ? args[1] : args[2]))
			die("out of memory");
		return;
	}
	start = number == SYS_mmap ? (rfs_addr)result : args[0];
	end = start + args[1];
	rfs_code_forget(space, start, end);
	if (run->generated->active && makes_code(number, args) && close_code(run, thread->task, start, end))
		give_up(run, thread->task);
}

/* Whether the instruction may access memory that threads share. */
static bool is_access(const struct rfs_insn *insn)
{
	for (unsigned i = 0; i < insn->n_mem; i++)
		if (!(insn->mem[i].flags & RFS_MEM_STACK) && (insn->mem[i].flags & (RFS_MEM_READ | RFS_MEM_WRITE)))
			return true;
	return false;
}

/* What the run does at the instruction. The code may have changed since the last time. */
static struct rfs_site_hook *prepare(struct rfs_run *run, struct rfs_breakpoint *breakpoint,
				     const struct rfs_insn *insn)
{
	const struct rfs_generated *g = run->generated;
	const rfs_addr address = rfs_breakpoint_address(breakpoint);
	struct rfs_hook *hook = rfs_hook_of(run, breakpoint);
	struct rfs_site_hook *site = hook->site;

	if (!site)
		site = hook->site = xcalloc(1, sizeof(*site));
	*site = (struct rfs_site_hook){.site = rfs_generated_site(run, address),
				       .visible = insn->atomic || run->spec->points == RFS_POINTS_MEMORY,
				       .always = insn->atomic,
				       .watched = run->spec->detector != NULL,
				       .atomic = insn->atomic};
	for (size_t i = 0; i < g->n_named; i++) {
		if (g->named[i].address != address)
			continue;
		site->statements |= g->named[i].statements;
		site->spin |= g->named[i].spin;
		site->visible = true;
	}
	return site;
}

enum rfs_then rfs_generated_hit(struct rfs_run *run, struct rfs_thread *thread, struct rfs_breakpoint *breakpoint)
{
	const struct rfs_insn *insn = rfs_breakpoint_insn(breakpoint);
	struct rfs_generated *g = run->generated;
	struct rfs_site_hook *site;

	if (!g || !g->active || thread->process)
		return RFS_THEN_EXECUTE;
	if (++g->stops > STOPS_MOST) {
		give_up(run, thread->task);
		return RFS_THEN_EXECUTE;
	}
	if (insn && insn->pause)
		return rfs_park(run, thread, rfs_op_make(RFS_OP_YIELD, 0, 0), rfs_ready_always, rfs_go_on);
	if (!insn || !is_access(insn))
		return RFS_THEN_EXECUTE;
	site = prepare(run, breakpoint, insn);
	return site->visible || site->watched ? rfs_site_hit(run, thread, site, breakpoint) : RFS_THEN_EXECUTE;
}

bool rfs_generated_is_missing(const struct rfs_run *run)
{
	return run->n_threads > 1 && (!run->generated || run->generated->missing || run->generated->due);
}

void rfs_generated_release(struct rfs_run *run)
{
	if (run->generated)
		free(run->generated->named);
	free(run->generated);
	run->generated = NULL;
}
