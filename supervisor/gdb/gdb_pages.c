/*
 * gdb_pages.c - watchpoints where debug registers stop no program, without a step for each instruction.
 *
 * While a thread runs, it cannot write to the pages of the watched memory: they are closed. A write to such a page is a
 * fault. Then the instruction is executed for the thread, and the memory is compared. If it is none that the tracer can
 * execute, the pages are opened, and the thread is stepped over it.
 *
 * The kernel must find open pages: a system call that writes to a closed one fails. So the thread stops at the entry of
 * each system call, also of those that rfsup does not look at:
 *
 *     at the entry     skip the call, and go back to its instruction
 *     at the exit      open the pages, and step the instruction: now the call is made
 *
 * At any other stop the pages are opened first, so that rfsup itself finds them open.
 *
 * The thread is stepped instead if somebody else could use a page meanwhile (a thread or process in the kernel, shared
 * memory), and while a signal is delivered.
 */
#include "supervisor/gdb/gdb_pages.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "supervisor/gdb/gdb-priv.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/gdb/gdb_count.h"
#include "supervisor/kernel/signals/signals.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "tracer/memory.h"
#include "tracer/stub_buffer.h"
#include "tracer/tracer.h"

#define PAGE 4096

static int protection_of(const struct rfs_mapping *mapping)
{
	return (mapping->read ? PROT_READ : 0) | (mapping->write ? PROT_WRITE : 0) | (mapping->exec ? PROT_EXEC : 0);
}

static bool is_listed(const struct rfs_gdb_pages *pages, rfs_addr address)
{
	for (size_t i = 0; i < pages->n; i++)
		if (pages->list[i].address == address)
			return true;
	return false;
}

/* Makes the list. False if a page cannot be closed. Memory that is not mapped needs no page: to map it is a call. */
static bool find_pages(struct rfs_gdb *gdb, struct rfs_space *space)
{
	struct rfs_gdb_pages *pages = &gdb->pages;
	struct rfs_mapping mapping;

	pages->n = 0;
	for (size_t i = 0; i < gdb->n_watched; i++) {
		const rfs_addr address = gdb->watched[i].address & ~(rfs_addr)(PAGE - 1);

		if (is_listed(pages, address) || !rfs_space_mapping(space, address, &mapping))
			continue;
		/* below a closed page, the kernel would not let the stack grow */
		if (mapping.shared || (address == mapping.start && strcmp(mapping.path, "[stack]") == 0))
			return false;
		if (mapping.write)
			pages->list[pages->n++] =
				(struct rfs_gdb_page){.address = address, .protection = protection_of(&mapping)};
	}
	pages->known = true;
	pages->watches = gdb->watches;
	return true;
}

/* Whether nobody but the thread can use its memory while it runs. */
static bool is_alone(const struct rfs_run *run, const struct rfs_thread *thread)
{
	if (run->gdb->pages.never || run->stores || thread->process ||
	    rfs_task_space(thread->task) != rfs_run_space(run))
		return false;
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *other = run->threads[i];

		if (other != thread && other->task != thread->task &&
		    (other->state == RFS_STATE_KERNEL || other->state == RFS_STATE_EMBRYO))
			return false;
	}
	return true;
}

/* The target makes the call. False if that failed. */
static bool protect(struct rfs_task *task, const struct rfs_gdb_page *page, int protection)
{
	const unsigned long args[6] = {page->address, PAGE, (unsigned long)protection};
	long result;

	return rfs_task_inject(task, SYS_mprotect, args, &result) == 0 && result == 0;
}

static void open_pages(struct rfs_run *run, struct rfs_task *task, size_t n)
{
	const struct rfs_gdb_pages *pages = &run->gdb->pages;

	for (size_t i = 0; i < n; i++)
		if (!protect(task, &pages->list[i], pages->list[i].protection) && rfs_task_regs(task)->rip)
			rfs_run_uncontrolled(run, "cannot give the program back its memory after a watchpoint");
}

void rfs_gdb_pages_open(struct rfs_run *run)
{
	struct rfs_gdb_pages *pages = &run->gdb->pages;

	if (pages->state != RFS_PAGES_CLOSED)
		return;
	pages->state = RFS_PAGES_OPEN;
	open_pages(run, pages->task, pages->n);
}

bool rfs_gdb_pages_close(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_gdb_pages *pages = &run->gdb->pages;
	const bool listed = pages->known && pages->watches == run->gdb->watches;

	if (!is_alone(run, thread) || (!listed && !find_pages(run->gdb, rfs_task_space(thread->task))))
		return false;
	for (size_t i = 0; i < pages->n; i++) {
		if (protect(thread->task, &pages->list[i], pages->list[i].protection & ~PROT_WRITE))
			continue;
		open_pages(run, thread->task, i);
		return false;
	}
	pages->state = RFS_PAGES_CLOSED;
	pages->task = thread->task;
	return true;
}

/* Of a fault. */
static rfs_addr page_of(const struct rfs_stop *stop)
{
	return (rfs_addr)(uintptr_t)stop->info.si_addr & ~(rfs_addr)(PAGE - 1);
}

static bool is_write(const struct rfs_gdb_pages *pages, const struct rfs_stop *stop)
{
	return stop->kind == RFS_STOP_SIGNAL && stop->info.si_signo == SIGSEGV && stop->info.si_code == SEGV_ACCERR &&
	       is_listed(pages, page_of(stop));
}

/* Resumes a thread, which goes on, executes one instruction, or goes back to a call instruction. */
static enum rfs_then go(struct rfs_run *run, struct rfs_task *task, enum rfs_gdb_pages_state state)
{
	run->gdb->pages.state = state;
	run->gdb->stops++;
	/* if the task is gone, its last stop will report that */
	(void)!rfs_task_resume(task, state == RFS_PAGES_STEPPED ? RFS_RESUME_STEP : RFS_RESUME_SYSCALL, 0);
	return RFS_THEN_PARKED;
}

/* The instruction was executed for the thread, and the pages are still closed. They stay so if nobody needs them. */
static enum rfs_then written(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_gdb *gdb = run->gdb;

	gdb->pages.state = RFS_PAGES_CLOSED;
	rfs_gdb_watched(run, thread);
	if (run->ended)
		return RFS_THEN_END;
	if (gdb->pages.state == RFS_PAGES_CLOSED && !gdb->moved && !rfs_gdb_travel_steps(gdb, thread)) {
		rfs_gdb_count_lend(run, thread);
		return go(run, thread->task, RFS_PAGES_CLOSED);
	}
	rfs_gdb_pages_open(run);
	return RFS_THEN_EXECUTE;
}

static enum rfs_then write_stopped(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	const bool executed = rfs_task_execute_write(stop->task, page_of(stop)) == 0;

	/* if the thread blocks or ignores the signal, the kernel has reset its action */
	if (rfs_signal_segv_action(run))
		(void)!rfs_stub_buffer_repair(stop->task, rfs_signal_segv_action(run));
	if (executed)
		return written(run, thread);
	open_pages(run, stop->task, run->gdb->pages.n);
	return go(run, stop->task, RFS_PAGES_STEPPED);
}

enum rfs_then rfs_gdb_pages_stopped(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	struct rfs_gdb_pages *pages = run->gdb ? &run->gdb->pages : NULL;
	struct rfs_task *task = stop->task;
	enum rfs_gdb_pages_state state;

	if (pages && stop->kind == RFS_STOP_CLONE && stop->child && rfs_task_pid(stop->child) != rfs_task_pid(task))
		pages->never = true;
	if (!pages || pages->state == RFS_PAGES_OPEN || pages->task != task)
		return RFS_THEN_UNDECIDED;
	rfs_gdb_count_take(run, thread);
	state = pages->state;
	pages->state = RFS_PAGES_OPEN;
	if (stop->kind == RFS_STOP_EXITED || stop->kind == RFS_STOP_KILLED)
		return RFS_THEN_UNDECIDED;
	if (state == RFS_PAGES_CLOSED && stop->kind == RFS_STOP_SYSCALL_EXIT) {
		/* it is the entry: the call was not asked to stop at its exit */
		rfs_task_restart_syscall(task);
		return go(run, task, RFS_PAGES_SKIPPED);
	}
	if (state == RFS_PAGES_CLOSED && is_write(pages, stop))
		return write_stopped(run, thread, stop);
	if (state == RFS_PAGES_STEPPED && stop->kind == RFS_STOP_STEP) {
		rfs_gdb_watched(run, thread);
		return run->ended ? RFS_THEN_END : RFS_THEN_EXECUTE;
	}
	pages->known = false;
	if (state == RFS_PAGES_STEPPED)
		return RFS_THEN_UNDECIDED;
	open_pages(run, task, pages->n);
	if (state == RFS_PAGES_CLOSED || stop->kind != RFS_STOP_SYSCALL_EXIT)
		return RFS_THEN_UNDECIDED;
	/* a breakpoint at the call instruction has stopped the thread there before */
	rfs_task_jump(task, rfs_task_regs(task)->rip);
	return go(run, task, RFS_PAGES_STEPPED);
}
