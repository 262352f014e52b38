/*
 * code_entries.c - finds where chosen functions begin and return.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/elf/elf.h"
#include "disasm/rewrite/code-priv.h"

struct function {
	const struct rfs_code_entry *entry;
	const struct rfs_function *f; /* NULL: left out */
};

struct scan {
	const struct rfs_elf *elf;
	struct rfs_decoder *decoder;
	struct function *functions;
	size_t n;
};

/* Calls visit for each instruction of the function. Returns 0; -EINVAL if an instruction does not decode; -ENOMEM; or
 * the first result of visit that is not 0. */
static int each_insn(const struct scan *scan, const struct function *function,
		     int (*visit)(const struct scan *scan, const struct function *function, const struct rfs_insn *insn,
				  void *arg),
		     void *arg)
{
	const struct rfs_function *f = function->f;
	size_t size = f->end - f->start, done = 0;
	uint8_t *bytes = malloc(size);
	struct rfs_insn insn;
	int result = bytes ? 0 : -ENOMEM;

	if (bytes && rfs_elf_read(scan->elf, f->start, bytes, size) != size)
		result = -EINVAL;
	while (done < size && !result) {
		if (rfs_insn_decode(scan->decoder, bytes + done, size - done, f->start + done, &insn)) {
			result = -EINVAL;
			break;
		}
		result = visit(scan, function, &insn, arg);
		done += insn.length;
	}
	free(bytes);
	return result;
}

static const struct function *entered_at(const struct scan *scan, rfs_addr vaddr)
{
	for (size_t i = 0; i < scan->n; i++)
		if (scan->functions[i].f && scan->functions[i].f->start == vaddr)
			return &scan->functions[i];
	return NULL;
}

/* Whether insn jumps to the function that this one may end in (rfs_code_entry.tail). */
static bool code_entries_is_tail(const struct scan *scan, const struct function *function, const struct rfs_insn *insn)
{
	const char *tail = function->entry->tail;
	const char *name = tail && insn->flow == RFS_FLOW_JUMP ? rfs_elf_plt_name(scan->elf, insn->target) : NULL;

	return name && strcmp(name, tail) == 0;
}

/* Returns -ENOTSUP if the function may end at insn in a way that cannot be a site. Also returns it if the function's
 * first instruction is a return, because one instruction cannot be both an ENTRY and an EXIT. */
static int look_for_ways_out(const struct scan *scan, const struct function *function, const struct rfs_insn *insn,
			     void *arg)
{
	(void)arg;
	if (!function->entry->exits)
		return 0;
	if (insn->flow == RFS_FLOW_JUMP_INDIRECT ||
	    (insn->flow == RFS_FLOW_RETURN && insn->vaddr == function->f->start))
		return -ENOTSUP;
	if (insn->flow != RFS_FLOW_JUMP && insn->flow != RFS_FLOW_BRANCH)
		return 0;
	if ((insn->target >= function->f->start && insn->target < function->f->end) ||
	    code_entries_is_tail(scan, function, insn))
		return 0;
	return entered_at(scan, insn->target) ? 0 : -ENOTSUP;
}

static int add_sites(const struct scan *scan, const struct function *function, const struct rfs_insn *insn, void *arg)
{
	struct rfs_code_site site = {
		.vaddr = insn->vaddr, .length = insn->length, .kind = RFS_CODE_ENTRY, .callee = function->entry->name};

	if (rfs_code_add_target(arg, insn))
		return -ENOMEM;
	if (insn->vaddr == function->f->start)
		return rfs_code_add_site(arg, &site);
	site.kind = RFS_CODE_EXIT;
	site.tail = code_entries_is_tail(scan, function, insn);
	return function->entry->exits && (insn->flow == RFS_FLOW_RETURN || site.tail) ? rfs_code_add_site(arg, &site)
										      : 0;
}

static int code_entries_by_address(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return x->f->start < y->f->start ? -1 : x->f->start > y->f->start;
}

static void find_functions(struct scan *scan, const struct rfs_code_entry *entries, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct rfs_function *f;
		rfs_addr vaddr;

		if (!rfs_elf_symbol(scan->elf, entries[i].name, &vaddr, NULL) || entered_at(scan, vaddr))
			continue;
		f = rfs_elf_function_at(scan->elf, vaddr);
		if (f && f->start == vaddr && rfs_elf_is_bounded(scan->elf, f))
			scan->functions[scan->n++] = (struct function){&entries[i], f};
	}
	if (scan->n)
		qsort(scan->functions, scan->n, sizeof(*scan->functions), code_entries_by_address);
}

/* Leaves out each function with an exit that cannot be a site. Functions that jump to such a function are then left out
 * too, so this is repeated until nothing changes. Returns 0 or -ENOMEM. */
static int code_entries_leave_out(struct scan *scan)
{
	bool again = true;

	while (again) {
		again = false;
		for (size_t i = 0; i < scan->n; i++) {
			int result = scan->functions[i].f
					     ? each_insn(scan, &scan->functions[i], look_for_ways_out, NULL)
					     : 0;

			if (result == -ENOMEM)
				return result;
			again |= result != 0;
			if (result)
				scan->functions[i].f = NULL;
		}
	}
	return 0;
}

int rfs_code_scan_entries(const struct rfs_elf *elf, struct rfs_decoder *decoder, const struct rfs_code_entry *entries,
			  size_t n, struct rfs_code **out)
{
	struct scan scan = {.elf = elf, .decoder = decoder, .functions = calloc(n + 1, sizeof(*scan.functions))};
	struct rfs_code *code = calloc(1, sizeof(*code));
	int result = scan.functions && code ? 0 : -ENOMEM;

	if (!result) {
		find_functions(&scan, entries, n);
		result = code_entries_leave_out(&scan);
	}
	for (size_t i = 0; i < scan.n && !result; i++)
		if (scan.functions[i].f)
			result = each_insn(&scan, &scan.functions[i], add_sites, code);
	free(scan.functions);
	if (result) {
		rfs_code_free(code);
		return result;
	}
	rfs_code_settle(code);
	*out = code;
	return 0;
}
