/*
 * closed_code.c - the table of closed pages, the breakpoints of their instructions, and how pages are opened.
 *
 * A page that need not be closed any more is only marked as open. The task that gets there makes it executable, because
 * each process that has the page must do so itself: forked processes have copies of closed pages.
 *
 *     mapped r-x, closed      task at 1000: fault      task in a slot         task at 1003: fault
 *     1000: mov %eax,(%rdi)   -> RFS_STOP_BREAKPOINT   mov %eax,(%rdi)        -> RFS_STOP_BREAKPOINT
 *     1003: ret                                        jmp 1003
 */
#include "tracer/code/closed_code-priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <uthash.h>

#include "disasm/insn/insn.h"
#include "tracer/breakpoint.h"
#include "tracer/code/breakpoint-priv.h"
#include "tracer/code/breakpoint_table-priv.h"
#include "tracer/code/memory-priv.h"
#include "tracer/code/space_code-priv.h"
#include "tracer/memory.h"
#include "tracer/places/arena-priv.h"
#include "tracer/places/slot-priv.h"
#include "tracer/process/code_bytes-priv.h"
#include "tracer/process/regs-priv.h"
#include "tracer/process/space-priv.h"
#include "tracer/process/task-priv.h"
#include "tracer/tracer.h"

struct rfs_closed_page {
	uint64_t number;
	int protection; /* of the program; the page has it without PROT_EXEC */
	bool open;	/* a task that gets there makes it executable */
	UT_hash_handle hh;
};

static struct rfs_closed_page *page_at(const struct rfs_space *space, rfs_addr address)
{
	const uint64_t number = address / RFS_PAGE;
	struct rfs_closed_page *page;

	HASH_FIND(hh, space->code->closed, &number, sizeof(number), page);
	return page;
}

static void page_drop(struct rfs_space *space, struct rfs_closed_page *page)
{
	HASH_DEL(space->code->closed, page);
	free(page);
}

static int page_enter(struct rfs_space *space, uint64_t number, int protection, bool open)
{
	struct rfs_closed_page *page = page_at(space, number * RFS_PAGE);

	if (!page) {
		page = malloc(sizeof(*page));
		if (!page)
			return -ENOMEM;
		page->number = number;
		HASH_ADD(hh, space->code->closed, number, sizeof(page->number), page);
	}
	page->protection = protection;
	page->open = open;
	return 0;
}

static int protect(struct rfs_task *task, rfs_addr start, rfs_addr end, int protection)
{
	const unsigned long args[6] = {start, end - start, (unsigned long)protection};
	long result;
	int r = rfs_task_inject(task, SYS_mprotect, args, &result);

	return r ? r : (int)result;
}

int rfs_code_close(struct rfs_task *task, rfs_addr start, rfs_addr end, int protection)
{
	struct rfs_space *space = task->space;
	int r;

	start &= ~(RFS_PAGE - 1);
	end = (end + RFS_PAGE - 1) & ~(RFS_PAGE - 1);
	if ((end - start) / RFS_PAGE + HASH_COUNT(space->code->closed) > RFS_CLOSED_MOST)
		return -ENOSPC;
	r = protect(task, start, end, protection & ~PROT_EXEC);
	for (rfs_addr page = start; page < end && !r; page += RFS_PAGE)
		r = page_enter(space, page / RFS_PAGE, protection, false);
	return r;
}

/* Whether we have mapped the memory. A mapping of ours may be joined with one of the program. */
static bool is_ours(const struct rfs_space *space, rfs_addr page)
{
	return page == space->gate || rfs_arena_holds(space, page) || rfs_slots_hold(space, page);
}

static int close_mapping(struct rfs_task *task, const struct rfs_mapping *mapping)
{
	const int protection = PROT_EXEC | (mapping->read ? PROT_READ : 0) | (mapping->write ? PROT_WRITE : 0);
	rfs_addr start = mapping->start;
	int r = 0;

	while (start < mapping->end && !r) {
		rfs_addr end = start;

		while (end < mapping->end && !is_ours(task->space, end))
			end += RFS_PAGE;
		if (end > start)
			r = rfs_code_close(task, start, end, protection);
		start = end + RFS_PAGE;
	}
	return r;
}

int rfs_code_close_all(struct rfs_task *task, rfs_addr start, rfs_addr end,
		       bool (*skip)(void *arg, const struct rfs_mapping *mapping), void *arg)
{
	char path[64], *line = NULL;
	struct rfs_mapping mapping;
	size_t size = 0;
	int r = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", task->tid);
	f = fopen(path, "re");
	if (!f)
		return -ESRCH;
	/* to close a mapping changes no line after it, whether it was read already or not */
	while (!r && getline(&line, &size, f) > 0) {
		if (!rfs_mapping_parse(line, &mapping) || !mapping.exec || mapping.end <= start ||
		    mapping.start >= end || skip(arg, &mapping))
			continue;
		mapping.start = mapping.start < start ? start : mapping.start;
		mapping.end = mapping.end > end ? end : mapping.end;
		r = close_mapping(task, &mapping);
	}
	free(line);
	fclose(f);
	return r;
}

void rfs_code_open_all(struct rfs_space *space)
{
	struct rfs_closed_page *page, *next;

	HASH_ITER (hh, space->code->closed, page, next)
		page->open = true;
}

static bool is_in(const struct rfs_closed_page *page, rfs_addr start, rfs_addr end)
{
	return page->number >= start / RFS_PAGE && page->number * RFS_PAGE < end;
}

void rfs_code_forget(struct rfs_space *space, rfs_addr start, rfs_addr end)
{
	struct rfs_closed_page *page, *next;

	HASH_ITER (hh, space->code->closed, page, next)
		if (is_in(page, start, end))
			page_drop(space, page);
}

int rfs_code_move(struct rfs_space *space, rfs_addr from, rfs_addr to, uint64_t size)
{
	for (uint64_t offset = 0; offset < size; offset += RFS_PAGE) {
		struct rfs_closed_page *page = page_at(space, from + offset);
		const struct rfs_closed_page old = page ? *page : (struct rfs_closed_page){0};
		int r;

		if (!page)
			continue;
		page_drop(space, page);
		r = page_enter(space, (to + offset) / RFS_PAGE, old.protection, old.open);
		if (r)
			return r;
	}
	return 0;
}

bool rfs_code_was_closed(const struct rfs_space *space, rfs_addr start, rfs_addr end)
{
	const struct rfs_closed_page *page, *next;

	HASH_ITER (hh, space->code->closed, page, next)
		if (is_in(page, start, end))
			return true;
	return false;
}

size_t rfs_code_opened(const struct rfs_space *space)
{
	return space->code->n_opened;
}

bool rfs_breakpoint_is_fault(const struct rfs_breakpoint *breakpoint)
{
	return breakpoint->is_fault;
}

bool rfs_code_faulted(struct rfs_task *task, const siginfo_t *info, struct rfs_breakpoint **out)
{
	const rfs_addr rip = rfs_task_regs(task)->rip, at = (rfs_addr)(uintptr_t)info->si_addr;
	struct rfs_space *space = task->space;
	uint8_t byte;

	/* an instruction may begin on the page before the closed one */
	if (info->si_signo != SIGSEGV || info->si_code != SEGV_ACCERR || at - rip >= RFS_INSN_MAX ||
	    !page_at(space, at))
		return false;
	*out = rfs_breakpoint_at(space, rip);
	if (!*out) {
		if (rfs_space_peek(space, rip, &byte, 1) || rfs_breakpoint_enter(space, rip, byte, out))
			*out = NULL;
		if (*out)
			(*out)->is_fault = true;
	}
	if (*out)
		rfs_breakpoint_renew(*out);
	return true;
}

/*
 * Whether tasks of the space may execute the page. A process that stays under control after a fork may have other code
 * at the same address, and a breakpoint has only one instruction. So pages are closed in the program itself only.
 */
static bool is_open(const struct rfs_space *space, const struct rfs_closed_page *page)
{
	return page->open || space->root;
}

/* The pages from `first` on that must be made executable in the same way; page_at(first) is one. *end: after them. */
static void same_pages(const struct rfs_space *space, rfs_addr first, rfs_addr *end)
{
	const struct rfs_closed_page *page = page_at(space, first), *next;

	for (*end = first + RFS_PAGE; (next = page_at(space, *end)); *end += RFS_PAGE)
		if (!is_open(space, next) || next->protection != page->protection)
			break;
}

/* Makes pages executable from `first` on, for the process of the task. */
static bool open_from(struct rfs_task *task, rfs_addr first)
{
	struct rfs_space *space = task->space;
	rfs_addr end;

	same_pages(space, first, &end);
	if (protect(task, first, end, page_at(space, first)->protection))
		return false;
	/* other processes that use this table have the pages too, and have not opened them */
	if (!space->root && !space->kin)
		rfs_code_forget(space, first, end);
	return true;
}

bool rfs_code_let(struct rfs_task *task, rfs_addr address, bool must)
{
	const rfs_addr last = (address + RFS_INSN_MAX - 1) & ~(RFS_PAGE - 1);

	for (rfs_addr at = address & ~(RFS_PAGE - 1); at <= last; at += RFS_PAGE) {
		struct rfs_closed_page *page = page_at(task->space, at);

		if (!page)
			continue;
		if (must && !is_open(task->space, page)) {
			page->open = true;
			task->space->code->n_opened++;
		}
		if (!is_open(task->space, page) || !open_from(task, at))
			return false;
	}
	return true;
}

int rfs_code_fork(const struct rfs_space *space, struct rfs_space *child)
{
	const struct rfs_closed_page *page, *next;
	int r = 0;

	HASH_ITER (hh, space->code->closed, page, next) {
		r = page_enter(child, page->number, page->protection, true);
		if (r)
			break;
	}
	return r;
}

void rfs_code_release(struct rfs_space *space)
{
	rfs_code_forget(space, 0, ~(rfs_addr)0);
}
