/*
 * Unwinds the call stack with libunwind and accessors of our own:
 *
 *   - registers come from the task's cache. Its rip is always an address of the program: never inside a slot, and never
 *     after our int3;
 *   - memory comes from rfs_space_read(), through a small cache of blocks;
 *   - the place of .eh_frame_hdr comes from the module list, not from /proc/PID/maps.
 *
 * libunwind exports dwarf_search_unwind_table() for callers that find the table themselves, but no header declares it.
 * Therefore it is declared here, as in perf (tools/perf/util/unwind-libunwind-local.c).
 */
#include "tracer/modules/unwind-priv.h"

#include <errno.h>
#include <libunwind.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/addr.h"
#include "tracer/memory.h"
#include "tracer/modules/frames-priv.h"
#include "tracer/modules/module-priv.h"
#include "tracer/modules/space_files-priv.h"
#include "tracer/process/space-priv.h"
#include "tracer/process/task-priv.h"
#include "tracer/tracer.h"

int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t as, unw_word_t ip, unw_dyn_info_t *di, unw_proc_info_t *pi,
				       int need_unwind_info, void *arg);

/* Below the stack pointer, a function that calls none may use this many bytes (System V ABI). */
#define RED_ZONE 128
/* Size and number of cached blocks: an unwind reads a few neighbouring words of the stack and of the tables. */
#define BLOCK 512
#define BLOCKS 16

/* The address at which libunwind is to read a table that frames.c made. It is in the kernel's half of the address
 * space, so the target has no memory there. */
#define MADE_TABLE 0xffff900000000000ul

struct block {
	rfs_addr start;
	bool valid;
	unsigned char bytes[BLOCK];
};

/*
 * What libunwind knows of a space. Copies of a program share it while they have the same modules, because addresses
 * then mean the same in all of them.
 *
 * libunwind keeps the rules that it found by the address of the frame alone. But the innermost frame is at an
 * instruction, and all others return to an address behind a call. If a function ends with a call that does not return,
 * such as abort(), this address is the first instruction of the next function, which has other rules. So the innermost
 * frame has a space of its own.
 */
struct rfs_unwind {
	unw_addr_space_t innermost, callers;
	unsigned references;
};

/* One unwind. */
struct walk {
	struct rfs_task *task;
	rfs_addr at;			    /* the instruction of the innermost frame */
	rfs_addr caller;		    /* an address of the call in its caller; set by the first step */
	unw_addr_space_t callers;	    /* in which its callers are unwound */
	unw_cursor_t innermost, cursor;	    /* of the innermost frame, and of its callers */
	bool has_left;			    /* the first step was made, so cursor is valid */
	const struct rfs_frame_entry *made; /* the table to show at MADE_TABLE */
	size_t made_size;
	struct block blocks[BLOCKS];
};

static int unwind_read_block(struct walk *walk, rfs_addr address, struct block **out)
{
	rfs_addr start = address & ~(rfs_addr)(BLOCK - 1);
	struct block *block = &walk->blocks[start / BLOCK % BLOCKS];

	if (!block->valid || block->start != start) {
		block->valid = false;
		if (rfs_space_read(walk->task->space, start, block->bytes, BLOCK))
			return -EFAULT;
		block->start = start;
		block->valid = true;
	}
	*out = block;
	return 0;
}

static int unwind_read_memory(struct walk *walk, rfs_addr address, void *buf, size_t n)
{
	unsigned char *to = buf;

	if (address >= MADE_TABLE && address - MADE_TABLE < walk->made_size) {
		if (n > walk->made_size - (address - MADE_TABLE))
			return -EFAULT;
		memcpy(buf, (const char *)walk->made + (address - MADE_TABLE), n);
		return 0;
	}
	while (n) {
		size_t offset = address % BLOCK, part = BLOCK - offset < n ? BLOCK - offset : n;
		struct block *block;

		if (unwind_read_block(walk, address, &block))
			return -EFAULT;
		memcpy(to, block->bytes + offset, part);
		to += part;
		address += part;
		n -= part;
	}
	return 0;
}

static int read_target(void *arg, rfs_addr address, void *buf, size_t n)
{
	struct walk *walk = arg;

	return rfs_space_read(walk->task->space, address, buf, n);
}

static int find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *pi, int need, void *arg)
{
	struct walk *walk = arg;
	struct rfs_module_entry *entry = rfs_module_entry_at(walk->task->space, ip);
	unw_dyn_info_t di;

	if (!entry)
		return -UNW_ENOINFO;
	rfs_frames_find(entry, read_target, walk);
	if (!entry->frames.base)
		return -UNW_ENOINFO;
	walk->made = entry->frames.made;
	walk->made_size = entry->frames.entries * sizeof(*entry->frames.made);
	memset(&di, 0, sizeof(di));
	di.format = UNW_INFO_FORMAT_REMOTE_TABLE;
	di.start_ip = entry->module.start;
	di.end_ip = entry->module.end;
	di.u.rti.segbase = entry->frames.base;
	di.u.rti.table_data = entry->frames.made ? MADE_TABLE : entry->frames.table;
	/* the length in words; an entry is two 32-bit values */
	di.u.rti.table_len = entry->frames.entries * sizeof(struct rfs_frame_entry) / sizeof(unw_word_t);
	return UNW_OBJ(dwarf_search_unwind_table)(as, ip, &di, pi, need, arg);
}

static void put_unwind_info(unw_addr_space_t as, unw_proc_info_t *pi, void *arg)
{
	(void)as;
	(void)pi;
	(void)arg;
}

static int get_dyn_info_list_addr(unw_addr_space_t as, unw_word_t *address, void *arg)
{
	(void)as;
	(void)address;
	(void)arg;
	return -UNW_ENOINFO;
}

static int access_mem(unw_addr_space_t as, unw_word_t address, unw_word_t *value, int write, void *arg)
{
	(void)as;
	if (write)
		return -UNW_EINVAL;
	return unwind_read_memory(arg, address, value, sizeof(*value)) ? -UNW_EINVAL : 0;
}

static int access_reg(unw_addr_space_t as, unw_regnum_t reg, unw_word_t *value, int write, void *arg)
{
	struct walk *walk = arg;
	const struct user_regs_struct *regs = rfs_task_regs(walk->task);

	if (write)
		return -UNW_EREADONLYREG;
	if (as == walk->callers && reg == UNW_X86_64_RIP) {
		*value = walk->caller;
		return 0;
	}
	if (as == walk->callers)
		return unw_get_reg(&walk->innermost, reg, value);
	switch (reg) {
	case UNW_X86_64_RAX:
		*value = regs->rax;
		return 0;
	case UNW_X86_64_RDX:
		*value = regs->rdx;
		return 0;
	case UNW_X86_64_RCX:
		*value = regs->rcx;
		return 0;
	case UNW_X86_64_RBX:
		*value = regs->rbx;
		return 0;
	case UNW_X86_64_RSI:
		*value = regs->rsi;
		return 0;
	case UNW_X86_64_RDI:
		*value = regs->rdi;
		return 0;
	case UNW_X86_64_RBP:
		*value = regs->rbp;
		return 0;
	case UNW_X86_64_RSP:
		*value = regs->rsp;
		return 0;
	case UNW_X86_64_R8:
		*value = regs->r8;
		return 0;
	case UNW_X86_64_R9:
		*value = regs->r9;
		return 0;
	case UNW_X86_64_R10:
		*value = regs->r10;
		return 0;
	case UNW_X86_64_R11:
		*value = regs->r11;
		return 0;
	case UNW_X86_64_R12:
		*value = regs->r12;
		return 0;
	case UNW_X86_64_R13:
		*value = regs->r13;
		return 0;
	case UNW_X86_64_R14:
		*value = regs->r14;
		return 0;
	case UNW_X86_64_R15:
		*value = regs->r15;
		return 0;
	case UNW_X86_64_RIP:
		*value = walk->at;
		return 0;
	default:
		return -UNW_EBADREG;
	}
}

static int access_fpreg(unw_addr_space_t as, unw_regnum_t reg, unw_fpreg_t *value, int write, void *arg)
{
	(void)as;
	(void)reg;
	(void)value;
	(void)write;
	(void)arg;
	return -UNW_EBADREG;
}

static int unwind_resume(unw_addr_space_t as, unw_cursor_t *cursor, void *arg)
{
	(void)as;
	(void)cursor;
	(void)arg;
	return -UNW_EINVAL;
}

static int get_proc_name(unw_addr_space_t as, unw_word_t address, char *buf, size_t n, unw_word_t *offset, void *arg)
{
	(void)as;
	(void)address;
	(void)buf;
	(void)n;
	(void)offset;
	(void)arg;
	return -UNW_ENOINFO;
}

static unw_addr_space_t new_address_space(void)
{
	/* libunwind copies the accessors and does not keep the pointer */
	unw_accessors_t accessors = {
		.find_proc_info = find_proc_info,
		.put_unwind_info = put_unwind_info,
		.get_dyn_info_list_addr = get_dyn_info_list_addr,
		.access_mem = access_mem,
		.access_reg = access_reg,
		.access_fpreg = access_fpreg,
		.resume = unwind_resume,
		.get_proc_name = get_proc_name,
	};
	unw_addr_space_t space = unw_create_addr_space(&accessors, 0);

	/* caching is allowed, because the rules for an address do not change while its module is loaded */
	if (space)
		unw_set_caching_policy(space, UNW_CACHE_GLOBAL);
	return space;
}

static void unwind_free(struct rfs_unwind *unwind)
{
	if (unwind->innermost)
		unw_destroy_addr_space(unwind->innermost);
	if (unwind->callers)
		unw_destroy_addr_space(unwind->callers);
	free(unwind);
}

/* NULL: no memory. */
static const struct rfs_unwind *unwind_of(struct rfs_space *space)
{
	struct rfs_unwind *unwind = space->files->unwind;

	if (unwind)
		return unwind;
	unwind = calloc(1, sizeof(*unwind));
	if (!unwind)
		return NULL;
	*unwind = (struct rfs_unwind){new_address_space(), new_address_space(), 1};
	if (!unwind->innermost || !unwind->callers) {
		unwind_free(unwind);
		return NULL;
	}
	space->files->unwind = unwind;
	return unwind;
}

static bool walk_begin(struct walk *walk)
{
	const struct rfs_unwind *unwind = unwind_of(walk->task->space);

	if (!unwind)
		return false;
	walk->callers = unwind->callers;
	return unw_init_remote(&walk->innermost, unwind->innermost, walk) == 0;
}

/* Goes from the innermost frame to its caller. A frame that a signal has interrupted is at an instruction too. */
static bool leave_innermost(struct walk *walk, unw_word_t *ip, unw_word_t *sp)
{
	const bool interrupted = unw_is_signal_frame(&walk->innermost) > 0;

	if (unw_step(&walk->innermost) <= 0 || unw_get_reg(&walk->innermost, UNW_REG_IP, ip) ||
	    unw_get_reg(&walk->innermost, UNW_REG_SP, sp))
		return false;
	walk->caller = interrupted ? *ip : *ip - 1;
	walk->has_left = *ip && unw_init_remote(&walk->cursor, walk->callers, walk) == 0;
	return true;
}

/* Goes to the caller of the frame. Returns false at the end of the stack. */
static bool walk_step(struct walk *walk, unw_word_t *ip, unw_word_t *sp)
{
	if (!walk->caller)
		return leave_innermost(walk, ip, sp);
	return walk->has_left && unw_step(&walk->cursor) > 0 && unw_get_reg(&walk->cursor, UNW_REG_IP, ip) == 0 &&
	       unw_get_reg(&walk->cursor, UNW_REG_SP, sp) == 0;
}

size_t rfs_task_stack_at(struct rfs_task *task, rfs_addr at, rfs_addr *out, size_t max)
{
	struct walk walk = {.task = task, .at = at};
	unw_word_t ip, sp;
	size_t n = 0;

	if (!max)
		return 0;
	out[n++] = at;
	if (!walk_begin(&walk))
		return n;
	while (n < max && walk_step(&walk, &ip, &sp) && ip)
		out[n++] = ip;
	return n;
}

size_t rfs_task_stack(struct rfs_task *task, rfs_addr *out, size_t max)
{
	return rfs_task_stack_at(task, rfs_task_regs(task)->rip, out, max);
}

bool rfs_task_frame_at(struct rfs_task *task, rfs_addr at, rfs_addr address, struct rfs_stack_frame *out)
{
	struct walk walk = {.task = task, .at = at};
	rfs_addr low = rfs_task_regs(task)->rsp - RED_ZONE, code = at;
	unw_word_t ip, sp;

	if (!walk_begin(&walk))
		return false;
	while (address >= low && walk_step(&walk, &ip, &sp)) {
		if (sp <= low)
			return false;
		if (address < sp) {
			*out = (struct rfs_stack_frame){code, sp};
			return true;
		}
		low = sp;
		code = ip - 1;
	}
	return false;
}

int rfs_unwind_ready(struct rfs_task *task)
{
	const struct rfs_modules *all = task->space->files->modules;
	struct walk walk = {.task = task};

	for (size_t i = 0; all && i < all->n; i++)
		rfs_frames_find(all->entries[i], read_target, &walk);
	return unwind_of(task->space) ? 0 : -ENOMEM;
}

void rfs_unwind_share(const struct rfs_space *from, struct rfs_space *to)
{
	to->files->unwind = from->files->unwind;
	if (to->files->unwind)
		to->files->unwind->references++;
}

void rfs_unwind_release(struct rfs_space *space)
{
	struct rfs_unwind *unwind = space->files->unwind;

	space->files->unwind = NULL;
	if (unwind && --unwind->references == 0)
		unwind_free(unwind);
}
