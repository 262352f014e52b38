/* match_offset.c - finds the code of a frame by its offset in a module, or by its address in a process of Valgrind. */
#include <string.h>

#include "disasm/elf/elf.h"
#include "disasm/insn/insn.h"
#include "disasm/rewrite/code.h"
#include "supervisor/base/path.h"
#include "supervisor/campaign/triage/match-priv.h"
#include "supervisor/campaign/triage/match.h"
#include "supervisor/import/import.h"
#include "supervisor/symbols/symbolize.h"

static bool is_exact(const struct rfs_match_search *search)
{
	return search->report->tool == RFS_IMPORT_RFSUP || search->report->tool == RFS_IMPORT_HELGRIND ||
	       search->report->tool == RFS_IMPORT_DRD;
}

/*
 * Adds the access, or the call, at vaddr. ThreadSanitizer names the call that announces the access: the access is the
 * next one of its kind in the function. False if there is none.
 */
static bool add_at(struct rfs_match_search *search, size_t module, rfs_addr vaddr)
{
	const struct rfs_function *function = rfs_elf_function_at(search->match->modules[module].elf, vaddr);
	const struct rfs_code_site *sites;
	size_t n = rfs_match_sites(search, module, &sites), before = search->n;
	const bool call = !search->access || search->called;

	for (size_t i = rfs_code_sites_from(sites, n, call && vaddr > 16 ? vaddr - 16 : vaddr); i < n; i++) {
		const struct rfs_code_site *site = &sites[i];

		if (!function || site->vaddr >= function->end)
			break;
		if (!rfs_match_counts(search, site) || site->vaddr + site->length <= vaddr)
			continue;
		if (call || is_exact(search)) {
			/* a caller's frame has the address of the call's last byte, or of the next instruction */
			if (site->vaddr <= vaddr)
				rfs_match_add(search, module, site, 2, 0);
			else if (site->vaddr > vaddr)
				break;
		} else {
			rfs_match_add(search, module, site, 2, 0);
			if (search->n > before && search->found[search->n - 1].kind < 3)
				search->n--;
			if (search->n > before)
				break;
		}
	}
	return search->n > before;
}

bool rfs_match_by_offset(struct rfs_match_search *search)
{
	const struct rfs_import_frame *frame = &search->stack->frames[search->own];

	for (size_t i = 0; frame->has_offset && frame->build_id && i < search->match->n_modules; i++) {
		const char *build_id = search->match->modules[i].input.build_id;

		/* ThreadSanitizer may write only the first bytes of a build-id */
		if (strlen(frame->build_id) >= 16 && strncmp(build_id, frame->build_id, strlen(frame->build_id)) == 0)
			/* rfsup's place of a lock is the return address */
			return add_at(search, i,
				      frame->offset - (!search->access && search->report->tool == RFS_IMPORT_RFSUP));
	}
	return false;
}

/* A frame that is only an offset may be of this build or of another one. The access there must have the right kind. */
bool rfs_match_by_unnamed_offset(struct rfs_match_search *search)
{
	const struct rfs_import_frame *frame = &search->stack->frames[search->own];

	for (size_t i = 0;
	     frame->has_offset && !frame->build_id && !frame->function && frame->module && i < search->match->n_modules;
	     i++)
		if (rfs_match_is_named(&search->match->modules[i], frame->module))
			return add_at(search, i, frame->offset);
	return false;
}

/* ---- by the address of Valgrind ---- */

/*
 * Modules are loaded at multiples of a page. So a function that is shorter than a page has at most one place whose last
 * digits are those of the address.
 */
static void match_offset_add_function(void *arg, const struct rfs_match_function *function)
{
	struct rfs_match_search *search = arg;
	const struct rfs_import_frame *frame = &search->stack->frames[search->own];
	rfs_addr vaddr = function->start + ((frame->address - function->start) & (RFS_MATCH_PAGE - 1));

	if (!rfs_match_may_be_in(search, function->module))
		return;
	for (; vaddr < function->end; vaddr += RFS_MATCH_PAGE)
		if (rfs_match_line_fits(&search->match->modules[function->module], vaddr, frame))
			(void)add_at(search, function->module, vaddr);
}

bool rfs_match_by_address(struct rfs_match_search *search)
{
	const struct rfs_import_stack *stack = search->stack;
	const struct rfs_import_frame *frame = &stack->frames[search->own];
	size_t outer = search->own;

	if (!frame->address)
		return false;
	/* inlined functions have no symbol; their frames have the address of the function around them */
	while (outer + 1 < stack->n && stack->frames[outer + 1].address == frame->address)
		outer++;
	if (stack->frames[outer].function)
		rfs_match_functions(search->match, stack->frames[outer].function, match_offset_add_function, search);
	for (size_t i = 0; i < search->match->n_modules && !search->n; i++) {
		const struct rfs_match_module *module = &search->match->modules[i];
		rfs_addr vaddr;

		if (rfs_match_offset_of(search->match, search->report->process, i, frame->address, &vaddr) &&
		    rfs_match_may_be_in(search, i) && (!module->dwarf || module->fits > module->differs))
			(void)add_at(search, i, vaddr);
	}
	/* two places that fit prove nothing */
	if (search->n > 1 || (search->n == 1 && search->access && search->found[0].kind < 3))
		search->n = 0;
	return search->n == 1;
}

/* ---- DRD ---- */

/* Valgrind translates at most this many instructions at once (--vex-guest-max-insns). */
#define BLOCK_MAX 60

/* Adds the site at this address if it is of the kind and size that is searched. */
static void add_same_kind(struct rfs_match_search *search, size_t module, rfs_addr vaddr)
{
	const struct rfs_code_site *sites;
	size_t n = rfs_match_sites(search, module, &sites), i = rfs_code_sites_from(sites, n, vaddr),
	       before = search->n;

	if (i == n || sites[i].vaddr != vaddr || sites[i].kind != RFS_CODE_ACCESS)
		return;
	rfs_match_add(search, module, &sites[i], 2, 0);
	if (search->n > before && search->found[before].kind < 3)
		search->n = before;
}

/* The instructions that Valgrind translates together with the one at vaddr: it follows direct jumps and calls. */
static void match_offset_add_block(struct rfs_match_search *search, size_t module, rfs_addr vaddr)
{
	struct rfs_decoder *decoder = rfs_symbols_decoder(search->match->symbols);
	const struct rfs_elf *elf = search->match->modules[module].elf;
	uint8_t bytes[RFS_INSN_MAX];
	struct rfs_insn insn;

	for (size_t i = 0; i < BLOCK_MAX && decoder; i++) {
		size_t n = rfs_elf_read(elf, vaddr, bytes, sizeof(bytes));

		if (rfs_insn_decode(decoder, bytes, n, vaddr, &insn) != 0)
			return;
		add_same_kind(search, module, vaddr);
		if (insn.flow == RFS_FLOW_JUMP || insn.flow == RFS_FLOW_CALL)
			vaddr = insn.target;
		else if (insn.flow == RFS_FLOW_NEXT || insn.flow == RFS_FLOW_BRANCH)
			vaddr += insn.length;
		else
			return;
	}
}

bool rfs_match_by_block(struct rfs_match_search *search)
{
	const struct rfs_import_frame *frame = &search->stack->frames[search->own];
	rfs_addr vaddr;

	if (search->report->tool != RFS_IMPORT_DRD || !search->access || search->called || !frame->address)
		return false;
	for (size_t i = 0; i < search->match->n_modules && !search->n; i++) {
		const struct rfs_match_module *module = &search->match->modules[i];

		if (rfs_match_offset_of(search->match, search->report->process, i, frame->address, &vaddr) &&
		    module->fits > module->differs)
			match_offset_add_block(search, i, vaddr);
	}
	return search->n > 0;
}
